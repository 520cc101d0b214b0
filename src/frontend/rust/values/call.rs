//! Values of calls: constructors, functions of the tree, the standard library's constructors, modelled functions.

use std::rc::Rc;

use super::Values;
use super::number::{any, binary, bind, largest, max, millis, min, unwrap};
use crate::frontend::rust::program::{BodyId, FnId, Target, Ty};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind};
use crate::frontend::rust::val::{Field, Object, Val};
use crate::name::{Name, last_segment};
use crate::value::{Origin, OriginKind, Value};

impl Values<'_> {
    pub(super) fn call(&self, body: BodyId, e: ExprId, callee: ExprId, args: &[ExprId]) -> Val {
        match self.target(body, e) {
            Some(Target::Constructor(path)) => {
                self.modelled_variant(body, e, path, args).unwrap_or_else(|| self.constructed(body, e, path, args))
            }
            Some(Target::Fns(fns, _)) => self.call_tree(fns, || args.iter().map(|a| self.eval(body, *a)).collect()),
            Some(Target::Foreign(path)) => self.call_foreign(body, e, path, args),
            Some(Target::Many(_)) => Val::unknown("a call with too many candidates"),
            Some(Target::Callable) => self.call_value(&self.eval(body, callee), body, args),
            Some(Target::Unknown(_)) | None => self.call_written(body, e, callee, args),
        }
    }

    /// Inference did not say where it leads; the path as written may still be one of the few that matter.
    fn call_written(&self, body: BodyId, e: ExprId, callee: ExprId, args: &[ExprId]) -> Val {
        let ExprKind::Path(path) = &self.tree(body).expr(callee).kind else {
            return Val::unknown("a call that leads nowhere known");
        };
        let written = path.segments.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("::");
        match written.as_str() {
            "Some" | "Ok" | "Err" => self.constructed(body, e, &Name::from(written), args),
            _ => self.call_foreign(body, e, &Name::from(written), args),
        }
    }

    fn constructed(&self, body: BodyId, e: ExprId, path: &Name, args: &[ExprId]) -> Val {
        match last_segment(path) {
            "Some" | "Ok" => {
                let inner = args.first().map_or_else(|| Val::unknown("no value"), |a| self.eval(body, *a));
                Val::Wrapped(Box::new(inner))
            }
            "Err" => Val::Nothing,
            _ => {
                let field = |(i, a): (usize, &ExprId)| {
                    let field = Field { value: self.eval(body, *a), at: Some(self.span(body, *a)) };
                    (Name::from(i.to_string()), field)
                };
                let fields = args.iter().enumerate().map(field).collect();
                let built_at = Some(self.span(body, e));
                Val::Object(Rc::new(Object { what: path.clone(), fields, built_at, built_in: Some(body) }))
            }
        }
    }

    /// The result with every parameter bound; several candidates give several values.
    pub(super) fn call_tree(&self, fns: &[FnId], args: impl Fn() -> Vec<Val>) -> Val {
        let args = args();
        any(fns.iter().take(10).map(|f| bind(&self.result_of(*f), &args)))
    }

    /// Calls a closure or a function that is a value.
    pub(super) fn call_value(&self, callee: &Val, body: BodyId, args: &[ExprId]) -> Val {
        match callee {
            Val::Function(f) => self.call_tree(&[*f], || args.iter().map(|a| self.eval(body, *a)).collect()),
            Val::Closure(home, closure) => self.closure_result(*home, *closure),
            Val::Any(parts) => any(parts.iter().take(8).map(|p| self.call_value(p, body, args))),
            _ => Val::unknown("a call of something that is not known"),
        }
    }

    pub(super) fn closure_result(&self, home: BodyId, closure: ExprId) -> Val {
        match &self.tree(home).expr(closure).kind {
            ExprKind::Closure { body: inner, .. } => self.eval(home, *inner),
            _ => Val::unknown("a closure"),
        }
    }

    fn call_foreign(&self, body: BodyId, e: ExprId, path: &Name, args: &[ExprId]) -> Val {
        if let Some(value) = self.modelled_call(body, e, path, args) {
            return value;
        }
        let arg = |i: usize| args.get(i).map_or_else(|| Val::unknown("no value"), |a| self.eval(body, *a));
        let mut names = path.rsplit("::");
        let (last, owner) = (names.next().unwrap_or(""), names.next().unwrap_or(""));
        if owner == "Duration" {
            return duration(last, &arg(0), &|| arg(1), Origin::literal(self.span(body, e)));
        }
        match (owner, last) {
            ("Some", _) | (_, "Some" | "Ok") => Val::Wrapped(Box::new(arg(0))),
            (owner, last) if hands_on(owner, last) => arg(0),
            ("SocketAddr" | "SocketAddrV4" | "SocketAddrV6", "new") => Val::List(vec![arg(0), arg(1)]),
            ("Lazy" | "LazyLock" | "LazyCell" | "AsyncLazy", "new") => match arg(0) {
                Val::Closure(home, closure) => self.closure_result(home, closure),
                Val::Function(f) => self.result_of(f),
                other => other,
            },
            ("env", "var" | "var_os") => match arg(0) {
                Val::Text(name) => self.environment(name),
                _ => Val::unknown("read from the environment"),
            },
            (owner, "new") if owner.starts_with("NonZero") => Val::Wrapped(Box::new(arg(0))),
            ("cmp", "min") => min(arg(0), arg(1)),
            ("cmp", "max") => max(arg(0), arg(1)),
            (_, "default") => self.default_of_call(body, e),
            ("u32" | "u64" | "usize" | "i32" | "i64", "max_value") => {
                Val::Int(Value::Unbounded, Origin::literal(self.span(body, e)))
            }
            _ => Val::unknown(&format!("made by `{path}`")),
        }
    }

    fn environment(&self, name: Name) -> Val {
        match self.stated(&name) {
            Some(n) => {
                let origin = Origin { kind: OriginKind::Stated, ..Origin::none() };
                Val::Wrapped(Box::new(Val::Int(Value::Number(n), origin)))
            }
            None => Val::Env(name),
        }
    }

    fn default_of_call(&self, body: BodyId, e: ExprId) -> Val {
        match self.type_of(body, e) {
            Some(Ty::Adt(adt, _)) => self.default_object(*adt),
            Some(Ty::Foreign(name, _)) => {
                let short = last_segment(name);
                super::fields::default_of_name(short).unwrap_or_else(|| self.modelled_default(body, e, name))
            }
            _ => Val::unknown("a default of an unknown type"),
        }
    }
}

/// `Duration::from_secs(3)` and its siblings.
fn duration(name: &str, value: &Val, nanos: &dyn Fn() -> Val, origin: Origin) -> Val {
    let number = |n: u64| Val::Int(Value::Number(n), origin.clone());
    let (times, per) = match name {
        "from_millis" => (1, 1),
        "from_secs" | "from_secs_f64" | "from_secs_f32" => (1_000, 1),
        "from_mins" => (60_000, 1),
        "from_hours" => (3_600_000, 1),
        "from_micros" => (1, 1_000),
        "from_nanos" => (1, 1_000_000),
        "new" => {
            let secs = duration("from_secs", value, nanos, origin.clone());
            let rest = duration("from_nanos", &nanos(), nanos, origin);
            return binary(BinaryOp::Add, secs, rest);
        }
        _ => return Val::unknown("a duration that is not known"),
    };
    match value {
        Val::Any(parts) => any(parts.iter().map(|p| duration(name, p, nanos, origin.clone()))),
        Val::Wrapped(_) => duration(name, &unwrap(value.clone()), nanos, origin),
        Val::Unknown(why) => Val::Unknown(why.clone()),
        Val::Float(f) => millis(f * times as f64 / per as f64, origin),
        Val::Int(Value::Number(n), o) => {
            let ms = (u128::from(*n) * times).div_ceil(per);
            Val::Duration(Value::Number(u64::try_from(ms).unwrap_or(u64::MAX)), o.clone())
        }
        _ => {
            let scaled =
                if times > 1 { binary(BinaryOp::Mul, value.clone(), number(times as u64)) } else { value.clone() };
            let (v, o) = largest(&scaled);
            if per > 1 && !matches!(v, Value::Unbounded) {
                return Val::unknown("a duration in parts of a millisecond");
            }
            Val::Duration(v, o)
        }
    }
}

/// Whether what a function of the standard library makes is, as far as its value goes, what it was given.
fn hands_on(owner: &str, last: &str) -> bool {
    matches!(
        (owner, last),
        ("Arc" | "Rc" | "Box" | "Mutex" | "RwLock" | "Cow" | "Cell" | "RefCell" | "Pin", "new" | "pin" | "from")
            | ("Arc" | "Rc" | "Clone", "clone")
            | ("String" | "u64" | "usize" | "u32" | "f64" | "Vec" | "PathBuf", "from")
            | ("OnceCell" | "OnceLock" | "SocketAddr" | "SocketAddrV4" | "SocketAddrV6" | "From", "from")
            | ("Into", "into")
            | ("mem", "take")
    )
}
