//! Signatures of functions and types of fields, made when they are first asked for.

use super::types::Written;
use super::{Home, Index};
use crate::frontend::rust::program::{AdtId, FnId, Program, TraitRef, Ty};
use crate::frontend::rust::tree::Generics;
use crate::model::Models;
use crate::name::Name;

/// A function's types; generic parameters are `Ty::Param`.
#[derive(Debug)]
pub struct Sig {
    pub self_ty: Option<Ty>,
    pub receiver: bool,
    pub generics: Vec<Name>,
    /// What is known of a parameter or projection: a `Fn`, a future's output, an iterator, or traits.
    pub bounds: Vec<(Ty, Ty)>,
    pub params: Vec<Ty>,
    pub result: Ty,
}

/// The fields of a struct or of one variant.
#[derive(Debug)]
pub struct VariantTypes {
    pub fields: Vec<(Name, Ty)>,
}

impl Index {
    pub fn sig(&self, program: &Program, models: &Models, id: FnId) -> &Sig {
        self.sigs[id.0 as usize].get_or_init(|| self.make_sig(program, models, id))
    }

    fn make_sig(&self, program: &Program, models: &Models, id: FnId) -> Sig {
        let def = program.def(id);
        let function = program.function(id);
        let home = self.home(id);
        let at = Written::new(program, self, Some(models), def.file, def.module);
        let at = at.at_home(home).with_params(&function.generics);
        let result = function.result;
        Sig {
            self_ty: at.self_ty.clone(),
            receiver: function.receiver.is_some(),
            generics: at.params.clone(),
            params: function.params.iter().map(|(_, t)| at.fresh().ty(*t)).collect(),
            result: result.map_or(Ty::Tuple(Vec::new()), |t| at.fresh().ty(t)),
            bounds: self.bounds_of(program, home, &function.generics, &at),
        }
    }

    fn bounds_of(&self, program: &Program, home: Home, own: &Generics, at: &Written<'_>) -> Vec<(Ty, Ty)> {
        let mut bounds = Vec::new();
        let outer = match home {
            Home::Impl(id) => {
                let found = &self.impls[id as usize];
                Some(&program.tree(found.file).impls[found.decl as usize].generics)
            }
            Home::Trait(id) => {
                let of_self = Ty::Bound(vec![TraitRef::Tree(id)]);
                bounds.push((Ty::Param("Self".into()), of_self));
                let found = &program.traits[id.0 as usize];
                Some(&program.tree(found.file).traits[found.decl as usize].generics)
            }
            Home::Module => None,
        };
        for (ty, list) in outer.into_iter().chain([own]).flat_map(|g| &g.bounds) {
            let of = at.fresh().ty(*ty);
            if matches!(of, Ty::Param(_) | Ty::Assoc(..)) {
                bounds.push((of, at.fresh().bounds(list)));
            }
        }
        bounds
    }

    pub fn variants_of(&self, program: &Program, models: &Models, id: AdtId) -> &[VariantTypes] {
        self.fields[id.0 as usize].get_or_init(|| {
            let (adt, decl) = (program.adt(id), program.adt_decl(id));
            let mut at = Written::new(program, self, Some(models), adt.file, adt.module);
            at.params = decl.generics.params.clone();
            at.self_ty = Some(Ty::Adt(id, at.params.iter().cloned().map(Ty::Param).collect()));
            let field = |f: &crate::frontend::rust::tree::FieldDecl| (f.name.clone(), at.fresh().ty(f.ty));
            decl.variants.iter().map(|v| VariantTypes { fields: v.fields.iter().map(field).collect() }).collect()
        })
    }
}
