//! Types, paths, bounds and generics. Types have no positions: no finding points at one.

use syn::{GenericArgument, GenericParam, PathArguments, ReturnType, TypeParamBound, WherePredicate};

use super::context::{Lower, deep};
use crate::frontend::rust::tree::{Generics, Path, Segment, Type, TypeId};

impl Lower<'_> {
    pub fn ty(&mut self, ty: &syn::Type) -> TypeId {
        deep(|| {
            let inner = match ty {
                syn::Type::Paren(inner) => &inner.elem,
                syn::Type::Group(inner) => &inner.elem,
                _ => {
                    let lowered = self.ty_node(ty);
                    return self.push_type(lowered);
                }
            };
            self.ty(inner)
        })
    }

    fn ty_node(&mut self, ty: &syn::Type) -> Type {
        match ty {
            syn::Type::Path(path) => self.path_type(path),
            syn::Type::Reference(inner) => Type::Ref(self.ty(&inner.elem)),
            syn::Type::Ptr(inner) => Type::Ref(self.ty(&inner.elem)),
            syn::Type::Tuple(tuple) => Type::Tuple(tuple.elems.iter().map(|t| self.ty(t)).collect()),
            syn::Type::Slice(inner) => Type::Slice(self.ty(&inner.elem)),
            syn::Type::Array(inner) => Type::Slice(self.ty(&inner.elem)),
            syn::Type::FnPtr(f) => {
                let params = f.inputs.iter().map(|p| self.ty(&p.ty)).collect();
                Type::Fn { params, result: self.result(&f.output) }
            }
            syn::Type::ImplTrait(bounds) => Type::Impl(self.bounds(bounds.bounds.iter())),
            syn::Type::TraitObject(bounds) => Type::Dyn(self.bounds(bounds.bounds.iter())),
            syn::Type::Never(_) => Type::Never,
            syn::Type::Infer(_) => Type::Infer,
            _ => Type::Other,
        }
    }

    pub fn result(&mut self, output: &ReturnType) -> Option<TypeId> {
        match output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(self.ty(ty)),
        }
    }

    fn path_type(&mut self, ty: &syn::TypePath) -> Type {
        let Some(own) = &ty.qself else {
            return Type::Path(self.path(&ty.path));
        };
        let of = self.ty(&own.ty);
        let as_trait = (own.position > 0).then(|| {
            let mut path = Path::default();
            self.segments(&ty.path, 0, own.position, &mut path);
            self.push_type(Type::Path(path))
        });
        let rest = ty.path.segments.iter().skip(own.position).map(|s| self.ident(&s.ident)).collect();
        Type::Qualified { of, as_trait, rest }
    }

    pub fn path(&mut self, path: &syn::Path) -> Path {
        let mut lowered = Path { segments: Vec::with_capacity(path.segments.len()), of: None };
        self.segments(path, 0, path.segments.len(), &mut lowered);
        lowered
    }

    /// A path of an expression or pattern, with `<T as Trait>::` before it.
    pub fn qualified(&mut self, of: Option<&syn::QSelf>, path: &syn::Path) -> Path {
        let of = of.map(|own| self.ty(&own.ty));
        Path { of, ..self.path(path) }
    }

    fn segments(&mut self, path: &syn::Path, from: usize, to: usize, into: &mut Path) {
        if from == 0 && path.leading_colon.is_some() {
            let name = self.name("");
            into.segments.push(Segment { name, args: Vec::new(), bindings: Vec::new() });
        }
        for segment in path.segments.iter().take(to).skip(from) {
            let lowered = self.segment(segment);
            into.segments.push(lowered);
        }
    }

    fn segment(&mut self, segment: &syn::PathSegment) -> Segment {
        let mut lowered = Segment { name: self.ident(&segment.ident), args: Vec::new(), bindings: Vec::new() };
        match &segment.arguments {
            PathArguments::None => {}
            PathArguments::AngleBracketed(list) => {
                for argument in &list.args {
                    self.argument(argument, &mut lowered);
                }
            }
            PathArguments::Parenthesized(list) => {
                lowered.args = list.inputs.iter().map(|p| self.ty(&p.ty)).collect();
                if let Some(result) = self.result(&list.output) {
                    let output = self.name("Output");
                    lowered.bindings.push((output, result));
                }
            }
        }
        lowered
    }

    fn argument(&mut self, argument: &GenericArgument, segment: &mut Segment) {
        match argument {
            GenericArgument::Type(ty) => segment.args.push(self.ty(ty)),
            // Keeps the others in their places.
            GenericArgument::Const(_) => segment.args.push(self.push_type(Type::Other)),
            GenericArgument::AssocType(binding) => {
                let name = self.ident(&binding.ident);
                segment.bindings.push((name, self.ty(&binding.ty)));
            }
            GenericArgument::Constraint(constraint) => {
                let name = self.ident(&constraint.ident);
                let bounds = self.bounds(constraint.bounds.iter());
                segment.bindings.push((name, self.push_type(Type::Impl(bounds))));
            }
            _ => {}
        }
    }

    pub fn turbofish(&mut self, list: Option<&syn::AngleBracketedGenericArguments>) -> Vec<TypeId> {
        let Some(list) = list else { return Vec::new() };
        let mut segment = Segment { name: self.name(""), args: Vec::new(), bindings: Vec::new() };
        for argument in &list.args {
            self.argument(argument, &mut segment);
        }
        segment.args
    }

    pub fn bounds<'a>(&mut self, bounds: impl Iterator<Item = &'a TypeParamBound>) -> Vec<TypeId> {
        let mut lowered = Vec::new();
        for bound in bounds {
            if let TypeParamBound::Trait(bound) = bound {
                let path = self.path(&bound.path);
                lowered.push(self.push_type(Type::Path(path)));
            }
        }
        lowered
    }

    pub fn generics(&mut self, generics: &syn::Generics) -> Generics {
        let mut lowered = Generics::default();
        for param in &generics.params {
            match param {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(param) => {
                    let name = self.ident(&param.ident);
                    if !param.bounds.is_empty() {
                        let segment = Segment { name: name.clone(), args: Vec::new(), bindings: Vec::new() };
                        let ty = self.push_type(Type::Path(Path { segments: vec![segment], of: None }));
                        let bounds = self.bounds(param.bounds.iter());
                        lowered.bounds.push((ty, bounds));
                    }
                    lowered.params.push(name);
                }
                GenericParam::Const(param) => lowered.params.push(self.ident(&param.ident)),
            }
        }
        let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates);
        for predicate in predicates {
            if let WherePredicate::Type(predicate) = predicate {
                let ty = self.ty(&predicate.bounded_ty);
                let bounds = self.bounds(predicate.bounds.iter());
                lowered.bounds.push((ty, bounds));
            }
        }
        lowered
    }
}
