//! What a body mentions of the parameters of its place: which it looks at, and which it calls.

use rustc_hash::FxHashSet;

use crate::effect::{Arg, Call, Callee, Effect, Stop};
use crate::graph::calls::walk;
use crate::value::Value;

/// The first parameter that an effect calls, if it calls one.
pub fn called_param(effect: &Effect) -> Option<u16> {
    let mut found = None;
    walk(effect, &mut |effect| match effect {
        Effect::Call(Call { callee: Callee::Param(i), .. }) => found = found.or(Some(*i)),
        Effect::Call(call) => {
            let handed_on = call.args.iter().find_map(|arg| match arg {
                Arg::Param(i) => Some(*i),
                _ => None,
            });
            found = found.or(handed_on);
        }
        _ => {}
    });
    found
}

/// Every parameter that a body mentions.
pub fn used(body: &Effect) -> FxHashSet<u16> {
    let mut found = FxHashSet::default();
    walk(body, &mut |effect| match effect {
        Effect::Call(call) => {
            if let Callee::Param(i) = &call.callee {
                found.insert(*i);
            }
            for arg in &call.args {
                match arg {
                    Arg::Param(i) => drop(found.insert(*i)),
                    Arg::Value(value, _) => params(value, &mut found),
                    _ => {}
                }
            }
        }
        Effect::Remote(remote) => found.extend(remote.target.param),
        Effect::Repeat(repeat) => {
            for stop in &repeat.stops {
                if let Stop::Count(value, _) | Stop::Elapsed(value, _) = stop {
                    params(value, &mut found);
                }
            }
        }
        Effect::Within(deadline, _) => params(&deadline.limit, &mut found),
        _ => {}
    });
    found
}

fn params(value: &Value, found: &mut FxHashSet<u16>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Param(i) => drop(found.insert(*i)),
            Value::Largest(parts) | Value::Smallest(parts) => open.extend(parts),
            Value::Plus(inner, _) | Value::Times(inner, _) => open.push(inner),
            Value::Number(_) | Value::Unbounded | Value::Unknown(_) => {}
        }
    }
}
