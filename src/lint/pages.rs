//! Every page holds what a reader and the tests look for in it. Whether its examples are true is checked by the
//! integration tests, which run the whole program over them.

use super::{ALL, Lint};

fn fenced_in<'a>(lint: &'a Lint, language: &str, kind: &str) -> Vec<&'a str> {
    let open = format!("```{language} {kind}\n");
    lint.page.split(&open).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

fn fenced<'a>(lint: &'a Lint, kind: &str) -> Vec<&'a str> {
    ["rust", "yaml", "nginx"].iter().flat_map(|language| fenced_in(lint, language, kind)).collect()
}

fn is_marked(text: &str) -> bool {
    text.contains("//~") || text.contains("#~")
}

#[test]
fn a_page_is_titled_with_code_name_and_level() {
    for lint in ALL {
        assert!(lint.page.starts_with(&format!("# {}: {}\n", lint.code, lint.name)), "{}", lint.code);
        assert!(lint.page.contains(&format!("\nLevel: **{}**", lint.level.name())), "{}", lint.code);
    }
}

#[test]
fn a_page_has_all_its_parts() {
    for lint in ALL {
        for part in
            ["What it means", "Why it hurts", "How to fix it", "When it is silent", "Examples", "How to accept it"]
        {
            assert!(lint.page.contains(&format!("\n## {part}\n")), "{}: {part}", lint.code);
        }
    }
}

#[test]
fn bad_examples_carry_marks_and_good_ones_do_not() {
    for lint in ALL {
        let bad = fenced(lint, "bad");
        assert!(!bad.is_empty() || lint.code == "RL904", "{} has no bad example", lint.code);
        assert!(bad.iter().all(|text| text.contains(lint.code) && is_marked(text)), "{}", lint.code);
        let good = fenced(lint, "good");
        assert!(!good.is_empty(), "{} has no good example", lint.code);
        assert!(good.iter().all(|text| !is_marked(text)), "{}", lint.code);
    }
}

#[test]
fn examples_are_rust() {
    for lint in ALL.iter().filter(|l| l.code != "RL901") {
        for text in fenced_in(lint, "rust", "bad").into_iter().chain(fenced_in(lint, "rust", "good")) {
            assert!(syn::parse_file(text).is_ok(), "{}: {text}", lint.code);
        }
    }
}
