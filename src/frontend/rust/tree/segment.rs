//! Segments of paths. A third of all expressions are paths of one segment without arguments: those own nothing.

use std::ops::Deref;

use super::TypeId;
use crate::name::Name;

#[derive(Debug, Clone)]
pub struct Segment {
    pub name: Name,
    given: Option<Box<Arguments>>,
}

/// What stands between `<` and `>`.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    /// `<A, B>`, and the parameters of `Fn(A, B)`.
    pub types: Vec<TypeId>,
    /// `Item = T`, and `Output = R` for `Fn(A) -> R`.
    pub bindings: Vec<(Name, TypeId)>,
}

impl Segment {
    pub fn plain(name: Name) -> Segment {
        Segment { name, given: None }
    }

    pub fn with(name: Name, given: Arguments) -> Segment {
        let empty = given.types.is_empty() && given.bindings.is_empty();
        Segment { name, given: (!empty).then(|| Box::new(given)) }
    }

    pub fn args(&self) -> &[TypeId] {
        self.given.as_ref().map_or(&[], |g| &g.types)
    }

    pub fn bindings(&self) -> &[(Name, TypeId)] {
        self.given.as_ref().map_or(&[], |g| &g.bindings)
    }
}

#[derive(Debug, Clone)]
pub enum Segments {
    One(Segment),
    Several(Box<[Segment]>),
}

impl Default for Segments {
    fn default() -> Segments {
        Segments::Several(Box::default())
    }
}

impl Deref for Segments {
    type Target = [Segment];

    fn deref(&self) -> &[Segment] {
        match self {
            Segments::One(only) => std::slice::from_ref(only),
            Segments::Several(all) => all,
        }
    }
}

impl From<Segment> for Segments {
    fn from(only: Segment) -> Segments {
        Segments::One(only)
    }
}

impl FromIterator<Segment> for Segments {
    fn from_iter<I: IntoIterator<Item = Segment>>(all: I) -> Segments {
        let mut all = all.into_iter();
        match (all.next(), all.next()) {
            (None, _) => Segments::default(),
            (Some(only), None) => Segments::One(only),
            (Some(first), Some(second)) => Segments::Several([first, second].into_iter().chain(all).collect()),
        }
    }
}
