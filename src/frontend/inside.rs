//! Configuration files that stand inside of a ConfigMap: each is a file of its own, at the place where its text stands.
//!
//! The text of such a file is that of the manifest with everything else blanked, so that lines and columns stay what they
//! are. It is called `deploy/web.yaml#nginx.conf` among the sources, and shown as the manifest.

use super::is_config;
use crate::fact::Problem;
use crate::source::{SourceFile, Sources};
use crate::yaml::{self, Kind, Node, ProblemKind, Style, Tree};

/// Files inside one manifest, and the bytes that all of a run may take.
const MOST_FILES: usize = 32;
const MOST_BYTES: usize = 64 << 20;
/// Lists inside lists.
const DEEPEST: usize = 8;

/// The name of a file in a ConfigMap.
pub fn path(manifest: &str, key: &str) -> String {
    format!("{manifest}#{key}")
}

/// The sources with what stands inside of them. Problems keep their files.
pub fn open(sources: Sources, problems: Vec<Problem>) -> (Sources, Vec<Problem>) {
    let mut left = MOST_BYTES;
    let found: Vec<SourceFile> = sources.iter().flat_map(|(_, file)| files(file, &mut left)).collect();
    if found.is_empty() {
        return (sources, problems);
    }
    let paths: Vec<String> = problems.iter().map(|p| sources.get(p.file).path.clone()).collect();
    let sources = sources.with_all(found);
    let moved = problems.into_iter().zip(paths);
    let known = |(problem, path): (Problem, String)| Some(Problem { file: sources.find(&path)?, ..problem });
    let problems = moved.filter_map(known).collect();
    (sources, problems)
}

fn files(file: &SourceFile, left: &mut usize) -> Vec<SourceFile> {
    let may = ["ConfigMap", "|"].iter().all(|word| file.text.contains(word));
    let named = [".yaml", ".yml"].iter().any(|end| file.path.ends_with(end));
    if !may || !named || file.text.len() > *left {
        return Vec::new();
    }
    let tree = yaml::read(&file.text);
    let mut maps = Vec::new();
    tree.documents().for_each(|document| add(document, &mut maps, 0));
    let entries = maps.iter().flat_map(|data| data.own_entries());
    let mut found = Vec::new();
    for entry in entries.filter(|e| e.value.style() == Some(Style::Literal)).take(MOST_FILES) {
        let Some(key) = entry.key.as_str().filter(|k| k.contains('.') && !k.contains(['/', '#'])) else { continue };
        let Some(inner) = alone(&tree, entry.value).filter(|text| text.len() <= *left) else { continue };
        let path = path(&file.path, key);
        if is_config(&path, &inner) && is_whole(key, &inner) {
            *left -= inner.len();
            found.push(SourceFile::inside(file, path, inner));
        }
    }
    found
}

/// Maps hold pieces too, which some program puts together: what does not parse is one of these.
fn is_whole(key: &str, text: &str) -> bool {
    let is_yaml = [".yaml", ".yml", ".json"].iter().any(|end| key.ends_with(end));
    !is_yaml || yaml::read(text).problems().iter().all(|p| p.kind != ProblemKind::Syntax)
}

/// The data of every ConfigMap.
fn add<'t>(node: Node<'t>, found: &mut Vec<Node<'t>>, depth: usize) {
    match node.get("kind").and_then(|k| k.as_str()) {
        Some("List") if depth < DEEPEST => {
            node.get("items").into_iter().flat_map(|i| i.items()).for_each(|item| add(item, found, depth + 1));
        }
        Some("ConfigMap") => found.extend(node.get("data").filter(|d| d.kind() == Kind::Mapping)),
        _ => {}
    }
}

/// The text of the manifest with nothing in it but that of one block. Manifests inside of a manifest are data.
fn alone(tree: &Tree<'_>, block: Node<'_>) -> Option<String> {
    let range = block.value_range();
    let (from, to) = (range.start as usize, range.end as usize);
    let text = tree.text().get(from..to)?;
    // The line with the mark of the block is none of its text.
    let body = if text.starts_with('|') { from + text.find('\n')? + 1 } else { from };
    let inner = tree.text().get(body..to)?;
    if inner.contains("apiVersion") && inner.contains("kind") {
        return None;
    }
    let before = tree.text().get(..body)?.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
    Some(before.chain(inner.chars()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  nginx.conf: |\n    events {}\n    http {\n      upstream ü {\n        server a:1;\n      }\n      server {\n        location / {\n          proxy_pass http://ü;\n        }\n      }\n    }\n  words.txt: |\n    proxy_pass\n";

    #[test]
    fn a_file_inside_stands_where_its_text_does() {
        let sources = Sources::new(vec![SourceFile::new("a.rs", ""), SourceFile::new("k/web.yaml", MAP)]);
        let problem = |file| Problem { file: FileId(file), at: 0, message: String::new() };
        let (sources, problems) = open(sources, vec![problem(0), problem(1)]);
        let id = sources.find("k/web.yaml#nginx.conf").expect("it is among the sources");
        assert_eq!((sources.len(), sources.get(id).shown()), (3, "k/web.yaml"));
        let at = sources.get(id).text.find("events").expect("its text") as u32;
        assert_eq!(MAP.find("events"), Some(at as usize));
        assert_eq!(sources.get(id).line_column(at).line, 6);
        assert_eq!(
            problems.iter().map(|p| sources.get(p.file).path.as_str()).collect::<Vec<_>>(),
            ["a.rs", "k/web.yaml"]
        );
    }

    #[test]
    fn many_files_inside_are_not_opened() {
        let one = |i: usize| {
            format!(
                "  f{i}.conf: |\n    events {{}}\n    http {{\n      server {{\n        proxy_pass http://a;\n      }}\n    }}\n"
            )
        };
        let all: String = (0..500).map(one).collect();
        let text = format!("kind: ConfigMap\ndata:\n{all}");
        let (sources, _) = open(Sources::new(vec![SourceFile::new("a.yaml", text)]), Vec::new());
        assert!(sources.len() > 1 && sources.len() <= 1 + MOST_FILES, "{}", sources.len());
    }
}
