//! Made-up reports, each with the one difference at hand.

use serde_json::{Value, json};

use super::saved::Saved;
use super::{Diff, compare};

fn finding(fingerprint: &str, line: u32, message: &str) -> Value {
    json!({"code": "RL301", "name": "retry-amplification", "level": "error", "message": message, "path": "a.rs",
        "line": line, "related": [], "help": "", "fingerprint": fingerprint, "suppressed": null})
}

fn exactly(n: u64) -> Value {
    json!({"kind": "exactly", "value": n})
}

fn layer(function: &str, line: u32, attempts: u64) -> Value {
    json!({"id": format!("a.rs:{line}:5"), "path": "a.rs", "line": line, "kind": "loop", "function": function,
        "attempts": exactly(attempts)})
}

fn report(findings: &[Value], layers: &[Value], attempts: u64, path: &[&str]) -> Saved {
    let dependency =
        json!({"name": "db", "calls": exactly(1), "attempts": exactly(attempts), "worst": "refuses", "layers": path});
    let operation =
        json!({"name": "POST /checkout", "service": "a", "path": "a.rs", "line": 1, "dependencies": [dependency]});
    let text =
        json!({"schema_version": 1, "findings": findings, "layers": layers, "operations": [operation]}).to_string();
    Saved::parse(&text).expect("a report")
}

fn counts(diff: &Diff<'_>) -> [usize; 5] {
    [diff.new.len(), diff.fixed.len(), diff.moved.len(), diff.changed.len(), diff.accepted.len()]
}

fn of(before: &[Value], after: &[Value]) -> [usize; 5] {
    let (base, head) = (report(before, &[], 1, &[]), report(after, &[], 1, &[]));
    counts(&compare(&base, &head))
}

#[test]
fn findings_by_fingerprint() {
    let (a, b) = (finding("a", 3, "9 times"), finding("b", 4, "9 times"));
    let mut accepted = a.clone();
    accepted["suppressed"] = json!({"reason": "so"});
    assert_eq!(of(std::slice::from_ref(&a), &[a.clone(), b.clone()]), [1, 0, 0, 0, 0]);
    assert_eq!(of(&[a.clone(), b], std::slice::from_ref(&a)), [0, 1, 0, 0, 0]);
    assert_eq!(of(std::slice::from_ref(&a), &[finding("a", 7, "9 times")]), [0, 0, 1, 0, 0]);
    assert_eq!(of(std::slice::from_ref(&a), &[finding("a", 3, "27 times")]), [0, 0, 0, 1, 0]);
    assert_eq!(of(std::slice::from_ref(&a), std::slice::from_ref(&accepted)), [0, 0, 0, 0, 1]);
    assert_eq!(of(std::slice::from_ref(&accepted), std::slice::from_ref(&accepted)), [0; 5]);
    assert_eq!(of(std::slice::from_ref(&accepted), std::slice::from_ref(&a)), [1, 0, 0, 0, 0]);
    assert_eq!(of(std::slice::from_ref(&a), &[a.clone(), a.clone()]), [1, 0, 0, 0, 0], "equal ones are counted");
}

#[test]
fn an_added_loop_is_named() {
    let (outer, inner) = (layer("a::pay", 3, 9), layer("a::save", 9, 3));
    let base = report(&[], &[outer], 9, &["a.rs:3:5"]);
    let head = report(&[], &[layer("a::pay", 5, 9), inner], 27, &["a.rs:5:5", "a.rs:9:5"]);
    let diff = compare(&base, &head);
    let change = &diff.operations[0];
    assert_eq!(
        (change.before.map(|b| b.words()), change.after.map(|b| b.words())),
        (Some("9".into()), Some("27".into()))
    );
    assert_eq!(change.because, ["the loop in `a::save` (a.rs:9) with 3 attempts was added"]);
    assert!(change.is_worse());
    let back = compare(&head, &base);
    assert_eq!(back.operations[0].because, ["the loop in `a::save` (a.rs:9) with 3 attempts was removed"]);
    assert!(!back.operations[0].is_worse());
}

#[test]
fn another_number_and_another_path() {
    let base = report(&[], &[layer("a::pay", 3, 3), layer("a::save", 9, 3)], 3, &["a.rs:3:5"]);
    let more = report(&[], &[layer("a::pay", 3, 9), layer("a::save", 9, 3)], 9, &["a.rs:3:5"]);
    assert_eq!(
        compare(&base, &more).operations[0].because,
        ["the loop in `a::pay` (a.rs:3) went from 3 to 9 attempts"]
    );
    let longer = report(&[], &[layer("a::pay", 3, 3), layer("a::save", 9, 3)], 9, &["a.rs:3:5", "a.rs:9:5"]);
    let because = &compare(&base, &longer).operations[0].because;
    assert_eq!(because, &["its path leads through the loop in `a::save` (a.rs:9) with 3 attempts now"]);
}

#[test]
fn other_schemas_are_refused() {
    assert!(Saved::parse("{}").is_err_and(|e| e.contains("--format json")));
    let other = "{\"schema_version\": 7, \"findings\": [], \"layers\": [], \"operations\": []}";
    assert!(Saved::parse(other).is_err_and(|e| e.contains("schema version 7")));
}
