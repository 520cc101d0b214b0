//! Input for the benchmark where there is none: many small crates of services that call each other's helpers, loop,
//! match and retry. Made of a few shapes with numbers and names that differ, always the same ones.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// Enough for more than 400,000 lines.
const CRATES: usize = 40;
const MODULES: usize = 28;
const FUNCTIONS: usize = 12;

/// Writes a workspace below `folder`.
pub fn write(folder: &Path) -> io::Result<()> {
    fs::write(folder.join("Cargo.toml"), "[workspace]\nmembers = [\"service*\"]\nresolver = \"2\"\n")?;
    let mut numbers = Numbers(1);
    for krate in 0..CRATES {
        let root = folder.join(format!("service{krate}"));
        fs::create_dir_all(root.join("src"))?;
        fs::write(root.join("Cargo.toml"), manifest(krate))?;
        fs::write(root.join("src/lib.rs"), library())?;
        for module in 0..MODULES {
            fs::write(root.join(format!("src/part{module}.rs")), text(&mut numbers, module))?;
        }
    }
    Ok(())
}

fn manifest(krate: usize) -> String {
    let mut text =
        format!("[package]\nname = \"service{krate}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n");
    text.push_str(
        "reqwest = { version = \"0.12\", features = [\"json\"] }\ntokio = { version = \"1\", features = [\"full\"] }\n",
    );
    text.push_str(
        "axum = \"0.7\"\nserde = { version = \"1\", features = [\"derive\"] }\ntracing = \"0.1\"\nanyhow = \"1\"\n",
    );
    text
}

fn library() -> String {
    let mut text = String::from("//! A service.\n\nuse axum::Router;\nuse axum::routing::get;\n\n");
    (0..MODULES).for_each(|m| _ = writeln!(text, "pub mod part{m};"));
    text.push_str("\npub fn router(state: part0::Store0) -> Router {\n    Router::new()\n");
    (0..MODULES).for_each(|m| _ = writeln!(text, "        .route(\"/{m}\", get(part{m}::handle_{m}))"));
    text.push_str("        .with_state(state)\n}\n");
    text
}

/// Numbers that look like chance and are always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}

/// Names and numbers go where these stand in a shape.
fn fill(shape: &str, numbers: &mut Numbers, module: usize, function: usize) -> String {
    let other = numbers.below(function.max(1));
    let far = if module == 0 { 0 } else { numbers.below(module) };
    [
        ("$MODULE", module),
        ("$FAR", far),
        ("$OTHER", other),
        ("$N", function),
        ("$SMALL", numbers.below(6) + 2),
        ("$LARGE", numbers.below(900) + 100),
    ]
    .iter()
    .fold(shape.to_string(), |text, (mark, number)| text.replace(mark, &number.to_string()))
}

fn text(numbers: &mut Numbers, module: usize) -> String {
    let mut text = fill(HEAD, numbers, module, 0);
    for function in 0..FUNCTIONS {
        let shape = SHAPES[if function == 0 { 0 } else { numbers.below(SHAPES.len()) }];
        text.push_str(&fill(shape, numbers, module, function));
    }
    text
}

const HEAD: &str = r#"//! Part $MODULE of the service.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::{Client, StatusCode};
use serde::{Deserialize, Serialize};
use tracing::{debug, info, warn};

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct Record$MODULE {
    pub id: u64,
    pub name: String,
    pub tags: Vec<String>,
    pub children: HashMap<String, u64>,
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State$MODULE {
    Waiting,
    Running { since: u64, tries: u32 },
    Failed(String),
    Done(Vec<u64>),
}

#[derive(Clone)]
pub struct Store$MODULE {
    client: Client,
    base: String,
    records: Vec<Record$MODULE>,
}

/// What the rest of the service sees.
pub async fn handle_$MODULE() -> String {
    let store = match Store$MODULE::connect("http://upstream$FAR.internal") {
        Ok(store) => store,
        Err(error) => return format!("no store: {error}"),
    };
    let records = match store.load_0($LARGE).await {
        Ok(records) => records,
        Err(error) => {
            warn!(%error, "could not load");
            Vec::new()
        }
    };
    format!("{} records, first {:?}", records.len(), records.first().map(|r| &r.name))
}

impl Store$MODULE {
    pub fn connect(base: &str) -> Result<Self> {
        let client = Client::builder().timeout(Duration::from_millis($LARGE)).build().context("a client")?;
        Ok(Store$MODULE { client, base: base.trim_end_matches('/').to_owned(), records: Vec::with_capacity($SMALL) })
    }

    fn url(&self, path: &str, id: u64) -> String {
        format!("{}/{path}/{id}", self.base)
    }
}
"#;

const SHAPES: &[&str] = &[FETCH, RETRY, STATES, NUMBERS, TRAITS, PARALLEL];

const FETCH: &str = r#"
impl Store$MODULE {
    /// Reads pages until there are none.
    pub async fn load_$N(&self, id: u64) -> Result<Vec<Record$MODULE>> {
        let mut found = Vec::new();
        let mut page = 0u64;
        loop {
            let url = self.url("records_$N", id + page);
            let answer = self.client.get(&url).query(&[("page", page), ("size", $LARGE)]).send().await?;
            match answer.status() {
                StatusCode::NOT_FOUND => break,
                status if status.is_server_error() => bail!("{url} answered {status} on page {page}"),
                status => debug!(%status, page, "a page"),
            }
            let records: Vec<Record$MODULE> = answer.json().await.context("not records")?;
            if records.is_empty() || page > $LARGE {
                break;
            }
            found.extend(records.into_iter().filter(|r| !r.tags.iter().any(|t| t.starts_with("old-$SMALL"))));
            page += 1;
        }
        info!(count = found.len(), "loaded");
        Ok(found)
    }
}
"#;

const RETRY: &str = r#"
/// Sends a record, again if the other side was busy.
pub async fn send_$N(client: &Client, record: &Record$MODULE) -> Result<u64> {
    let mut attempt = 0;
    let mut wait = Duration::from_millis($LARGE);
    loop {
        attempt += 1;
        let sent = client.post("http://sink$FAR.internal/records_$N").json(record).send().await;
        match sent {
            Ok(answer) if answer.status().is_success() => {
                let body: HashMap<String, u64> = answer.json().await?;
                return body.get("id").copied().context("no id in the answer");
            }
            Ok(answer) if answer.status() == StatusCode::TOO_MANY_REQUESTS || answer.status().is_server_error() => {
                warn!(status = %answer.status(), attempt, "busy");
            }
            Ok(answer) => bail!("refused with {}", answer.status()),
            Err(error) if error.is_timeout() || error.is_connect() => warn!(%error, attempt, "not reached"),
            Err(error) => return Err(error.into()),
        }
        if attempt >= $SMALL {
            bail!("gave up after {attempt} tries");
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs($SMALL));
    }
}
"#;

const STATES: &str = r#"
impl State$MODULE {
    /// One step of the machine.
    pub fn step_$N(self, now: u64, events: &[(u64, &str)]) -> Result<State$MODULE> {
        let next = match (self, events.last()) {
            (State$MODULE::Waiting, Some((at, "start"))) if *at <= now => State$MODULE::Running { since: *at, tries: 0 },
            (State$MODULE::Waiting, _) => State$MODULE::Waiting,
            (State$MODULE::Running { since, tries }, Some((_, word))) => {
                if tries > $SMALL && now.saturating_sub(since) > $LARGE {
                    State$MODULE::Failed(format!("{word} after {tries} tries"))
                } else if let Some(rest) = word.strip_prefix("done:") {
                    let ids = rest.split(',').map(|part| part.trim().parse::<u64>()).collect::<Result<Vec<_>, _>>()?;
                    State$MODULE::Done(ids)
                } else {
                    State$MODULE::Running { since, tries: tries + 1 }
                }
            }
            (running @ State$MODULE::Running { .. }, None) => running,
            (State$MODULE::Failed(why), Some((_, "reset"))) if !why.is_empty() => State$MODULE::Waiting,
            (State$MODULE::Failed(why), _) => bail!("failed before: {why}"),
            (done @ State$MODULE::Done(_), _) => done,
        };
        Ok(next)
    }
}
"#;

const NUMBERS: &str = r#"
/// A summary of what was measured.
pub fn summary_$N(values: &[f64], names: &HashMap<usize, String>) -> Vec<(String, f64, f64)> {
    let mut out = Vec::with_capacity(values.len() / $SMALL + 1);
    for (index, chunk) in values.chunks($SMALL).enumerate() {
        let total: f64 = chunk.iter().copied().sum();
        let mean = total / chunk.len().max(1) as f64;
        let mut spread = 0.0;
        for value in chunk {
            let off = (*value - mean).abs();
            spread += if off > $LARGE.0 { off.sqrt() } else { off * off };
        }
        let name = names.get(&index).cloned().unwrap_or_else(|| format!("chunk-{index}-of-$N"));
        if name.len() > 3 && (spread >= 1.5 || mean < -0.5) {
            out.push((name.to_uppercase(), mean, spread / (chunk.len() as f64 + 1.0)));
        }
    }
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    out.truncate($LARGE);
    out
}
"#;

const TRAITS: &str = r#"
pub trait Source$N {
    type Item: Clone + Send;
    fn next_item(&mut self, after: Option<u64>) -> Option<Self::Item>;
    fn skip_some(&mut self, count: usize) -> usize {
        (0..count).take_while(|i| self.next_item(Some(*i as u64)).is_some()).count()
    }
}

#[derive(Debug, Default)]
pub struct Cursor$N<T> {
    items: Vec<T>,
    at: usize,
}

impl<T: Clone + Send + PartialEq> Source$N for Cursor$N<T> {
    type Item = T;
    fn next_item(&mut self, after: Option<u64>) -> Option<T> {
        let from = after.map_or(self.at, |a| a as usize).min(self.items.len());
        let item = self.items.get(from)?.clone();
        self.at = from + 1;
        if self.at % $LARGE == 0 {
            debug!(at = self.at, left = self.items.len() - self.at, "a step");
        }
        Some(item)
    }
}

impl<T: Clone + Send + PartialEq> Cursor$N<T> {
    pub fn over(items: impl IntoIterator<Item = T>) -> Self {
        let items: Vec<T> = items.into_iter().take($LARGE).collect();
        Cursor$N { items, at: 0 }
    }
}
"#;

const PARALLEL: &str = r#"
impl Store$MODULE {
    /// Asks for several at once and keeps what came back.
    pub async fn gather_$N(&self, ids: &[u64]) -> Result<HashMap<u64, Record$MODULE>> {
        let mut kept = HashMap::new();
        for pair in ids.windows(2).step_by($SMALL) {
            let (left, right) = tokio::join!(self.one_$N(pair[0]), self.one_$N(pair[1]));
            for record in [left, right].into_iter().flatten() {
                if self.records.iter().all(|known| known.id != record.id) {
                    kept.insert(record.id, record);
                }
            }
        }
        tokio::select! {
            answer = self.one_$N($LARGE) => {
                let record = answer?;
                kept.entry(record.id).or_insert(record);
            }
            _ = tokio::time::sleep(Duration::from_secs($SMALL)) => warn!("too slow: {} so far", kept.len()),
        }
        Ok(kept)
    }

    async fn one_$N(&self, id: u64) -> Result<Record$MODULE> {
        let sent = self.client.get(self.url("one_$N", id)).header("x-part", "$MODULE").send();
        let answer = tokio::time::timeout(Duration::from_millis($LARGE), sent).await.context("timed out")??;
        Ok(answer.error_for_status()?.json::<Record$MODULE>().await?)
    }
}
"#;
