//! JSON that nobody writes: reading ends, and what is found stands inside the file.

use proptest::prelude::*;

use super::Grpc;
use crate::fact::Facts;
use crate::frontend::{FrontEnd, World};
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

fn facts_of(text: String) -> Facts {
    let (sources, settings) = (Sources::new(vec![SourceFile::new("c.json", text)]), Settings::default());
    let mut facts = Facts::default();
    Grpc.extract(&World { sources: &sources, settings: &settings }, &mut facts);
    facts
}

const WORDS: &str = r#"{ } [ ] , : "methodConfig" "name" "service" "a.B" "method" "timeout" "1s" "retryPolicy" "hedgingPolicy"
    "maxAttempts" 4 -1 1e400 99999999999999999999 "initialBackoff" "0.1s" "maxBackoff" "backoffMultiplier" null true
    "retryableStatusCodes" "UNAVAILABLE" 14 "retryThrottling" "maxTokens" "tokenRatio" 0.1 "" \ "é"#;

proptest! {
    #[test]
    fn every_text_is_read_to_an_end(words in prop::collection::vec(prop::sample::select(WORDS.split_whitespace().collect::<Vec<_>>()), 0..200)) {
        let text = format!("{{\"methodConfig\": [{{\"name\": [{{}}], {}", words.join(" "));
        let length = text.len() as u32;
        let facts = facts_of(text);
        prop_assert!(facts.remarks.iter().all(|r| r.at.start <= r.at.end && r.at.end <= length));
    }

    #[test]
    fn every_value_is_taken(value in prop::sample::select(vec!["null", "[]", "{}", "-1", "1e400", "\"\"", "\"x\"", "[[[]]]", "18446744073709551616"])) {
        let policy = format!(r#"{{"maxAttempts":{value},"initialBackoff":{value},"maxBackoff":{value},"backoffMultiplier":{value},"retryableStatusCodes":{value}}}"#);
        let text = format!(r#"{{"methodConfig":[{{"name":[{value},{{"service":{value}}}],"timeout":{value},"retryPolicy":{policy},"hedgingPolicy":{value}}}],"retryThrottling":{{"maxTokens":{value},"tokenRatio":{value}}}}}"#);
        facts_of(text);
    }
}

#[test]
fn deep_and_large_texts_end() {
    let deep = format!("{{\"methodConfig\": [{{\"name\": {}", "[".repeat(100_000));
    assert!(facts_of(deep).operations.is_empty());
    let names: Vec<String> = (0..20_000).map(|i| format!("{{\"service\":\"a.S{i}\"}}")).collect();
    let policy = r#"{"maxAttempts":4,"initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}"#;
    let text = format!("{{\"methodConfig\":[{{\"name\":[{}],\"retryPolicy\":{policy}}}]}}", names.join(","));
    let found = facts_of(text).operations.len();
    assert!((100..=20_000).contains(&found));
}
