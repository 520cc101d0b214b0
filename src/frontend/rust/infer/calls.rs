//! Calls: what they lead to, what their arguments and results are.

use super::super::names::Home;
use super::super::names::types::{Sig, unify};
use super::super::program::{AdtId, FnId, Target, Ty};
use super::super::tree::{ExprId, ExprKind, Path, TypeId};
use super::methods::{Found, fits};
use super::paths::Value;
use super::{Subst, Walk, is_open};
use crate::name::Name;

impl Walk<'_> {
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], want: &Ty) -> Ty {
        let ExprKind::Path(path) = &self.tree.expr(callee).kind else {
            return self.callable(id, callee, args);
        };
        if path.single().is_some_and(|n| *n == "self" || self.local(n).is_some()) {
            return self.callable(id, callee, args);
        }
        let turbofish = path.last().map(|s| s.args()).unwrap_or_default();
        match self.value(path) {
            Value::Foreign(name, base) => {
                self.out.paths.insert(callee, name.clone());
                self.foreign_function(id, &name, base, turbofish, args, want)
            }
            Value::Ctor { adt, variant, ty } => {
                let name = self.variant_path(adt, variant);
                self.out.paths.insert(callee, name.clone());
                self.target(id, Target::Constructor(name));
                self.construct(adt, variant, ty, args, want)
            }
            Value::Const(constant) => {
                self.out.consts.insert(callee, constant);
                let ty = self.const_ty(constant);
                self.target(id, Target::Callable);
                self.called(ty, args)
            }
            value => self.tree_call(id, path, value, turbofish, args, want),
        }
    }

    fn tree_call(
        &mut self,
        id: ExprId,
        path: &Path,
        value: Value,
        turbofish: &[TypeId],
        args: &[ExprId],
        want: &Ty,
    ) -> Ty {
        // `Trait::method(receiver, ..)`: the receiver may tell which implementation.
        if self.names_a_trait(path)
            && takes_receiver(self, &value)
            && let (Some((receiver, rest)), Some(last)) = (args.split_first(), path.last())
        {
            let ty = self.expr(*receiver, &Ty::Unknown);
            if let Ty::Adt(..) = ty {
                let found = self.find_method(&ty, &last.name);
                return self.found(id, found, &last.name, turbofish, rest, want);
            }
            return self.leads(id, value, turbofish, Some(&ty), rest, want);
        }
        self.leads(id, value, turbofish, None, args, want)
    }

    fn names_a_trait(&self, path: &Path) -> bool {
        use super::super::names::{Def, Guess, Ns};
        let Some((_, of)) = path.segments.split_last() else {
            return false;
        };
        if of.is_empty() || path.of.is_some() {
            return false;
        }
        let names: Vec<Name> = of.iter().map(|s| s.name.clone()).collect();
        matches!(
            self.index.resolve(self.module, &names, Ns::Types, Guess::No),
            Some((Def::Trait(_), n)) if n == names.len()
        )
    }

    /// A local, a field or the result of something is called.
    fn callable(&mut self, id: ExprId, callee: ExprId, args: &[ExprId]) -> Ty {
        let ty = self.expr(callee, &Ty::Unknown);
        self.target(id, Target::Callable);
        self.called(ty, args)
    }

    fn called(&mut self, ty: Ty, args: &[ExprId]) -> Ty {
        let (wants, result) = match ty {
            Ty::Fn(params, result) => (params, *result),
            Ty::ForeignValue(path) => (Vec::new(), Ty::ForeignValue(path)),
            _ => (Vec::new(), Ty::Unknown),
        };
        for (i, arg) in args.iter().enumerate() {
            self.expr(*arg, wants.get(i).unwrap_or(&Ty::Unknown));
        }
        result
    }

    fn construct(&mut self, adt: AdtId, variant: Option<u32>, ty: Ty, args: &[ExprId], want: &Ty) -> Ty {
        let params = &self.program.adt_decl(adt).generics.params;
        let template = Ty::Adt(adt, params.iter().cloned().map(Ty::Param).collect());
        let mut subst = Subst::new();
        unify(&template, &ty, &mut subst);
        unify(&template, want, &mut subst);
        let index = self.index;
        let variants = index.variants_of(self.program, self.models, adt);
        let fields = variants.get(variant.unwrap_or(0) as usize).map(|v| &v.fields[..]).unwrap_or_default();
        for (i, arg) in args.iter().enumerate() {
            let field = fields.get(i).map_or(&Ty::Unknown, |(_, t)| t);
            let wanted = self.subst(field, &subst);
            let given = self.expr(*arg, &wanted);
            unify(field, &given, &mut subst);
        }
        self.subst(&template, &subst)
    }

    // ---- methods

    pub(super) fn method(
        &mut self,
        id: ExprId,
        receiver: ExprId,
        name: &Name,
        turbofish: &[TypeId],
        args: &[ExprId],
        want: &Ty,
    ) -> Ty {
        let wanted = if super::methods::keeps(name) { want.clone() } else { Ty::Unknown };
        let ty = self.expr(receiver, &wanted);
        let found = self.find_method(&ty, name);
        let result = self.found(id, found, name, turbofish, args, want);
        self.learn_from_arguments(receiver, &ty, name, args);
        result
    }

    /// `v.push(x)` tells what an empty collection holds.
    fn learn_from_arguments(&mut self, receiver: ExprId, ty: &Ty, name: &str, args: &[ExprId]) {
        let Ty::Foreign(head, known) = ty else { return };
        let fills = matches!(name, "push" | "push_back" | "push_front" | "insert" | "send" | "entry");
        if !fills || known.iter().any(|t| !is_open(t)) {
            return;
        }
        let given: Vec<Ty> = args.iter().map(|a| self.out.types.get(a).cloned().unwrap_or(Ty::Unknown)).collect();
        self.refine(receiver, &Ty::Foreign(head.clone(), given));
    }

    fn found(&mut self, id: ExprId, found: Found, name: &Name, turbofish: &[TypeId], args: &[ExprId], want: &Ty) -> Ty {
        match found {
            Found::Foreign(path, ty) => self.foreign_call(id, path, &ty, name, turbofish, args, want),
            Found::Tree(Value::Foreign(path, base)) => {
                let ty = base.unwrap_or(Ty::Unknown);
                self.foreign_call(id, path, &ty, name, turbofish, args, want)
            }
            Found::Tree(value) => {
                let receiver = match &value {
                    Value::Fns { base, .. } => base.clone().unwrap_or(Ty::Unknown),
                    _ => Ty::Unknown,
                };
                self.leads(id, value, turbofish, Some(&receiver), args, want)
            }
        }
    }

    /// Records a target in the tree and gives the call's type. `receiver` is set when the arguments are without it.
    fn leads(
        &mut self,
        id: ExprId,
        value: Value,
        turbofish: &[TypeId],
        receiver: Option<&Ty>,
        args: &[ExprId],
        want: &Ty,
    ) -> Ty {
        match value {
            Value::Fns { ids, through, base } => {
                let base = receiver.cloned().filter(|t| !is_open(t)).or(base);
                if ids.len() > 1 && through.is_some() && !self.same_signature(&ids) {
                    return self.choose(id, ids, through, base, args);
                }
                let first = ids[0];
                self.target(id, Target::Fns(ids, through));
                let sig = self.index.sig(self.program, self.models, first);
                let mut subst = self.bind_self(sig, base.as_ref());
                self.turbofish(first, turbofish, &mut subst);
                self.apply(sig, subst, receiver.is_some(), args, want)
            }
            Value::Many(n) => {
                self.target(id, Target::Many(n));
                self.called(Ty::Unknown, args)
            }
            Value::Unknown(why) => {
                self.target(id, Target::Unknown(why));
                self.called(Ty::Unknown, args)
            }
            _ => {
                self.target(id, Target::Unknown("not a function"));
                self.called(Ty::Unknown, args)
            }
        }
    }

    fn turbofish(&self, id: FnId, written: &[TypeId], subst: &mut Subst) {
        let params = &self.program.function(id).generics.params;
        for (name, ty) in params.iter().zip(written) {
            let ty = self.written(*ty);
            unify(&Ty::Param(name.clone()), &ty, subst);
        }
    }

    /// One trait for several argument types (`From<A>`, `From<B>`) against one function for several types.
    fn same_signature(&self, ids: &[FnId]) -> bool {
        let of = |id: FnId| match self.index.home(id) {
            Home::Impl(i) => self.index.impls[i as usize].of_args.clone(),
            _ => Vec::new(),
        };
        let owners = |id: FnId| match self.index.home(id) {
            Home::Impl(i) => Some(&self.index.impls[i as usize].for_type),
            _ => None,
        };
        let first = of(ids[0]);
        ids[1..].iter().all(|id| of(*id) == first || owners(*id) != owners(ids[0]))
    }

    /// Of the impls of one generic trait for one type those whose parameters fit the arguments.
    fn choose(&mut self, id: ExprId, ids: Vec<FnId>, through: Option<Name>, base: Option<Ty>, args: &[ExprId]) -> Ty {
        let given: Vec<Ty> = args.iter().map(|a| self.expr(*a, &Ty::Unknown)).collect();
        let fit = |f: &FnId| {
            let sig = self.index.sig(self.program, self.models, *f);
            sig.params.iter().zip(&given).all(|(p, g)| fits(p, g))
        };
        let chosen: Vec<FnId> = ids.iter().copied().filter(fit).collect();
        let ids = if chosen.is_empty() { ids } else { chosen };
        let sig = self.index.sig(self.program, self.models, ids[0]);
        let mut subst = self.bind_self(sig, base.as_ref());
        sig.params.iter().zip(&given).for_each(|(p, g)| unify(p, g, &mut subst));
        let result = self.subst(&sig.result, &subst);
        let through = if ids.len() > 1 { through } else { None };
        self.target(id, Target::Fns(ids, through));
        result
    }

    // ---- signatures

    /// Walks the arguments against a signature, closures last, and gives the result.
    pub(super) fn apply(
        &mut self,
        sig: &Sig,
        mut subst: Subst,
        bound_receiver: bool,
        args: &[ExprId],
        want: &Ty,
    ) -> Ty {
        let mut args = args;
        if let (true, false, Some((receiver, rest))) = (sig.receiver, bound_receiver, args.split_first()) {
            let ty = self.expr(*receiver, &Ty::Unknown);
            if let Some(own) = &sig.self_ty {
                unify(own, &ty, &mut subst);
            }
            args = rest;
        }
        for closures in [false, true] {
            for (i, arg) in args.iter().enumerate() {
                if self.is_closure(*arg) != closures {
                    continue;
                }
                let param = sig.params.get(i).unwrap_or(&Ty::Unknown);
                let wanted = self.wanted(sig, param, &subst);
                let given = self.expr(*arg, &wanted);
                unify(param, &given, &mut subst);
                self.apply_bounds(sig, &mut subst);
            }
        }
        if subst.len() < sig.generics.len() || sig.generics.is_empty() {
            unify(&sig.result, want, &mut subst);
        }
        self.subst(&sig.result, &subst)
    }

    fn is_closure(&self, arg: ExprId) -> bool {
        matches!(self.tree.expr(arg).kind, ExprKind::Closure { .. })
    }

    /// What a parameter asks of its argument.
    fn wanted(&self, sig: &Sig, param: &Ty, subst: &Subst) -> Ty {
        if let Ty::Param(name) = param
            && !subst.iter().any(|(n, _)| n == name)
        {
            let bound = sig.bounds.iter().find(|(of, b)| of == param && matches!(b, Ty::Fn(..)));
            return bound.map_or(Ty::Unknown, |(_, b)| self.subst(b, subst));
        }
        self.subst(param, subst)
    }

    /// `F: Fn() -> Fut, Fut: Future<Output = X>`: from `F` to `Fut` to `X`.
    fn apply_bounds(&self, sig: &Sig, subst: &mut Subst) {
        for _ in 0..2 {
            for (of, bound) in &sig.bounds {
                let Ty::Param(name) = of else { continue };
                let actual = subst.iter().find(|(n, _)| n == name).map(|(_, t)| t.clone());
                if let Some(actual) = actual {
                    unify(bound, &actual, subst);
                }
            }
        }
    }
}

/// Whether the functions of a value take a receiver.
fn takes_receiver(walk: &Walk<'_>, value: &Value) -> bool {
    match value {
        Value::Fns { ids, .. } => walk.program.function(ids[0]).receiver.is_some(),
        _ => false,
    }
}
