//! How often the head of a `for` gives an item.

use super::atoms::Look;
use crate::frontend::rust::program::Target;
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind};
use crate::frontend::rust::val::{Object, Val};
use crate::frontend::rust::values::{binary, largest};
use crate::model::Means;
use crate::value::{Origin, OriginKind, Value};

/// What an iterator gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Items {
    /// So many numbers or delays.
    Turns(Value, Origin),
    /// So many things to work on.
    Data(Value, Origin),
    /// It ends at a number nobody knows; whether what it gives is data.
    Ends {
        data: bool,
    },
    Endless,
}

/// One iterator after the other.
fn chained(first: Items, second: Option<Items>) -> Items {
    match (first, second) {
        (Items::Endless, _) | (_, Some(Items::Endless)) => Items::Endless,
        (Items::Turns(a, o), Some(Items::Turns(b, p))) => {
            let (sum, origin) = largest(&binary(BinaryOp::Add, Val::Int(a, o), Val::Int(b, p)));
            Items::Turns(sum, origin)
        }
        (Items::Data(..) | Items::Ends { data: true }, _) => Items::Ends { data: true },
        _ => Items::Ends { data: false },
    }
}

impl Look<'_, '_> {
    pub fn items(&self, e: ExprId) -> Items {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.items_of(e))
    }

    fn items_of(&self, e: ExprId) -> Items {
        let eval = |e| self.values.eval(self.body, e);
        match self.kind(e) {
            ExprKind::Range { end: None, .. } => Items::Endless,
            ExprKind::Range { start, end: Some(end), inclusive } => {
                let (last, origin) = largest(&eval(*end));
                let first = start.map_or(Some(0), |s| self.number(s));
                let count = match first {
                    Some(first) => last.plus(i64::from(*inclusive) - first),
                    None => Value::unknown("it starts at a number that is not known"),
                };
                Items::Turns(count, origin)
            }
            ExprKind::Ref(inner) => self.items(*inner),
            ExprKind::Method { receiver, name, args, .. } => self.adapted(e, *receiver, name, args),
            ExprKind::Call { args, .. } => self.made(e, args),
            _ => self.of_value(&eval(e)),
        }
    }

    fn adapted(&self, e: ExprId, receiver: ExprId, name: &str, args: &[ExprId]) -> Items {
        let n = || args.first().map_or_else(|| Val::unknown("no value"), |a| self.values.eval(self.body, *a));
        match name {
            "rev" | "enumerate" | "iter" | "iter_mut" | "into_iter" | "cloned" | "copied" | "map" | "by_ref"
            | "inspect" | "with_position" | "peekable" | "drain" | "keys" | "values" => self.items(receiver),
            "filter" | "filter_map" | "take_while" | "skip_while" => match self.items(receiver) {
                Items::Data(..) => Items::Ends { data: true },
                Items::Endless if !name.starts_with("take") => Items::Endless,
                _ => Items::Ends { data: false },
            },
            "cycle" => Items::Endless,
            "take" => self.taken(receiver, &n()),
            "skip" => self.changed(receiver, |v, o| binary(BinaryOp::Sub, Val::Int(v, o), n())),
            "step_by" => self.changed(receiver, |v, o| match (v, largest(&n()).0) {
                (Value::Number(v), Value::Number(by)) if by > 0 => Val::Int(Value::Number(v.div_ceil(by)), o),
                _ => Val::unknown("it counts in steps"),
            }),
            "chain" => chained(self.items(receiver), args.first().map(|a| self.items(*a))),
            "zip" => match (self.items(receiver), args.first().map(|a| self.items(*a))) {
                (Items::Endless, Some(other)) => other,
                (one, _) => one,
            },
            _ => self.of_value(&self.values.eval(self.body, e)),
        }
    }

    /// The first `n` of what the receiver gives.
    fn taken(&self, receiver: ExprId, n: &Val) -> Items {
        let (limit, origin) = largest(n);
        match self.items(receiver) {
            Items::Turns(Value::Number(have), from) => match limit {
                Value::Number(most) if most < have => Items::Turns(Value::Number(most), origin),
                _ => Items::Turns(Value::Number(have), from),
            },
            Items::Data(..) | Items::Ends { data: true } => Items::Data(limit, origin),
            _ => Items::Turns(limit, origin),
        }
    }

    fn changed(&self, receiver: ExprId, change: impl Fn(Value, Origin) -> Val) -> Items {
        match self.items(receiver) {
            Items::Turns(v, o) => {
                let (v, o) = largest(&change(v, o));
                Items::Turns(v, o)
            }
            Items::Data(v, o) => {
                let (v, o) = largest(&change(v, o));
                Items::Data(v, o)
            }
            other => other,
        }
    }

    fn made(&self, e: ExprId, args: &[ExprId]) -> Items {
        let path = match self.values.target(self.body, e) {
            Some(Target::Foreign(path)) => path.as_str(),
            _ => "",
        };
        let ends = |what: &[&str]| what.iter().any(|w| path.ends_with(w));
        match args.first() {
            Some(_) if ends(&["iter::once"]) => Items::Turns(Value::Number(1), Origin::none()),
            _ if ends(&["iter::repeat", "iter::repeat_with"]) => Items::Endless,
            _ if ends(&["iter::empty"]) => Items::Turns(Value::Number(0), Origin::none()),
            _ => self.of_value(&self.values.eval(self.body, e)),
        }
    }

    pub fn of_value(&self, value: &Val) -> Items {
        match value {
            Val::List(items) => {
                let origin = Origin { kind: OriginKind::Constant, ..Origin::none() };
                let n = Value::Number(items.len() as u64);
                let delays = items.iter().all(|i| matches!(i, Val::Int(..) | Val::Duration(..) | Val::Float(_)));
                if delays { Items::Turns(n, origin) } else { Items::Data(n, origin) }
            }
            Val::Object(o) => self.of_policy(o),
            _ => Items::Ends { data: true },
        }
    }

    /// A strategy that is an iterator gives one delay per retry, or an item per attempt if its model says so.
    fn of_policy(&self, o: &Object) -> Items {
        let Some(model) = self.values.models.type_model(&o.what) else {
            return Items::Ends { data: true };
        };
        let less = match model.fields.get("attempts").and_then(|f| f.means) {
            Some(Means::Attempts) if !model.item_per_attempt => -1,
            _ => 0,
        };
        let endless = model.retries.as_ref().is_some_and(|r| r.unbounded);
        match o.fields.get("attempts") {
            Some(field) => match largest(&field.value) {
                (Value::Unbounded, _) => Items::Endless,
                (count, origin) => Items::Turns(count.plus(less), origin),
            },
            None if endless => Items::Endless,
            None => Items::Ends { data: false },
        }
    }
}
