//! Formulas in the compact form that the page's algebra reads: each step an array that begins with its kind.

use serde_json::{Value, json};

use crate::analysis::formula::{Flow, Formula, Formulas, Layered, Step};
use crate::class::Endings;
use crate::effect::{Until, Wins};
use crate::value::Tries;

/// What the page needs of one operation.
pub fn formula(formula: &Formula) -> Value {
    let scenarios: Vec<Value> = formula.scenarios.iter().map(|s| json!([s.name(), s.ending().index()])).collect();
    json!({ "root": formula.root, "scenarios": scenarios, "failing": formula.failing })
}

/// Every step.
pub fn steps(formulas: &Formulas) -> Vec<Value> {
    formulas.steps.iter().map(step).collect()
}

fn step(step: &Step) -> Value {
    match step {
        Step::Ends(ends) => {
            let flat: Vec<u32> = ends.iter().flat_map(|(flow, ending)| [number(*flow), ending.index()]).collect();
            json!([0, flat])
        }
        Step::Caught(level) => json!([1, level]),
        Step::Seq(parts) => json!([2, parts]),
        Step::Branch(parts) => json!([3, parts]),
        Step::Join(parts, until) => json!([4, parts, u8::from(*until == Until::All)]),
        Step::Race(parts, wins) => json!([5, parts, u8::from(*wins == Wins::FirstOk)]),
        Step::Remote { dep, connect_only, behind } => {
            let behind = behind.map_or(json!(-1), |b| json!(b));
            json!([6, dep, u8::from(*connect_only), behind])
        }
        Step::Map(rules, body) => {
            let flat: Vec<u32> = rules.iter().flat_map(|(from, to)| [from.bits(), to.bits()]).collect();
            json!([7, flat, body])
        }
        Step::Recover { body, on, arms } => {
            json!([8, body, on.iter().map(|set: &Endings| set.bits()).collect::<Vec<_>>(), arms])
        }
        Step::Repeat { turns, body } => json!([9, layered(turns), body]),
        Step::Failover { turns, bodies } => json!([10, layered(turns), bodies]),
        Step::HangEnds(body) => json!([11, body]),
        Step::Spawn(body) => json!([12, body]),
        Step::Leave(exit, body) => json!([13, number(Flow::from(*exit)), body]),
        Step::Scope(body) => json!([14, body]),
        Step::Frame(body) => json!([15, body]),
    }
}

fn layered(turns: &Layered) -> Value {
    let flag = |set: bool, bit: u32| if set { 1 << bit } else { 0 };
    let flags = flag(turns.jumps, 0) | flag(turns.exhausts, 1) | flag(turns.multiplies, 2) | flag(turns.fixed, 3);
    json!([turns.layer, turns.id.0, end(turns.n.low), end(turns.n.high), turns.again.bits(), flags])
}

/// No limit is -1.
fn end(n: u64) -> Value {
    if n == Tries::INFINITE { json!(-1) } else { json!(n) }
}

/// Where control goes on, as a number.
fn number(flow: Flow) -> u32 {
    match flow {
        Flow::Normal => 0,
        Flow::Return => 1,
        Flow::Break(id) => 2 + 2 * id.0,
        Flow::Again(id) => 3 + 2 * id.0,
    }
}
