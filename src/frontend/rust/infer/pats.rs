//! Patterns: what they bind and what their paths name.

use super::super::names::types::{element, last_of};
use super::super::program::{AdtId, Ty};
use super::super::tree::{PatId, PatKind, Path, Segment};
use super::paths::Value;
use super::{Walk, merge};
use crate::name::Name;

impl Walk<'_> {
    /// Binds the names of a pattern that a value of the type is matched with.
    pub(super) fn pat(&mut self, id: PatId, ty: &Ty) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.pat_kind(id, ty));
    }

    fn pat_kind(&mut self, id: PatId, ty: &Ty) {
        match &self.tree.pat(id).kind {
            PatKind::Ident { name, sub, .. } => self.ident(id, name, *sub, ty),
            PatKind::Path(path) => {
                let value = self.value(path);
                self.note(id, &value);
            }
            PatKind::TupleStruct { path, parts } => self.tuple_struct(id, path, parts, ty),
            PatKind::Struct { path, fields, .. } => self.struct_pat(id, path, fields, ty),
            PatKind::Tuple(parts) => self.tuple(parts, ty),
            PatKind::Slice(parts) => {
                let item = element(ty).unwrap_or(Ty::Unknown);
                parts.iter().for_each(|p| self.slice_part(*p, &item, ty));
            }
            PatKind::Or(all) => self.alternatives(all, ty),
            PatKind::Typed(inner, written) => {
                let ty = merge(&self.written(*written), ty);
                self.pat(*inner, &ty);
            }
            PatKind::Ref(inner) => self.pat(*inner, ty),
            PatKind::Lit(value) => drop(self.expr(*value, ty)),
            PatKind::Range { start, end, .. } => {
                start.iter().chain(end).for_each(|e| drop(self.expr(*e, ty)));
            }
            // Which errors a classifier takes whatever they are (RL107).
            PatKind::Wild if matches!(ty, Ty::Foreign(name, _) if name == super::IO_ERROR) => {
                self.out.pat_types.insert(id, ty.clone());
            }
            PatKind::Wild | PatKind::Rest | PatKind::Other => {}
        }
    }

    fn tuple(&mut self, parts: &[PatId], ty: &Ty) {
        match ty {
            Ty::Tuple(types) => self.parts(parts, types, &Ty::Unknown),
            Ty::ForeignValue(_) => self.parts(parts, &[], ty),
            _ => self.parts(parts, &[], &Ty::Unknown),
        }
    }

    /// `rest @ ..` in a slice is the slice again.
    fn slice_part(&mut self, part: PatId, item: &Ty, whole: &Ty) {
        let rest = match &self.tree.pat(part).kind {
            PatKind::Ident { sub: Some(sub), .. } => {
                matches!(self.tree.pat(*sub).kind, PatKind::Rest)
            }
            _ => false,
        };
        self.pat(part, if rest { whole } else { item });
    }

    /// Every alternative binds the same names; a use means the first one's.
    fn alternatives(&mut self, all: &[PatId], ty: &Ty) {
        let Some((first, others)) = all.split_first() else {
            return;
        };
        for other in others {
            let mark = self.trail.len();
            self.pat(*other, ty);
            self.leave(mark);
        }
        self.pat(*first, ty);
    }

    fn ident(&mut self, id: PatId, name: &Name, sub: Option<PatId>, ty: &Ty) {
        if sub.is_none() && name.starts_with(|c: char| c.is_uppercase()) {
            let value = self.value(&single(name));
            let names_something = match &value {
                Value::Const(_) | Value::Ctor { .. } => true,
                Value::Foreign(path, _) => last_of(path) == name.as_str(),
                _ => false,
            };
            if names_something {
                return self.note(id, &value);
            }
        }
        self.bind(name, id);
        if *ty != Ty::Unknown {
            self.out.pat_types.insert(id, ty.clone());
        }
        sub.iter().for_each(|s| self.pat(*s, ty));
    }

    /// Remembers what a pattern's path names.
    fn note(&mut self, id: PatId, value: &Value) {
        let path = match value {
            Value::Ctor { adt, variant, .. } => self.variant_path(*adt, *variant),
            Value::Const(id) => self.program.consts[id.0 as usize].path.clone(),
            Value::Foreign(path, _) => path.clone(),
            _ => return,
        };
        self.out.pat_paths.insert(id, path);
    }

    fn tuple_struct(&mut self, id: PatId, path: &Path, parts: &[PatId], ty: &Ty) {
        let value = self.value(path);
        self.note(id, &value);
        match &value {
            Value::Ctor { adt, variant, .. } => {
                let types = self.field_types(*adt, *variant, ty);
                self.parts(parts, &types, &Ty::Unknown);
            }
            Value::Foreign(path, _) => {
                let (types, other) = foreign_parts(path, ty);
                self.parts(parts, &types, &other);
            }
            _ => self.parts(parts, &[], &Ty::Unknown),
        }
    }

    fn field_types(&self, adt: AdtId, variant: Option<u32>, ty: &Ty) -> Vec<Ty> {
        let args = match ty {
            Ty::Adt(id, args) if *id == adt => &args[..],
            _ => &[],
        };
        let subst = self.params_of(adt, args);
        let variants = self.index.variants_of(self.program, self.models, adt);
        let found = variants.get(variant.unwrap_or(0) as usize);
        found.map(|v| v.fields.iter().map(|(_, t)| self.subst(t, &subst)).collect()).unwrap_or_default()
    }

    fn struct_pat(&mut self, id: PatId, path: &Path, fields: &[(Name, PatId)], ty: &Ty) {
        let (named, variant) = self.struct_type(path);
        match &named {
            Ty::Adt(adt, _) => {
                let name = self.variant_path(*adt, variant);
                self.out.pat_paths.insert(id, name);
                let args = match ty {
                    Ty::Adt(found, args) if found == adt => args.clone(),
                    _ => Vec::new(),
                };
                for (name, pat) in fields {
                    let ty = self.field_of(*adt, variant.unwrap_or(0) as usize, &args, name);
                    self.pat(*pat, &ty.unwrap_or(Ty::Unknown));
                }
            }
            Ty::Foreign(name, _) => {
                self.out.pat_paths.insert(id, name.clone());
                for (field, pat) in fields {
                    self.pat(*pat, &Ty::ForeignValue(Name::from(format!("{name}.{field}"))));
                }
            }
            _ => fields.iter().for_each(|(_, pat)| self.pat(*pat, &Ty::Unknown)),
        }
    }

    /// Parts by position; after `..` they count from the end.
    fn parts(&mut self, parts: &[PatId], types: &[Ty], other: &Ty) {
        let mut at = 0;
        for (i, part) in parts.iter().enumerate() {
            if matches!(self.tree.pat(*part).kind, PatKind::Rest) {
                at = types.len().saturating_sub(parts.len() - i - 1);
                continue;
            }
            let ty = types.get(at).unwrap_or(other).clone();
            self.pat(*part, &ty);
            at += 1;
        }
    }
}

/// The parts of `Some(x)`, `Err(e)`, `Json(body)`, and of variants that only a foreign crate knows.
fn foreign_parts(path: &str, ty: &Ty) -> (Vec<Ty>, Ty) {
    let args = match ty {
        Ty::Foreign(_, args) => &args[..],
        Ty::ForeignValue(origin) => return (Vec::new(), Ty::ForeignValue(origin.clone())),
        _ => &[],
    };
    match path {
        "Ok" | "Some" => (args.iter().take(1).cloned().collect(), Ty::Unknown),
        "Err" => (args.iter().skip(1).take(1).cloned().collect(), Ty::Unknown),
        _ => match ty {
            // `Json(body): Json<Order>`: a wrapper of one type.
            Ty::Foreign(head, args) if args.len() == 1 && last_of(head) == last_of(path) => (args.clone(), Ty::Unknown),
            _ => (Vec::new(), Ty::ForeignValue(path.into())),
        },
    }
}

pub(super) fn single(name: &Name) -> Path {
    Path { segments: Segment::plain(name.clone()).into(), of: None }
}
