//! Values of method calls: functions of the tree, models, and the standard library's adapters.

use super::Values;
use super::fields::number_text;
use super::number::{any, binary, float, largest, max, min, unwrap, with_origin};
use crate::effect::variable;
use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{BinaryOp, ExprId};
use crate::frontend::rust::val::Val;
use crate::name::Name;
use crate::value::{Origin, OriginKind, Value};

impl Values<'_> {
    pub(super) fn method(&self, body: BodyId, e: ExprId, receiver: ExprId, name: &Name, args: &[ExprId]) -> Val {
        match self.target(body, e) {
            Some(Target::Fns(fns, _)) => self.call_tree(fns, || {
                std::iter::once(receiver).chain(args.iter().copied()).map(|a| self.eval(body, a)).collect()
            }),
            Some(Target::Many(_)) => Val::unknown("a call with too many candidates"),
            target => {
                let on = self.eval(body, receiver);
                if let Some(Target::Foreign(path)) = target
                    && let Some(value) = self.modelled_method(body, e, path, &on, args)
                {
                    return value;
                }
                self.standard(body, on, name, args)
            }
        }
    }

    fn standard(&self, body: BodyId, on: Val, name: &str, args: &[ExprId]) -> Val {
        let arg = |i: usize| args.get(i).map_or_else(|| Val::unknown("no value"), |a| self.eval(body, *a));
        match name {
            "clone" | "cloned" | "copied" | "to_owned" | "into" | "try_into" | "as_ref" | "as_mut" | "as_str"
            | "as_deref" | "borrow" | "borrow_mut" | "deref" | "lock" | "read" | "write" | "iter" | "into_iter"
            | "iter_mut" | "to_vec" | "as_slice" | "trim" | "ok" | "ok_or" | "ok_or_else" | "map_err" | "context"
            | "with_context" | "by_ref" | "boxed" | "filter" | "into_inner" | "load" | "load_full" | "or_else" => on,
            "unwrap" | "expect" => unwrap(on),
            "get" if args.is_empty() => on,
            "unwrap_or" => self.or(on, arg(0)),
            "unwrap_or_else" | "get_or_init" | "get_or_insert_with" => self.or(on, self.run(arg(0))),
            "or" => any([on, arg(0)]),
            "unwrap_or_default" => self.or(on, Val::unknown("a default of its type")),
            "parse" => parsed(on),
            "to_string" => match on {
                Val::Int(Value::Number(n), _) => Val::Text(Name::from(n.to_string())),
                other => other,
            },
            "map" | "and_then" => self.mapped(on, name, arg(0)),
            "map_or" => self.or(self.mapped(on, "and_then", arg(1)), arg(0)),
            "first" | "last" | "get" => element(on, &arg(0)),
            "len" => match on {
                Val::List(items) => Val::Int(Value::Number(items.len() as u64), computed()),
                _ => Val::unknown("a length"),
            },
            _ => arithmetic(on, name, arg),
        }
    }

    /// A value or what stands in for it; from the environment, what stands in is what counts.
    fn or(&self, on: Val, other: Val) -> Val {
        match on {
            Val::Env(name) => match unwrap(other) {
                // Of a text both matter: what runs may set the variable.
                Val::Text(default) => Val::Text(Name::from(variable::or_default(&name, &default))),
                Val::Env(other) => Val::Text(Name::from(variable::or_default(&name, &variable::variable(&other)))),
                other => with_origin(other, OriginKind::Environment),
            },
            Val::Wrapped(inner) => *inner,
            Val::Nothing => unwrap(other),
            Val::Unknown(_) => {
                // What comes from outside replaces it; both are possible.
                any([on, other])
            }
            Val::Any(parts) => any(parts.into_iter().map(|p| self.or(p, other.clone()))),
            known => any([known, other]),
        }
    }

    /// What a closure or function without interesting parameters gives.
    fn run(&self, callee: Val) -> Val {
        match callee {
            Val::Closure(home, closure) => self.closure_result(home, closure),
            Val::Function(f) => self.result_of(f),
            _ => Val::unknown("a function that is not seen"),
        }
    }

    fn mapped(&self, on: Val, name: &str, callee: Val) -> Val {
        let result = match (&on, &callee) {
            (Val::Nothing, _) => return on,
            (_, Val::Closure(home, closure)) => self.closure_result(*home, *closure),
            (_, Val::Function(f)) => super::bind(&self.result_of(*f), &[unwrap(on.clone())]),
            _ => return on,
        };
        match (on, result) {
            // Text of the environment that was parsed in between is still the environment's.
            (Val::Env(name), Val::Unknown(_) | Val::Nothing | Val::Env(_)) => Val::Env(name),
            (_, result) if name == "map" => Val::Wrapped(Box::new(result)),
            (_, result) => result,
        }
    }
}

fn computed() -> Origin {
    Origin { kind: OriginKind::Computed, ..Origin::none() }
}

fn parsed(on: Val) -> Val {
    match on {
        Val::Text(text) => match (number_text(&variable::defaults(&text)), variable::first(&text)) {
            (Some(n), Some(_)) => Val::Wrapped(Box::new(with_origin(n, OriginKind::Environment))),
            (Some(n), None) => Val::Wrapped(Box::new(n)),
            // An address stays what it is.
            (None, _) => Val::Wrapped(Box::new(Val::Text(text))),
        },
        Val::Any(parts) => any(parts.into_iter().map(parsed)),
        other => other,
    }
}

fn element(on: Val, index: &Val) -> Val {
    let at = largest(index).0.number();
    match on {
        Val::List(items) => Val::Wrapped(Box::new(match at {
            Some(i) if (i as usize) < items.len() => items[i as usize].clone(),
            _ => any(items),
        })),
        _ => Val::unknown("an element of a list"),
    }
}

fn arithmetic(on: Val, name: &str, arg: impl Fn(usize) -> Val) -> Val {
    let wrapped = |v: Val| Val::Wrapped(Box::new(v));
    let plain = ["saturating_", "wrapping_", "strict_"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name);
    if let Some(checked) = name.strip_prefix("checked_") {
        return wrapped(arithmetic(on, checked, arg));
    }
    match plain {
        "add" => binary(BinaryOp::Add, on, arg(0)),
        "sub" | "saturating_duration_since" => binary(BinaryOp::Sub, on, arg(0)),
        "mul" | "mul_f64" | "mul_f32" => binary(BinaryOp::Mul, on, arg(0)),
        "div" | "div_f64" | "div_f32" => binary(BinaryOp::Div, on, arg(0)),
        "shl" => binary(BinaryOp::Shl, on, arg(0)),
        "pow" | "powi" | "powf" => power(on, &arg(0)),
        "min" => min(on, arg(0)),
        "max" => max(on, arg(0)),
        "clamp" => min(max(on, arg(0)), arg(1)),
        "as_millis" | "as_secs" | "as_secs_f64" | "as_secs_f32" | "as_micros" | "as_nanos" => in_unit(on, plain),
        "abs" | "round" | "ceil" | "floor" | "trunc" => on,
        _ => Val::unknown(&format!("made by `{name}`")),
    }
}

fn power(on: Val, exponent: &Val) -> Val {
    match (&on, largest(exponent).0.number()) {
        (Val::Float(f), Some(n)) => Val::Float(f.powi(n.min(1_000) as i32)),
        (_, Some(n)) => match float(&on) {
            Some(base) if base >= 0.0 => {
                let exact = (base as u64).checked_pow(n.min(u64::from(u32::MAX)) as u32).unwrap_or(u64::MAX);
                Val::Int(Value::Number(exact), computed())
            }
            _ => Val::unknown("computed at run time"),
        },
        _ => match (&on, exponent) {
            (Val::Unknown(why), _) | (_, Val::Unknown(why)) => Val::Unknown(why.clone()),
            _ => Val::unknown("computed at run time"),
        },
    }
}

fn in_unit(on: Val, name: &str) -> Val {
    let Val::Duration(value, origin) = on else {
        return Val::unknown("a duration that is not known");
    };
    match (name, value) {
        ("as_millis", value) => Val::Int(value, origin),
        ("as_secs", Value::Number(ms)) => Val::Int(Value::Number(ms / 1_000), origin),
        ("as_secs_f64" | "as_secs_f32", Value::Number(ms)) => Val::Float(ms as f64 / 1_000.0),
        ("as_micros", Value::Number(ms)) => Val::Int(Value::Number(ms.saturating_mul(1_000)), origin),
        ("as_nanos", Value::Number(ms)) => Val::Int(Value::Number(ms.saturating_mul(1_000_000)), origin),
        (_, Value::Unknown(why)) => Val::Unknown(why),
        _ => Val::unknown("a duration in another unit"),
    }
}
