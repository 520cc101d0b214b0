//! Calls into code that is not here: std by its table, libraries by their models, everything else stays foreign.

use super::super::names::types::{Sig, last_of, unify};
use super::super::program::{Target, Ty};
use super::super::tree::{ExprId, ExprKind, TypeId};
use super::methods::keeps;
use super::{Subst, Walk, is_open, merge, std_table, text};
use crate::model::{ArgRef, Does, FnModel};
use crate::name::{Name, split_last};

impl Walk<'_> {
    /// A call of a foreign path: `Ok(x)`, `reqwest::Client::new()`.
    pub(super) fn foreign_function(
        &mut self,
        id: ExprId,
        path: &Name,
        base: Option<Ty>,
        turbofish: &[TypeId],
        args: &[ExprId],
        want: &Ty,
    ) -> Ty {
        if matches!(path.as_str(), "Ok" | "Err" | "Some") {
            self.target(id, Target::Constructor(path.clone()));
            return self.wrap(path, args, want);
        }
        let last = last_of(path);
        if last.starts_with(|c: char| c.is_uppercase()) {
            self.target(id, Target::Constructor(path.clone()));
        } else {
            self.target(id, Target::Foreign(path.clone()));
        }
        if let Some(sig) = std_table::table().function(path) {
            return self.std_call(sig, path, args, want);
        }
        let given = self.foreign_args(path, args);
        if let Some(ty) = by_habit(last, base.as_ref(), want) {
            return ty;
        }
        let found = self.foreign_result(path, base.as_ref(), &given);
        self.with_turbofish(found, turbofish, want)
    }

    /// A result the models do not tell may still be written beside the call: `from_str::<Order>(..)`.
    fn with_turbofish(&self, found: Ty, turbofish: &[TypeId], want: &Ty) -> Ty {
        match (&found, turbofish) {
            (Ty::ForeignValue(_), [only]) => {
                let ty = self.written(*only);
                let open = is_open(&ty) || matches!(ty, Ty::Bound(_));
                if open { found } else { Ty::Foreign("Result".into(), vec![ty, found]) }
            }
            _ => merge(&found, want),
        }
    }

    fn wrap(&mut self, path: &str, args: &[ExprId], want: &Ty) -> Ty {
        let known = match want {
            Ty::Foreign(head, known) if matches!(head.as_str(), "Result" | "Option") => known.clone(),
            _ => Vec::new(),
        };
        let at = usize::from(path == "Err");
        let wanted = known.get(at).cloned().unwrap_or(Ty::Unknown);
        let given = args.iter().map(|a| self.expr(*a, &wanted)).last().unwrap_or(Ty::Unknown);
        let given = merge(&given, &wanted);
        let other = known.get(1 - at).cloned().unwrap_or(Ty::Unknown);
        match path {
            "Some" => Ty::Foreign("Option".into(), vec![given]),
            "Ok" => Ty::Foreign("Result".into(), vec![given, other]),
            _ => Ty::Foreign("Result".into(), vec![other, given]),
        }
    }

    fn std_call(&mut self, sig: &'static Sig, path: &str, args: &[ExprId], want: &Ty) -> Ty {
        if sig.result != Ty::Param("Self".into()) {
            return self.apply(sig, Subst::new(), false, args, want);
        }
        let inner = if let Ty::Foreign(_, inner) = want { inner.first() } else { None };
        let inner = inner.cloned().unwrap_or(Ty::Unknown);
        let given: Vec<Ty> = args.iter().map(|a| self.expr(*a, &inner)).collect();
        let of = split_last(path).map_or(path, |(of, _)| of);
        merge(&Ty::Foreign(Name::new(of), given), want)
    }

    /// Arguments of a foreign function: closures get foreign parameters.
    fn foreign_args(&mut self, path: &Name, args: &[ExprId]) -> Vec<Ty> {
        let closure = Ty::ForeignValue(path.clone());
        let mut given = Vec::new();
        for arg in args {
            let is_closure = matches!(self.tree.expr(*arg).kind, ExprKind::Closure { .. });
            given.push(self.expr(*arg, if is_closure { &closure } else { &Ty::Unknown }));
        }
        given
    }

    /// A method that is foreign.
    #[allow(clippy::too_many_arguments)] // a call site is what it is: place, target, receiver, name, types, arguments
    pub(super) fn foreign_call(
        &mut self,
        id: ExprId,
        path: Name,
        receiver: &Ty,
        name: &Name,
        turbofish: &[TypeId],
        args: &[ExprId],
        want: &Ty,
    ) -> Ty {
        self.target(id, Target::Foreign(path.clone()));
        if let Some(ty) = self.converted(receiver, name, turbofish, want) {
            self.foreign_args(&path, args);
            return ty;
        }
        if let Ty::Foreign(head, _) = receiver
            && let Some(sig) = std_table::table().method(head, name)
        {
            let subst = self.bind_self(sig, Some(receiver));
            return self.apply(sig, subst, true, args, want);
        }
        let given = self.foreign_args(&path, args);
        let model = self.method_model(&path, receiver, name);
        if let Some(ty) = model.and_then(|m| self.model_result(m, receiver, &given)) {
            return merge(&ty, want);
        }
        if keeps(name) || matches!(name.as_str(), "max" | "min" | "clamp") {
            return receiver.clone();
        }
        match name.as_str() {
            "to_string" => Ty::Foreign("String".into(), Vec::new()),
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" => Ty::Foreign("bool".into(), Vec::new()),
            _ => self.with_turbofish(unknown_result(&path, receiver, name), turbofish, want),
        }
    }

    /// A method's model: of the receiver's type, or of the trait the path names.
    fn method_model(&self, path: &str, receiver: &Ty, name: &str) -> Option<&FnModel> {
        let own = match receiver {
            Ty::Foreign(head, _) => self.models.method(head, name),
            _ => None,
        };
        own.or_else(|| {
            let (of, _) = split_last(path)?;
            let found = self.models.trait_methods(name).find(|(t, _)| **t == *of);
            found.map(|(_, m)| m)
        })
    }

    /// Methods whose result the place decides: `collect`, `into`, `parse`.
    fn converted(&self, receiver: &Ty, name: &str, turbofish: &[TypeId], want: &Ty) -> Option<Ty> {
        let written = turbofish.first().map(|t| self.written(*t));
        match name {
            "collect" | "try_collect" => {
                let item = self.item_of(receiver.clone());
                let into = written.unwrap_or_else(|| want.clone());
                Some(collected(&into, &item, 0))
            }
            "into" | "try_into" | "sum" | "product" if !is_open(want) => Some(want.clone()),
            "into" if matches!(receiver, Ty::Adt(..) | Ty::Foreign(..)) => Some(Ty::Unknown),
            "parse" => match written {
                Some(ty) => Some(Ty::Foreign("Result".into(), vec![ty, Ty::Unknown])),
                None if !is_open(want) => Some(want.clone()),
                None => None,
            },
            _ => None,
        }
    }

    /// The result of a foreign function, from models or the habits of constructors.
    pub(super) fn foreign_result(&self, path: &Name, base: Option<&Ty>, given: &[Ty]) -> Ty {
        let of = split_last(path).map(|(of, _)| of).unwrap_or_default();
        let is_type = last_of(of).starts_with(|c: char| c.is_uppercase());
        let own = match base {
            Some(ty) if !is_open(ty) => ty.clone(),
            _ if is_type => Ty::Foreign(Name::new(of), Vec::new()),
            _ => Ty::Unknown,
        };
        if let Some(model) = self.models.function(path)
            && let Some(ty) = self.model_result(model, &own, given)
        {
            return ty;
        }
        match last_of(path) {
            "new" | "default" | "with_capacity" | "from" if is_type => own,
            _ => Ty::ForeignValue(path.clone()),
        }
    }

    fn model_result(&self, model: &FnModel, own: &Ty, given: &[Ty]) -> Option<Ty> {
        let returns = model.returns.as_ref()?;
        let types = self.index.model_types.get_or_init(|| {
            let all = self.models.returned_types();
            all.map(|t| (t.clone(), text::parse(t, Some(self.models)))).collect()
        });
        let template = types.get(returns)?;
        let mut subst: Subst = vec![("Self".into(), own.clone())];
        let body = match &model.does {
            Some(Does::Deadline { body, .. } | Does::Spawn { body } | Does::Runs { body }) => Some(*body),
            Some(Does::Retry(call)) => Some(call.operation),
            _ => None,
        };
        let body = body.and_then(|b| match b {
            ArgRef::Receiver => Some(own),
            ArgRef::Arg(n) => given.get(n as usize),
        });
        let inner = body.map(|ty| if let Ty::Fn(_, result) = ty { (**result).clone() } else { ty.clone() });
        let inner = inner.or_else(|| match own {
            Ty::Foreign(_, args) => args.first().cloned(),
            _ => None,
        });
        if let Some(inner) = inner {
            unify(&Ty::Param("T".into()), &inner, &mut subst);
        }
        Some(self.subst(template, &subst))
    }
}

/// Functions that std's traits give to types: the type before them, or the one asked for.
fn by_habit(name: &str, base: Option<&Ty>, want: &Ty) -> Option<Ty> {
    let base = base.filter(|b| !is_open(b)).cloned();
    match (name, base) {
        ("default" | "from", Some(of)) => Some(merge(&of, want)),
        ("try_from" | "from_str", Some(of)) => Some(merge(&Ty::Foreign("Result".into(), vec![of, Ty::Unknown]), want)),
        ("default" | "from" | "into" | "try_from" | "from_str" | "deserialize", _) if !is_open(want) => {
            Some(want.clone())
        }
        _ => None,
    }
}

/// A foreign function's result is foreign, with its origin.
fn unknown_result(path: &Name, receiver: &Ty, name: &str) -> Ty {
    match receiver {
        // A constructor that was taken to give its type gave a `Result` of it.
        Ty::Foreign(head, _)
            if matches!(name, "unwrap" | "expect" | "map_err" | "context" | "with_context")
                && !matches!(head.as_str(), "Option" | "Result") =>
        {
            receiver.clone()
        }
        // What these give is the same origin's.
        Ty::ForeignValue(origin) if matches!(name, "unwrap" | "expect" | "map_err" | "unwrap_or_default") => {
            Ty::ForeignValue(origin.clone())
        }
        _ => Ty::ForeignValue(path.clone()),
    }
}

/// What `collect` makes of items.
fn collected(into: &Ty, item: &Ty, depth: u32) -> Ty {
    let Ty::Foreign(head, args) = into else {
        // The place does not say; it is still some collection of these.
        return if is_open(into) { Ty::Foreign("Iterator".into(), vec![item.clone()]) } else { into.clone() };
    };
    let hole = |i: usize, ty: &Ty| merge(args.get(i).unwrap_or(&Ty::Unknown), ty);
    match (last_of(head), item) {
        ("Result" | "Option", Ty::Foreign(inner, parts)) if inner == head && depth < 4 => {
            let first = parts.first().unwrap_or(&Ty::Unknown);
            let mut all = vec![collected(args.first().unwrap_or(&Ty::Unknown), first, depth + 1)];
            if parts.len() > 1 {
                all.push(hole(1, &parts[1]));
            }
            Ty::Foreign(head.clone(), all)
        }
        ("HashMap" | "BTreeMap" | "IndexMap" | "DashMap", Ty::Tuple(pair)) if pair.len() == 2 => {
            Ty::Foreign(head.clone(), vec![hole(0, &pair[0]), hole(1, &pair[1])])
        }
        ("Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "FuturesUnordered" | "IndexSet", item) => {
            Ty::Foreign(head.clone(), vec![hole(0, item)])
        }
        _ => into.clone(),
    }
}
