//! Expressions that are neither calls nor control flow.

use super::super::names::types::{element, last_of, unify};
use super::super::names::{Def, Ns};
use super::super::program::{AdtId, Ty};
use super::super::tree::{BinaryOp, ExprId, ExprKind, Lit, Path, UnaryOp};
use super::paths::Value;
use super::{Subst, Walk, is_open, merge, unit};
use crate::name::Name;

fn plain(name: &str) -> Ty {
    Ty::Foreign(name.into(), Vec::new())
}

impl Walk<'_> {
    /// The type of an expression; `want` is what its place asks for.
    pub(super) fn expr(&mut self, id: ExprId, want: &Ty) -> Ty {
        let ty = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.kind(id, want));
        self.record(id, ty)
    }

    fn kind(&mut self, id: ExprId, want: &Ty) -> Ty {
        match &self.tree.expr(id).kind {
            ExprKind::Path(path) => self.path_expr(id, path, want),
            ExprKind::Call { callee, args } => self.call(id, *callee, args, want),
            ExprKind::Method { receiver, name, turbofish, args, .. } => {
                self.method(id, *receiver, name, turbofish, args, want)
            }
            ExprKind::Field { base, name } => {
                let base = self.expr(*base, &Ty::Unknown);
                self.field(&base, name)
            }
            ExprKind::Index { base, index } => self.index(*base, *index),
            ExprKind::Try(inner) => self.question(*inner, want),
            ExprKind::Await(inner) => {
                let ty = self.expr(*inner, want);
                self.awaited(ty)
            }
            ExprKind::Ref(inner) => self.expr(*inner, want),
            ExprKind::Unary(op, inner) => self.unary(*op, *inner, want),
            ExprKind::Binary { op, left, right } => self.binary(*op, *left, *right, want),
            ExprKind::Assign { to, value } => self.assign(*to, *value),
            ExprKind::OpAssign { to, value, .. } => self.op_assign(*to, *value),
            ExprKind::Struct { path, fields, base } => self.literal(id, path, fields, *base, want),
            ExprKind::Lit(lit) => literal_type(lit, want),
            ExprKind::Cast { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Range { .. } => self.compound(id, want),
            ExprKind::Macro(call) => self.macro_call(id, call, want),
            _ => self.control(id, want),
        }
    }

    fn compound(&mut self, id: ExprId, want: &Ty) -> Ty {
        match &self.tree.expr(id).kind {
            ExprKind::Cast { value, ty } => {
                let want = self.written(*ty);
                self.expr(*value, &want);
                want
            }
            ExprKind::Tuple(parts) => {
                let wants = if let Ty::Tuple(wants) = want { &wants[..] } else { &[] };
                let part = |(i, p): (usize, &ExprId)| self.expr(*p, wants.get(i).unwrap_or(&Ty::Unknown));
                Ty::Tuple(parts.iter().enumerate().map(part).collect())
            }
            ExprKind::Array(parts) => {
                let mut item = element(want).unwrap_or(Ty::Unknown);
                for part in parts {
                    let found = self.expr(*part, &item);
                    item = merge(&item, &found);
                }
                Ty::Foreign("Vec".into(), vec![item])
            }
            ExprKind::Repeat { value, len } => {
                let item = self.expr(*value, &element(want).unwrap_or(Ty::Unknown));
                self.expr(*len, &Ty::Unknown);
                Ty::Foreign("Vec".into(), vec![item])
            }
            ExprKind::Range { start, end, .. } => {
                let start = start.map_or(Ty::Unknown, |s| self.expr(s, &Ty::Unknown));
                let end = end.map_or(Ty::Unknown, |e| self.expr(e, &start));
                Ty::Foreign("std::ops::Range".into(), vec![merge(&start, &end)])
            }
            _ => Ty::Unknown,
        }
    }

    fn question(&mut self, inner: ExprId, want: &Ty) -> Ty {
        let want = match want {
            Ty::Unknown => Ty::Unknown,
            want => match &self.result {
                Ty::Foreign(head, _) if *head == "Option" => Ty::Foreign("Option".into(), vec![want.clone()]),
                _ => Ty::Foreign("Result".into(), vec![want.clone(), Ty::Unknown]),
            },
        };
        match self.expr(inner, &want) {
            Ty::Foreign(head, args) if matches!(head.as_str(), "Option" | "Result") => {
                args.into_iter().next().unwrap_or(Ty::Unknown)
            }
            // A constructor that was taken to give its type gave a `Result` of it.
            Ty::Foreign(path, args) => Ty::Foreign(path, args),
            Ty::ForeignValue(path) => Ty::ForeignValue(path),
            _ => Ty::Unknown,
        }
    }

    /// Futures are known by their output, so awaiting changes only what is a value of its own.
    pub(super) fn awaited(&self, ty: Ty) -> Ty {
        let result = |args: Vec<Ty>, error: &str| {
            let ok = args.into_iter().next().unwrap_or(Ty::Unknown);
            Ty::Foreign("Result".into(), vec![ok, plain(error)])
        };
        match ty {
            Ty::Foreign(head, args) if last_of(&head) == "JoinHandle" => result(args, "tokio::task::JoinError"),
            Ty::Foreign(head, args) if last_of(&head) == "Receiver" && head.contains("oneshot") => {
                result(args, "tokio::sync::oneshot::error::RecvError")
            }
            Ty::Adt(id, args) => {
                let ty = Ty::Adt(id, args);
                let future = self.foreign_traits_of(&ty).any(|t| matches!(last_of(t), "Future" | "IntoFuture"));
                if future { self.written.assoc(ty, "Output") } else { ty }
            }
            ty => ty,
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: ExprId, want: &Ty) -> Ty {
        let ty = self.expr(inner, want);
        match (op, &ty) {
            (UnaryOp::Deref, Ty::Adt(..)) => self.deref(&ty).unwrap_or(ty),
            _ => ty,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, want: &Ty) -> Ty {
        let logical = matches!(op, BinaryOp::And | BinaryOp::Or);
        let compares =
            matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let want = if compares || logical { Ty::Unknown } else { want.clone() };
        let left = self.expr(left, &want);
        let right = self.expr(right, if compares { &left } else { &want });
        if compares || logical {
            return plain("bool");
        }
        let instants = |t: &Ty| matches!(t, Ty::Foreign(p, _) if last_of(p) == "Instant");
        if op == BinaryOp::Sub && instants(&left) && instants(&right) {
            return plain("std::time::Duration");
        }
        let duration = |t: &Ty| matches!(t, Ty::Foreign(p, _) if *p == "std::time::Duration");
        if is_open(&left) || duration(&right) && !instants(&left) { right } else { left }
    }

    /// A variable without a type yet gets it here.
    fn assign(&mut self, to: ExprId, value: ExprId) -> Ty {
        let want = self.expr(to, &Ty::Unknown);
        let found = self.expr(value, &want);
        self.refine(to, &found);
        unit()
    }

    fn op_assign(&mut self, to: ExprId, value: ExprId) -> Ty {
        let to = self.expr(to, &Ty::Unknown);
        self.expr(value, &to);
        unit()
    }

    /// What is learned later about a local's type.
    pub(super) fn refine(&mut self, place: ExprId, found: &Ty) {
        let Some(pat) = self.out.locals.get(&place).copied() else {
            return;
        };
        if is_open(found) {
            return;
        }
        let old = self.out.pat_types.get(&pat).cloned().unwrap_or(Ty::Unknown);
        let new = super::limited(merge(&old, found));
        if new != old {
            self.out.pat_types.insert(pat, new);
        }
    }

    fn index(&mut self, base: ExprId, index: ExprId) -> Ty {
        let base = self.expr(base, &Ty::Unknown);
        let index = self.expr(index, &Ty::Unknown);
        match &base {
            Ty::Foreign(head, args) => match last_of(head) {
                "Vec" | "VecDeque" | "SmallVec" => match &index {
                    Ty::Foreign(range, _) if range.starts_with("std::ops::Range") => base.clone(),
                    _ => args.first().cloned().unwrap_or(Ty::Unknown),
                },
                "HashMap" | "BTreeMap" | "IndexMap" => args.get(1).cloned().unwrap_or(Ty::Unknown),
                "String" | "str" => plain("str"),
                _ => Ty::ForeignValue(head.clone()),
            },
            Ty::Adt(..) => self.written.assoc(base, "Output"),
            Ty::ForeignValue(path) => Ty::ForeignValue(path.clone()),
            _ => Ty::Unknown,
        }
    }

    // ---- fields and struct literals

    pub(super) fn field(&self, base: &Ty, name: &Name) -> Ty {
        let mut base = base.clone();
        for _ in 0..8 {
            match &base {
                Ty::Adt(id, args) => {
                    if let Some(found) = self.field_of(*id, 0, args, name) {
                        return found;
                    }
                }
                Ty::Tuple(parts) => {
                    let at: Option<usize> = name.parse().ok();
                    return at.and_then(|i| parts.get(i)).cloned().unwrap_or(Ty::Unknown);
                }
                Ty::Foreign(path, _) => {
                    return Ty::ForeignValue(Name::from(format!("{path}.{name}")));
                }
                Ty::ForeignValue(path) => return Ty::ForeignValue(path.clone()),
                _ => return Ty::Unknown,
            }
            match self.deref(&base) {
                Some(next) => base = next,
                None => break,
            }
        }
        Ty::Unknown
    }

    pub(super) fn field_of(&self, id: AdtId, variant: usize, args: &[Ty], name: &str) -> Option<Ty> {
        let variants = self.index.variants_of(self.program, self.models, id);
        let (_, ty) = variants.get(variant)?.fields.iter().find(|(n, _)| *n == name)?;
        Some(self.subst(ty, &self.params_of(id, args)))
    }

    pub(super) fn params_of(&self, id: AdtId, args: &[Ty]) -> Subst {
        let params = &self.program.adt_decl(id).generics.params;
        params.iter().cloned().zip(args.iter().cloned()).collect()
    }

    pub(super) fn deref(&self, ty: &Ty) -> Option<Ty> {
        let Ty::Adt(id, _) = ty else { return None };
        let found = *self.index.tables.deref.get(id)?;
        self.index.impls[found as usize].assoc.iter().find(|(n, _)| *n == "Target")?;
        match self.written.assoc(ty.clone(), "Target") {
            Ty::Unknown => None,
            target => Some(target),
        }
    }

    fn literal(&mut self, id: ExprId, path: &Path, fields: &[(Name, ExprId)], base: Option<ExprId>, want: &Ty) -> Ty {
        let (ty, variant) = self.struct_type(path);
        let Ty::Adt(adt, written) = &ty else {
            if let Ty::Foreign(path, _) = &ty {
                self.out.struct_paths.insert(id, path.clone());
            }
            for (_, value) in fields {
                self.expr(*value, &Ty::Unknown);
            }
            base.iter().for_each(|b| drop(self.expr(*b, &ty)));
            return ty;
        };
        self.out.struct_paths.insert(id, self.variant_path(*adt, variant));
        let (adt, written) = (*adt, Ty::Adt(*adt, written.clone()));
        let found = self.literal_fields(adt, variant, &written, fields, want);
        base.iter().for_each(|b| drop(self.expr(*b, &ty)));
        found
    }

    fn literal_fields(
        &mut self,
        adt: AdtId,
        variant: Option<u32>,
        written: &Ty,
        fields: &[(Name, ExprId)],
        want: &Ty,
    ) -> Ty {
        let params = &self.program.adt_decl(adt).generics.params;
        let template = Ty::Adt(adt, params.iter().cloned().map(Ty::Param).collect());
        let mut subst = Subst::new();
        unify(&template, written, &mut subst);
        unify(&template, want, &mut subst);
        let index = self.index;
        let variants = index.variants_of(self.program, self.models, adt);
        for (name, value) in fields {
            let found = variants.get(variant.unwrap_or(0) as usize);
            let field = found.and_then(|v| v.fields.iter().find(|(n, _)| n == name));
            let want = field.map_or(Ty::Unknown, |(_, t)| self.subst(t, &subst));
            let given = self.expr(*value, &want);
            if let Some((_, template)) = field {
                unify(template, &given, &mut subst);
            }
        }
        self.subst(&template, &subst)
    }

    /// The type a struct literal or pattern names, and the variant.
    pub(super) fn struct_type(&mut self, path: &Path) -> (Ty, Option<u32>) {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        let guess = super::super::names::Guess::Foreign;
        if let Some((Def::Variant(adt, at), _)) = self.index.resolve(self.module, &names, Ns::Types, guess) {
            return (Ty::Adt(adt, Vec::new()), Some(at));
        }
        if names.len() > 1
            && let Value::Ctor { adt, variant, ty } = self.value(path)
        {
            let args = if let Ty::Adt(_, args) = ty { args } else { Vec::new() };
            return (Ty::Adt(adt, args), variant);
        }
        (self.put(&self.written.fresh().path(path)), None)
    }

    pub(super) fn variant_path(&self, adt: AdtId, variant: Option<u32>) -> Name {
        let base = &self.program.adt(adt).path;
        let decl = self.program.adt_decl(adt);
        match variant.and_then(|v| decl.variants.get(v as usize)) {
            Some(variant) => Name::from(format!("{base}::{}", variant.name)),
            None => base.clone(),
        }
    }
}

fn literal_type(lit: &Lit, want: &Ty) -> Ty {
    match lit {
        Lit::Int(_, suffix) if !suffix.is_empty() => plain(suffix),
        Lit::Int(..) => match want {
            Ty::Foreign(name, _) if super::super::names::is_number(name) => want.clone(),
            _ => plain("i32"),
        },
        Lit::Float(_) => plain("f64"),
        Lit::Str(_) => plain("str"),
        Lit::Bool(_) => plain("bool"),
        Lit::Other => Ty::Unknown,
    }
}
