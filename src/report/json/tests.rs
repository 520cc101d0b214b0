//! The report over made-up numbers has every field of the schema.

use serde_json::{Value, json};

use crate::report::tests_data::shop;

#[test]
fn every_field_is_there() {
    let shop = shop();
    let report: Value = serde_json::from_str(&super::render(&shop.view())).expect("JSON");
    assert_eq!(report["schema_version"], 1);
    let finding = &report["findings"][0];
    assert_eq!(finding["code"], "RL301");
    assert_eq!((&finding["line"], &finding["column"]), (&json!(2), &json!(5)));
    assert_eq!(finding["related"][0], json!({"path": "b.rs", "line": 1, "column": 1, "message": "3 attempts"}));
    assert_eq!(finding["fix"], Value::Null);
    let layer = &report["layers"][0];
    assert_eq!(layer["id"], "a.rs:2:5");
    assert_eq!(layer["attempts"]["kind"], "exactly");
    assert_eq!(layer["attempts"]["from"], "literal");
    assert_eq!(layer["retries"], json!(["connect", "timeout"]));
    let row = &report["operations"][0]["dependencies"][0];
    assert_eq!(row["attempts"], json!({"kind": "exactly", "value": 9}));
    assert_eq!(row["ceiling"], json!({"kind": "unbounded"}));
    assert_eq!(row.get("replays"), Some(&Value::Null));
    assert_eq!((&row["effective"]["value"], &row["deadline_ms"]["kind"]), (&json!(9), &json!("unbounded")));
    assert_eq!(row["scenarios"][0]["time_ms"], json!({"kind": "at-most", "value": 812}));
    let site = &report["call_sites"][0];
    assert_eq!((&site["effective"]["value"], &site["deadline_ms"]["value"]), (&json!(6), &json!(500)));
    assert_eq!(row["with_one_owner"][0], json!({"layer": "a.rs:2:5", "attempts": {"kind": "exactly", "value": 3}}));
    assert_eq!(row["worst"], "refuses");
    assert_eq!(report["call_sites"][0]["dependency"], "db");
    assert_eq!(report["loops"], json!([]));
}
