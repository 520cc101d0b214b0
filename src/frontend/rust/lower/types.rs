//! Types, paths, bounds and generics. Types have no positions: no finding points at one.

use syn::{GenericArgument, GenericParam, PathArguments, ReturnType, TypeParamBound, WherePredicate};

use super::context::{Lower, deep};
use crate::frontend::rust::tree::{Arguments, Generics, Path, Segment, Segments, Type, TypeId};

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
            let path = Path { segments: self.segments(&ty.path, own.position), of: None };
            self.push_type(Type::Path(path))
        });
        let rest = ty.path.segments.iter().skip(own.position).map(|s| self.ident(&s.ident)).collect();
        Type::Qualified { of, as_trait, rest }
    }

    pub fn path(&mut self, path: &syn::Path) -> Path {
        Path { segments: self.segments(path, path.segments.len()), of: None }
    }

    /// A path of an expression or pattern, with `<T as Trait>::` before it.
    pub fn qualified(&mut self, of: Option<&syn::QSelf>, path: &syn::Path) -> Path {
        let of = of.map(|own| self.ty(&own.ty));
        Path { of, ..self.path(path) }
    }

    /// The first segments of a path.
    fn segments(&mut self, path: &syn::Path, count: usize) -> Segments {
        let root = path.leading_colon.as_ref().map(|_| Segment::plain(self.name("")));
        root.into_iter().chain(path.segments.iter().take(count).map(|s| self.segment(s))).collect()
    }

    fn segment(&mut self, segment: &syn::PathSegment) -> Segment {
        let name = self.ident(&segment.ident);
        let mut given = Arguments::default();
        match &segment.arguments {
            PathArguments::None => return Segment::plain(name),
            PathArguments::AngleBracketed(list) => {
                for argument in &list.args {
                    self.argument(argument, &mut given);
                }
            }
            PathArguments::Parenthesized(list) => {
                given.types = list.inputs.iter().map(|p| self.ty(&p.ty)).collect();
                if let Some(result) = self.result(&list.output) {
                    let output = self.name("Output");
                    given.bindings.push((output, result));
                }
            }
        }
        Segment::with(name, given)
    }

    fn argument(&mut self, argument: &GenericArgument, into: &mut Arguments) {
        match argument {
            GenericArgument::Type(ty) => into.types.push(self.ty(ty)),
            // Keeps the others in their places.
            GenericArgument::Const(_) => into.types.push(self.push_type(Type::Other)),
            GenericArgument::AssocType(binding) => {
                let name = self.ident(&binding.ident);
                into.bindings.push((name, self.ty(&binding.ty)));
            }
            GenericArgument::Constraint(constraint) => {
                let name = self.ident(&constraint.ident);
                let bounds = self.bounds(constraint.bounds.iter());
                into.bindings.push((name, self.push_type(Type::Impl(bounds))));
            }
            _ => {}
        }
    }

    pub fn turbofish(&mut self, list: Option<&syn::AngleBracketedGenericArguments>) -> Box<[TypeId]> {
        let Some(list) = list else { return Box::default() };
        let mut given = Arguments::default();
        for argument in &list.args {
            self.argument(argument, &mut given);
        }
        given.types.into_boxed_slice()
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
                        let segment = Segment::plain(name.clone());
                        let ty = self.push_type(Type::Path(Path { segments: segment.into(), of: None }));
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
