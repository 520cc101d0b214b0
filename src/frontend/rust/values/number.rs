//! Arithmetic on values that may not be known, and the way from a [`Val`] to a number with its origin.

use std::rc::Rc;

use crate::frontend::rust::tree::BinaryOp;
use crate::frontend::rust::val::{Field, Object, Val};
use crate::value::{Origin, OriginKind, Value};

/// More alternatives than that say nothing more.
const MOST: usize = 32;

/// One of several: nested alternatives are flattened, equal ones kept once.
pub fn any(values: impl IntoIterator<Item = Val>) -> Val {
    let mut out: Vec<Val> = Vec::new();
    for value in values {
        let parts = match value {
            Val::Any(parts) => parts,
            one => vec![one],
        };
        for part in parts {
            if out.len() < MOST && !out.contains(&part) {
                out.push(part);
            } else if out.len() == MOST && !out.contains(&part) {
                keep_larger(&mut out, part);
            }
        }
    }
    match out.len() {
        1 => out.remove(0),
        _ => Val::Any(out),
    }
}

/// The list is full: a number larger than its smallest takes that place, so that the largest is never lost.
fn keep_larger(out: &mut [Val], part: Val) {
    let number = |v: &Val| largest(v).0.number();
    let Some(new) = number(&part) else { return };
    let smallest = out.iter_mut().filter(|v| number(v).is_some()).min_by_key(|v| number(v));
    if let Some(slot) = smallest
        && number(slot).is_some_and(|old| old < new)
    {
        *slot = part;
    }
}

/// Takes the last wrapping away, as `?` and `unwrap` do; `None` and errors among alternatives vanish.
pub fn unwrap(value: Val) -> Val {
    match value {
        Val::Wrapped(inner) => *inner,
        Val::Any(parts) => any(parts.into_iter().filter(|p| *p != Val::Nothing).map(unwrap)),
        other => other,
    }
}

/// The number a value stands for, the largest where several are possible.
pub fn largest(value: &Val) -> (Value, Origin) {
    match value {
        Val::Int(v, o) | Val::Duration(v, o) => (v.clone(), o.clone()),
        Val::Float(f) if f.is_finite() && *f >= 0.0 => (Value::Number(f.round() as u64), Origin::none()),
        Val::Wrapped(inner) => largest(inner),
        Val::Nothing => (Value::Unbounded, Origin::none()),
        Val::Param(i) => (Value::Param(*i), Origin { kind: OriginKind::Argument, ..Origin::none() }),
        Val::Env(name) => {
            let why = format!("`{name}` is read from the environment");
            (Value::unknown(&why), Origin { kind: OriginKind::Environment, ..Origin::none() })
        }
        Val::Any(parts) => largest_of(parts),
        Val::Unknown(why) => (Value::Unknown(why.clone()), Origin::none()),
        _ => (Value::unknown("not a number"), Origin::none()),
    }
}

fn largest_of(parts: &[Val]) -> (Value, Origin) {
    let all: Vec<(Value, Origin)> = parts.iter().filter(|p| **p != Val::Nothing).map(largest).collect();
    if all.iter().any(|(v, _)| *v == Value::Unbounded) {
        let from = all.into_iter().find(|(v, _)| *v == Value::Unbounded).map(|(_, o)| o);
        return (Value::Unbounded, from.unwrap_or_else(Origin::none));
    }
    let mut best: Option<(u64, Origin)> = None;
    let mut others: Vec<(Value, Origin)> = Vec::new();
    for (value, origin) in all {
        match value {
            Value::Number(n) if best.as_ref().is_none_or(|(m, _)| n > *m) => best = Some((n, origin)),
            Value::Number(_) => {}
            value if others.iter().any(|(v, _)| *v == value) => {}
            value => others.push((value, origin)),
        }
    }
    match (best, others.len()) {
        (Some((n, origin)), 0) => (Value::Number(n), origin),
        (None, 0) => (Value::unknown("nothing sets it"), Origin::none()),
        (None, 1) => others.remove(0),
        (best, _) => {
            let origin = best.as_ref().map(|(_, o)| o.clone()).unwrap_or_else(|| others[0].1.clone());
            let numbers = best.into_iter().map(|(n, _)| Value::Number(n));
            (Value::Largest(numbers.chain(others.into_iter().map(|(v, _)| v)).collect()), origin)
        }
    }
}

/// The same number, said to come from somewhere else; where it stands stays.
pub fn with_origin(value: Val, kind: OriginKind) -> Val {
    let set = |o: Origin| Origin { kind, ..o };
    match value {
        Val::Int(v, o) => Val::Int(v, set(o)),
        Val::Duration(v, o) => Val::Duration(v, set(o)),
        Val::Wrapped(inner) => Val::Wrapped(Box::new(with_origin(*inner, kind))),
        Val::Any(parts) => Val::Any(parts.into_iter().map(|p| with_origin(p, kind)).collect()),
        other => other,
    }
}

fn computed(a: &Origin, b: &Origin) -> Origin {
    Origin { kind: OriginKind::Computed, at: a.at.or(b.at), source: None }
}

/// A number as a float, for factors.
pub fn float(value: &Val) -> Option<f64> {
    match value {
        Val::Float(f) => Some(*f),
        Val::Int(Value::Number(n), _) | Val::Duration(Value::Number(n), _) => Some(*n as f64),
        Val::Wrapped(inner) => float(inner),
        Val::Any(_) => largest(value).0.number().map(|n| n as f64),
        _ => None,
    }
}

pub fn binary(op: BinaryOp, left: Val, right: Val) -> Val {
    match (left, right) {
        (Val::Any(parts), right) => any(parts.into_iter().take(8).map(|l| binary(op, l, right.clone()))),
        (left, Val::Any(parts)) => any(parts.into_iter().take(8).map(|r| binary(op, left.clone(), r))),
        (Val::Wrapped(l), right) => binary(op, *l, right),
        (left, Val::Wrapped(r)) => binary(op, left, *r),
        (Val::Param(i), r @ (Val::Int(..) | Val::Param(_))) => binary(op, parameter(i), r),
        (l @ Val::Int(..), Val::Param(i)) => binary(op, l, parameter(i)),
        (Val::Unknown(why), _) | (_, Val::Unknown(why)) => Val::Unknown(why),
        (Val::Int(l, a), Val::Int(r, b)) => Val::Int(numbers(op, l, r), computed(&a, &b)),
        (Val::Duration(l, a), Val::Int(r, b)) if matches!(op, BinaryOp::Mul | BinaryOp::Div) => {
            Val::Duration(numbers(op, l, r), computed(&a, &b))
        }
        (Val::Int(l, a), Val::Duration(r, b)) if op == BinaryOp::Mul => {
            Val::Duration(numbers(op, l, r), computed(&a, &b))
        }
        (Val::Duration(l, a), Val::Duration(r, b)) => Val::Duration(numbers(op, l, r), computed(&a, &b)),
        (l, r) => floats(op, l, r),
    }
}

fn parameter(i: u16) -> Val {
    Val::Int(Value::Param(i), Origin { kind: OriginKind::Argument, ..Origin::none() })
}

fn numbers(op: BinaryOp, left: Value, right: Value) -> Value {
    match (op, left, right) {
        (op, Value::Number(l), Value::Number(r)) => exact(op, l, r),
        (BinaryOp::Add, v, Value::Number(n)) | (BinaryOp::Add, Value::Number(n), v) => {
            v.plus(i64::try_from(n).unwrap_or(i64::MAX))
        }
        (BinaryOp::Sub, v, Value::Number(n)) => v.plus(-i64::try_from(n).unwrap_or(i64::MAX)),
        (BinaryOp::Mul, Value::Unbounded, _) | (BinaryOp::Mul, _, Value::Unbounded) => Value::Unbounded,
        (BinaryOp::Mul, v @ Value::Param(_), Value::Number(n))
        | (BinaryOp::Mul, Value::Number(n), v @ Value::Param(_)) => Value::Times(Box::new(v), n),
        (_, Value::Unknown(why), _) | (_, _, Value::Unknown(why)) => Value::Unknown(why),
        _ => Value::unknown("computed from several parameters"),
    }
}

fn exact(op: BinaryOp, l: u64, r: u64) -> Value {
    let shift = u32::try_from(r).ok().filter(|s| *s < 64);
    Value::Number(match op {
        BinaryOp::Add => l.saturating_add(r),
        BinaryOp::Sub => l.saturating_sub(r),
        BinaryOp::Mul => l.saturating_mul(r),
        BinaryOp::Div if r > 0 => l / r,
        BinaryOp::Rem if r > 0 => l % r,
        BinaryOp::BitAnd => l & r,
        BinaryOp::BitOr => l | r,
        BinaryOp::BitXor => l ^ r,
        BinaryOp::Shl => match shift {
            Some(s) if l.leading_zeros() >= s => l << s,
            _ => u64::MAX,
        },
        BinaryOp::Shr => shift.map_or(0, |s| l >> s),
        _ => return Value::unknown("not a number"),
    })
}

fn floats(op: BinaryOp, left: Val, right: Val) -> Val {
    let (Some(l), Some(r)) = (float(&left), float(&right)) else {
        return Val::unknown("computed at run time");
    };
    let out = match op {
        BinaryOp::Add => l + r,
        BinaryOp::Sub => l - r,
        BinaryOp::Mul => l * r,
        BinaryOp::Div => l / r,
        _ => return Val::unknown("computed at run time"),
    };
    match (&left, &right) {
        (Val::Duration(_, o), _) | (_, Val::Duration(_, o)) => millis(out, o.clone()),
        _ => Val::Float(out),
    }
}

/// A duration of so many milliseconds; what is not zero is at least 1.
pub fn millis(ms: f64, origin: Origin) -> Val {
    match ms {
        ms if ms.is_nan() || ms <= 0.0 => Val::Duration(Value::Number(0), origin),
        ms => Val::Duration(Value::Number((ms.round() as u64).max(1)), origin),
    }
}

/// The smaller or larger of two; where one is unknown, a smaller one is still bounded.
pub fn min(left: Val, right: Val) -> Val {
    choose(left, right, |l, r| l <= r, |a, b| Value::Smallest(vec![a, b]))
}

pub fn max(left: Val, right: Val) -> Val {
    choose(left, right, |l, r| l >= r, |a, b| Value::Largest(vec![a, b]))
}

fn choose(left: Val, right: Val, first: fn(f64, f64) -> bool, both: fn(Value, Value) -> Value) -> Val {
    if let (Some(l), Some(r)) = (float(&left), float(&right)) {
        return if first(l, r) { left } else { right };
    }
    let duration = matches!(left, Val::Duration(..)) || matches!(right, Val::Duration(..));
    let ((l, a), (r, b)) = (largest(&left), largest(&right));
    let value = if l == Value::Unbounded {
        r
    } else if r == Value::Unbounded {
        l
    } else {
        both(l, r)
    };
    match duration {
        true => Val::Duration(value, computed(&a, &b)),
        false => Val::Int(value, computed(&a, &b)),
    }
}

/// Parameters replaced by what a call hands over.
pub fn bind(value: &Val, args: &[Val]) -> Val {
    if !hangs(value) {
        return value.clone();
    }
    match value {
        Val::Param(i) => args.get(*i as usize).cloned().unwrap_or_else(|| Val::unknown("an argument that is not seen")),
        Val::Int(v, o) => {
            let (v, from) = bind_number(v, args, o);
            Val::Int(v, from)
        }
        Val::Duration(v, o) => {
            let (v, from) = bind_number(v, args, o);
            Val::Duration(v, from)
        }
        Val::Wrapped(inner) => Val::Wrapped(Box::new(bind(inner, args))),
        Val::List(parts) => Val::List(parts.iter().map(|p| bind(p, args)).collect()),
        Val::Any(parts) => any(parts.iter().map(|p| bind(p, args))),
        Val::Object(o) => {
            let bound = |f: &Field| Field { value: bind(&f.value, args), at: f.at };
            let fields = o.fields.iter().map(|(n, f)| (n.clone(), bound(f))).collect();
            Val::Object(Rc::new(Object { fields, ..(**o).clone() }))
        }
        other => other.clone(),
    }
}

/// Whether a parameter occurs in it.
pub fn hangs(value: &Val) -> bool {
    match value {
        Val::Param(_) => true,
        Val::Int(v, _) | Val::Duration(v, _) => value_hangs(v),
        Val::Wrapped(inner) => hangs(inner),
        Val::List(parts) | Val::Any(parts) => parts.iter().any(hangs),
        Val::Object(o) => o.fields.values().any(|f| hangs(&f.value)),
        _ => false,
    }
}

pub fn value_hangs(value: &Value) -> bool {
    match value {
        Value::Param(_) => true,
        Value::Largest(parts) | Value::Smallest(parts) => parts.iter().any(value_hangs),
        Value::Plus(inner, _) | Value::Times(inner, _) => value_hangs(inner),
        _ => false,
    }
}

fn bind_number(value: &Value, args: &[Val], origin: &Origin) -> (Value, Origin) {
    if !value_hangs(value) {
        return (value.clone(), origin.clone());
    }
    let mut from = origin.clone();
    let bound = substitute(value, args, &mut from);
    (bound, from)
}

fn substitute(value: &Value, args: &[Val], from: &mut Origin) -> Value {
    match value {
        Value::Param(i) => match args.get(*i as usize) {
            Some(arg) => {
                let (v, o) = largest(arg);
                *from = o;
                v
            }
            None => Value::unknown("an argument that is not seen"),
        },
        Value::Largest(parts) => {
            let bound = parts.iter().map(|p| Val::Int(substitute(p, args, from), from.clone())).collect();
            largest(&Val::Any(bound)).0
        }
        Value::Smallest(parts) => {
            let bound: Vec<Value> = parts.iter().map(|p| substitute(p, args, from)).collect();
            let numbers: Option<Vec<u64>> = bound.iter().map(Value::number).collect();
            numbers.and_then(|n| n.into_iter().min()).map_or(Value::Smallest(bound), Value::Number)
        }
        Value::Plus(inner, n) => substitute(inner, args, from).plus(*n),
        Value::Times(inner, n) => numbers(BinaryOp::Mul, substitute(inner, args, from), Value::Number(*n)),
        other => other.clone(),
    }
}
