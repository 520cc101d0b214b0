//! Small programs and what their expressions can be. Other parts that need a whole program in a test use [`World`] too.

use rustc_hash::FxHashMap;

use super::*;
use crate::frontend::rust::infer::infer;
use crate::frontend::rust::names::tests::one_crate;
use crate::frontend::rust::program::ConstId;
use crate::model::Model;
use crate::value::OriginKind;

/// A program of one file with what inference says of it.
pub struct World {
    pub program: Program,
    pub bodies: FxHashMap<BodyId, BodyTypes>,
    pub models: Models,
    pub settings: Settings,
}

const MODEL: &str = r#"{"crate": "web", "versions": "*", "about": "", "sources": [],
    "types": {
        "web::Client": {"role": "client", "methods": {
            "builder": {"returns": "web::Builder"}, "new": {"returns": "Self"}}},
        "web::Builder": {"role": "builder", "methods": {
            "timeout": {"returns": "Self", "sets": {"timeout": {"arg": 0}}},
            "build": {"returns": "Result<web::Client, web::Error>", "carries": true}}},
        "plan::Steps": {"role": "policy", "fields": {"attempts": {"means": "retries"}}, "methods": {
            "from_millis": {"returns": "Self", "sets": {"base": {"arg": 0}}},
            "take": {"returns": "Self", "sets": {"attempts": {"at-most-arg": 0}}}}}},
    "functions": {"rand::random": {"does": "random"}, "tokio::time::sleep": {"does": {"sleep": {"duration": {"arg": 0}}}},
        "rand::random_range": {"does": "random"}},
    "traits": {"rand::Rng": {"methods": {"random_range": {"does": "random"}}}}}"#;

pub fn world(text: &str) -> World {
    let model: Model = serde_json::from_str(MODEL).expect("the model above is well formed");
    let models = Models::new(vec![model]);
    let (program, index) = one_crate(&[("src/lib.rs", text)]);
    let fns = (0..program.fns.len()).map(|i| BodyId::Fn(FnId(i as u32)));
    let consts = (0..program.consts.len()).map(|i| BodyId::Const(ConstId(i as u32)));
    let bodies = fns.chain(consts).map(|b| (b, infer(&program, &index, &models, b))).collect();
    World { program, bodies, models, settings: Settings::default() }
}

impl World {
    pub fn values(&self) -> Values<'_> {
        Values::new(&self.program, &self.bodies, &self.models, &self.settings)
    }

    pub fn body(&self, function: &str) -> BodyId {
        let at = self.program.fns.iter().position(|f| f.name == function);
        BodyId::Fn(FnId(at.expect("the function is in the text") as u32))
    }

    /// The first argument of the first call of `see` in a function.
    pub fn seen(&self, function: &str) -> (BodyId, ExprId) {
        self.argument_of(function, "see")
    }

    pub fn argument_of(&self, function: &str, callee: &str) -> (BodyId, ExprId) {
        let body = self.body(function);
        let tree = self.program.tree_of(body);
        let start = root(&self.program, body).expect("the function has a body");
        let mut found = None;
        walk::each(tree, start, &mut |e| {
            if let ExprKind::Call { callee: c, args } = &tree.expr(e).kind
                && let ExprKind::Path(path) = &tree.expr(*c).kind
                && path.last().is_some_and(|s| s.name == *callee)
            {
                found = found.or(args.first().copied());
            }
            true
        });
        (body, found.expect("the function calls it"))
    }

    /// The first loop of a function.
    pub fn first_loop(&self, function: &str) -> (BodyId, ExprId) {
        let body = self.body(function);
        let tree = self.program.tree_of(body);
        let mut found = None;
        walk::each(tree, root(&self.program, body).expect("a body"), &mut |e| {
            if matches!(tree.expr(e).kind, ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. }) {
                found = found.or(Some(e));
            }
            true
        });
        (body, found.expect("the function has a loop"))
    }
}

/// What `see(..)` in `f` is handed, as a number.
fn number(text: &str) -> (Value, OriginKind) {
    let world = world(text);
    let values = world.values();
    let (body, e) = world.seen("f");
    let (value, origin) = largest(&values.close(body, values.eval(body, e)));
    (value, origin.kind)
}

fn known(text: &str) -> u64 {
    let (value, _) = number(text);
    value.number().unwrap_or_else(|| panic!("{value:?} is no number: {text}"))
}

#[test]
fn literals_constants_and_arithmetic() {
    assert_eq!(known("fn f() { see(3 + 4 * 2) }"), 11);
    assert_eq!(known("const A: u32 = 3; const B: u32 = A + 1; fn f() { see(B) }"), 4);
    assert_eq!(number("const A: u32 = 3; fn f() { see(A) }").1, OriginKind::Constant);
    assert_eq!(known("struct S; impl S { const N: u32 = 7; fn f() { see(Self::N) } }"), 7);
    assert_eq!(known("fn f() { see(2u64.pow(3).min(5)) }"), 5);
    assert_eq!(known("fn f() { see(1u64 << 4) }"), 16);
    assert_eq!(known("fn f() { let n = 3; let m = n as u64; see(m.saturating_sub(1)) }"), 2);
    assert_eq!(number("fn f() { see(usize::MAX) }").0, Value::Unbounded);
}

#[test]
fn durations_are_milliseconds() {
    let head = "use std::time::Duration;";
    assert_eq!(known(&format!("{head} fn f() {{ see(Duration::from_secs(2)) }}")), 2_000);
    assert_eq!(known(&format!("{head} fn f() {{ see(Duration::from_millis(250) * 4) }}")), 1_000);
    assert_eq!(known(&format!("{head} fn f() {{ see(Duration::new(1, 500_000_000)) }}")), 1_500);
    assert_eq!(known(&format!("{head} fn f() {{ see(Duration::from_secs_f64(0.25)) }}")), 250);
    assert_eq!(known(&format!("{head} fn f() {{ see(Duration::from_micros(10)) }}")), 1);
    assert_eq!(known(&format!("{head} const D: Duration = Duration::from_secs(3); fn f() {{ see(D) }}")), 3_000);
    let to = format!("{head} fn d(n: u64) -> Duration {{ Duration::from_secs(n) }} fn f() {{ see(d(4)) }}");
    assert_eq!(known(&to), 4_000);
}

#[test]
fn locals_and_parameters() {
    assert_eq!(known("fn f(c: bool) { let n = if c { 3 } else { 5 }; see(n) }"), 5);
    assert!(matches!(number("fn f() { let mut n = 3; n += 1; see(n) }").0, Value::Unknown(_)));
    assert_eq!(known("fn f(c: bool) { let mut n = 3; if c { n = 8; } see(n) }"), 8);
    assert_eq!(known("fn g() { f(3) } fn h() { f(6) } fn f(n: u32) { see(n + 1) }"), 7);
    assert_eq!(number("fn g() { f(3) } fn f(n: u32) { see(n) }").1, OriginKind::Argument);
    let world = world("struct S; impl S { fn f(&self, a: u32, b: u32) { see(b) } }");
    let (body, e) = world.seen("f");
    assert_eq!(world.values().eval(body, e), Val::Param(2));
}

#[test]
fn options_and_the_environment() {
    assert_eq!(known("fn f(x: Option<u32>) { see(Some(3).unwrap_or(5)) }"), 3);
    let env = r#"fn f() { see(std::env::var("N").ok().and_then(|v| v.parse().ok()).unwrap_or(3)) }"#;
    assert_eq!(number(env), (Value::Number(3), OriginKind::Environment));
    let env = r#"fn f() { let n: u32 = std::env::var("N").unwrap().parse().unwrap(); see(n) }"#;
    assert_eq!(number(env).1, OriginKind::Environment);
    let env = r#"fn f() { let n: u32 = std::env::var("N").map(|v| v.parse().unwrap_or(4)).unwrap_or(3); see(n) }"#;
    assert_eq!(known(env), 4);
    let mut world = world(r#"fn f() { let n: u32 = std::env::var("N").unwrap().parse().unwrap(); see(n) }"#);
    world.settings.values.insert("N".into(), 9);
    let (body, e) = world.seen("f");
    assert_eq!(largest(&world.values().eval(body, e)).0, Value::Number(9));
}

#[test]
fn fields_take_the_largest_that_is_set() {
    let set = "struct P { max: u32 } fn a() -> P { P { max: 3 } } fn b() -> P { P { max: 5 } }
        impl P { fn f(&self) { see(self.max) } }";
    assert_eq!(known(set), 5);
    let made = "struct P { max: u32 } impl P { fn new(max: u32) -> P { P { max } } fn f(&self) { see(self.max) } }
        fn go() { P::new(4).f() }";
    assert_eq!(known(made), 4);
    let set = "struct P { max: u32 } impl P { fn with(mut self, n: u32) -> P { self.max = n; self }
        fn f(&self) { see(self.max) } } fn go(p: P) { p.with(6); }";
    assert_eq!(known(set), 6);
    let exact = "struct P { max: u32 } fn other() -> P { P { max: 9 } } fn f() { let p = P { max: 2 }; see(p.max) }";
    assert_eq!(known(exact), 2);
    assert!(matches!(number("struct P { max: u32 } fn f(p: &P) { see(p.max) }").0, Value::Unknown(_)));
}

#[test]
fn defaults_of_fields() {
    let own = "struct P { max: u32 } impl Default for P { fn default() -> P { P { max: 3 } } }
        impl P { fn f(&self) { see(self.max) } }";
    assert_eq!(number(own), (Value::Number(3), OriginKind::FieldDefault));
    let base = "struct P { max: u32, d: u32 } impl Default for P { fn default() -> P { P { max: 3, d: 1 } } }
        fn f() { let p = P { d: 2, ..Default::default() }; see(p.max) }";
    assert_eq!(known(base), 3);
    let serde = r#"#[derive(Deserialize)] struct P { #[serde(default = "three")] max: u32 } fn three() -> u32 { 3 }
        fn f(p: &P) { see(p.max) }"#;
    assert_eq!(number(serde), (Value::Number(3), OriginKind::FieldDefault));
    let clap = "#[derive(Parser)] struct P { #[arg(long, default_value_t = 7)] max: u32 } fn f(p: &P) { see(p.max) }";
    assert_eq!(known(clap), 7);
    let clap =
        r#"#[derive(Parser)] struct P { #[arg(long, default_value = "8")] max: u32 } fn f(p: &P) { see(p.max) }"#;
    assert_eq!(known(clap), 8);
}

fn object(text: &str) -> Rc<crate::frontend::rust::val::Object> {
    let world = world(text);
    let values = world.values();
    let (body, e) = world.seen("f");
    match unwrap(values.close(body, values.eval(body, e))) {
        Val::Object(o) => o,
        other => panic!("{other:?} is no object: {text}"),
    }
}

#[test]
fn clients_keep_their_fields_on_the_way() {
    let head = "use std::time::Duration; use std::sync::Arc;";
    let build = "web::Client::builder().timeout(Duration::from_secs(5)).build()";
    for text in [
        format!("{head} fn f() {{ let c = {build}.unwrap(); see(c) }}"),
        format!("{head} fn make() -> Result<web::Client, E> {{ Ok({build}?) }} fn f() {{ see(make()?) }}"),
        format!("{head} struct S {{ c: Arc<web::Client> }} impl S {{ fn new() -> S {{ let c = {build}?; S {{ c: Arc::new(c) }} }}
            fn f(&self) {{ see(self.c.clone()) }} }}"),
        format!("{head} static C: LazyLock<web::Client> = LazyLock::new(|| {build}.unwrap()); fn f() {{ see(&*C) }}"),
        format!("{head} fn g() {{ let c = {build}?; f(&c) }} fn f(c: &web::Client) {{ see(c) }}"),
        format!("{head} fn f(x: bool) {{ let mut b = web::Client::builder(); if x {{ b = b.timeout(Duration::from_secs(5)); }}
            see(b.build()) }}"),
    ] {
        let o = object(&text);
        let timeout = o.fields.get("timeout").unwrap_or_else(|| panic!("no timeout: {o:?}"));
        assert_eq!(largest(&timeout.value).0, Value::Number(5_000));
        assert!(o.built_at.is_some(), "{text}");
    }
}

#[test]
fn texts_keep_what_is_constant() {
    let world =
        world(r#"const HOST: &str = "http://a:80"; fn f(id: u32) { see(format!("{}/orders/{id}?n={}", HOST, 3)) }"#);
    let (body, e) = world.seen("f");
    assert_eq!(world.values().eval(body, e), Val::Text("http://a:80/orders/{}?n=3".into()));
}

#[test]
fn circles_end() {
    assert!(matches!(
        number("fn a(n: u32) -> u32 { b(n) } fn b(n: u32) -> u32 { a(n) } fn f() { see(a(1)) }").0,
        Value::Unknown(_)
    ));
    assert!(matches!(number("const A: u32 = B; const B: u32 = A; fn f() { see(A) }").0, Value::Unknown(_)));
    let mut wide = String::from("fn g0() -> u32 { 1 } ");
    for i in 1..60 {
        wide += &format!("fn g{i}() -> u32 {{ g{}() + g{}() }} ", i - 1, i - 1);
    }
    number(&format!("{wide} fn f() {{ see(g59()) }}"));
}

/// Code that reads texts from the environment in every way that is followed.
const ENVIRONMENT: &str = r#"
        use std::env;
        pub struct Config { url: String }
        #[derive(Parser)]
        pub struct Args {
            #[arg(long, env = "BOOKS", default_value = "http://books:8080")]
            books: String,
            #[arg(long, env)]
            shop: String,
        }
        fn see<T>(_: T) {}
        fn make() -> Config { Config { url: env::var("URL").expect("set") } }
        fn field(c: &Config) { see(format!("{}/x", c.url)) }
        fn default() {
            let base = env::var("URL").unwrap_or_else(|_| "http://a:1".to_string());
            see(format!("{base}/x"))
        }
        fn parts() { see(format!("http://{}:{}/x", env::var("HOST").unwrap(), env::var("PORT").unwrap_or("80".into()))) }
        fn flag(a: &Args) { see(format!("{}/x", a.books)) }
        fn own_name(a: &Args) { see(format!("{}/x", a.shop)) }
        fn helper(base: &str) { see(format!("{base}/x")) }
        fn calls() { helper(&env::var("URL").unwrap()) }
        fn number() { see(env::var("N").unwrap_or("3".to_string()).parse::<u64>().unwrap()) }
"#;

#[test]
fn texts_keep_what_is_read_from_the_environment() {
    let world = world(ENVIRONMENT);
    let values = world.values();
    let seen = |function: &str| {
        let (body, e) = world.seen(function);
        values.eval(body, e)
    };
    let text = |function: &str| match seen(function) {
        Val::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(text("field"), "{$URL}/x");
    assert_eq!(text("default"), "{$URL:-http://a:1}/x");
    assert_eq!(text("parts"), "http://{$HOST}:{$PORT:-80}/x");
    assert_eq!(text("flag"), "{$BOOKS:-http://books:8080}/x");
    assert_eq!(text("own_name"), "{$SHOP}/x");
    assert_eq!(text("helper"), "{$URL}/x");
    let (number, origin) = values.as_count(&seen("number"));
    assert_eq!((number, origin.kind), (Value::Number(3), OriginKind::Environment));
}
