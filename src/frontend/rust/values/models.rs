//! Objects of modelled types: constructors begin one, setters change it, finishers hand it on.

use std::rc::Rc;

use super::Values;
use super::number::{any, min, unwrap};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{ExprId, ExprKind};
use crate::frontend::rust::val::{Field, Object, Val};
use crate::model::{Does, FnModel, KEY_HEADERS, Scalar, SetTo};
use crate::name::{Name, split_last};
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

impl Values<'_> {
    /// The model of a foreign function or method by its path.
    pub fn model_of(&self, path: &str) -> Option<&FnModel> {
        let path = self.canonical(path);
        if let Some(found) = self.models.function(&path) {
            return Some(found);
        }
        let (owner, name) = split_last(&path)?;
        let by_trait = || self.models.trait_methods(name).find(|(of, _)| **of == *owner).map(|(_, m)| m);
        self.models.method(owner, name).or_else(by_trait)
    }

    pub(super) fn modelled_call(&self, body: BodyId, e: ExprId, path: &Name, args: &[ExprId]) -> Option<Val> {
        let model = self.model_of(path)?;
        let owner = split_last(path).map(|(owner, _)| Name::new(owner));
        let apply = Apply { values: self, body, e, model, owner, args };
        apply.to(None)
    }

    /// A variant of a library's enum whose model says what its fields mean (`RetryConfig::Simple(3)`).
    pub(super) fn modelled_variant(&self, body: BodyId, e: ExprId, path: &Name, args: &[ExprId]) -> Option<Val> {
        let says = self.model_of(path).is_some_and(|m| !m.sets.is_empty());
        says.then(|| self.modelled_call(body, e, path, args)).flatten()
    }

    pub(super) fn modelled_method(
        &self,
        body: BodyId,
        e: ExprId,
        path: &Name,
        receiver: &Val,
        args: &[ExprId],
    ) -> Option<Val> {
        let model = self.model_of(path)?;
        let owner = split_last(path).map(|(owner, _)| Name::new(owner));
        let apply = Apply { values: self, body, e, model, owner, args };
        apply.to(Some(receiver))
    }

    pub(super) fn modelled_default(&self, body: BodyId, e: ExprId, name: &Name) -> Val {
        let what = self.canonical(name);
        match self.models.type_model(&what) {
            Some(_) => Val::Object(Rc::new(Object {
                what,
                fields: Default::default(),
                built_at: Some(self.span(body, e)),
                built_in: Some(body),
            })),
            None => Val::unknown(&format!("the default of `{name}`")),
        }
    }
}

struct Apply<'v, 'a> {
    values: &'v Values<'a>,
    body: BodyId,
    e: ExprId,
    model: &'v FnModel,
    owner: Option<Name>,
    args: &'v [ExprId],
}

impl Apply<'_, '_> {
    /// `None`: the model says nothing about the value.
    fn to(&self, receiver: Option<&Val>) -> Option<Val> {
        if let Some(param @ Val::Param(_)) = receiver {
            // A client that is handed in is what all callers hand in, as far as that is seen.
            return match self.values.close(self.body, param.clone()) {
                Val::Param(_) => self.to(Some(&Val::unknown("handed in from outside"))),
                closed => self.to(Some(&closed)),
            };
        }
        if let Some(Val::Any(parts)) = receiver
            && !parts.is_empty()
        {
            return Some(any(parts.iter().filter_map(|p| self.to(Some(p)))));
        }
        if matches!(self.model.does, Some(Does::Random)) {
            return Some(Val::unknown("random"));
        }
        self.to_one(receiver)
    }

    /// The same for a receiver that is one value, or none.
    fn to_one(&self, receiver: Option<&Val>) -> Option<Val> {
        let made = self.made();
        let keeps = self.model.carries || !self.model.sets.is_empty() || self.returns_self();
        let from = match (self.model.carries_arg, receiver) {
            (Some(i), Some(receiver)) if self.model.carries => self.both(object(receiver.clone()), i),
            (Some(i), _) => self.argument(i).map(|v| self.values.close(self.body, v)).and_then(object),
            (None, Some(receiver)) if keeps => object(receiver.clone()),
            _ => None,
        };
        if from.is_none() && made.is_none() && self.model.sets.is_empty() {
            return (self.model.carries && receiver.is_some()).then(|| receiver.cloned()).flatten();
        }
        let new = || Object {
            what: Name::new(""),
            fields: Default::default(),
            built_at: receiver.is_none().then(|| self.values.span(self.body, self.e)),
            built_in: Some(self.body),
        };
        let mut object = from.map_or_else(new, |o| (*o).clone());
        if self.model.carries_arg.is_some() && receiver.is_none() {
            // A wrapper around another value is built where it is wrapped.
            object.built_at = Some(self.values.span(self.body, self.e));
            object.built_in = Some(self.body);
        }
        if let Some(what) = made.or_else(|| self.owner.clone().filter(|_| object.what.is_empty())) {
            object.what = what;
        }
        for (field, to) in &self.model.sets {
            self.set(&mut object, field, to);
        }
        Some(Val::Object(Rc::new(object)))
    }

    /// The receiver's fields and the argument's, which win (`loader.retry_config(config)`).
    fn both(&self, receiver: Option<Rc<Object>>, i: u16) -> Option<Rc<Object>> {
        let given = self.argument(i).map(|v| self.values.close(self.body, v)).and_then(object);
        let (Some(receiver), Some(given)) = (&receiver, &given) else { return receiver.or(given) };
        let mut all = (**receiver).clone();
        all.fields.extend(given.fields.iter().map(|(name, field)| (name.clone(), field.clone())));
        Some(Rc::new(all))
    }

    fn returns_self(&self) -> bool {
        self.model.returns.as_ref().is_some_and(|r| inner_type(r) == "Self")
    }

    /// The modelled type of the result.
    fn made(&self) -> Option<Name> {
        let inner = inner_type(self.model.returns.as_ref()?);
        if inner == "Self" {
            return self.owner.clone().map(|o| self.values.canonical(&o));
        }
        let what = self.values.canonical(inner);
        self.values.models.type_model(&what).map(|_| what)
    }

    fn argument(&self, i: u16) -> Option<Val> {
        self.args.get(i as usize).map(|a| self.values.eval(self.body, *a))
    }

    /// Which jitter a function applied to every delay has; nothing if it holds no randomness.
    fn jitter_of(&self, i: u16) -> Option<Name> {
        let arg = *self.args.get(usize::from(i))?;
        match self.values.target(self.body, arg) {
            Some(Target::Foreign(path)) => self.values.models.function(path)?.jitter.clone(),
            _ => self.holds_randomness(arg).then(|| Name::new("some")),
        }
    }

    /// A closure in which something random is made.
    fn holds_randomness(&self, e: ExprId) -> bool {
        let tree = self.values.tree(self.body);
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if let Some(Target::Foreign(path)) = self.values.target(self.body, e)
                && self
                    .values
                    .model_of(path)
                    .is_some_and(|m| m.jitter.is_some() || matches!(m.does, Some(Does::Random)))
            {
                return true;
            }
            pats::push_children(tree, e, &mut open);
        }
        false
    }

    /// The value of a header that makes a repeated request the same one for its server.
    fn key_header(&self, i: u16) -> Option<Val> {
        let Some(Val::Text(name)) = self.argument(i) else { return None };
        let known = KEY_HEADERS.contains(&&*name.to_ascii_lowercase());
        known.then(|| self.argument(i + 1).unwrap_or_else(|| Val::unknown("an argument that is not seen")))
    }

    fn method_name(&self) -> Option<Name> {
        match &self.values.tree(self.body).expr(self.e).kind {
            ExprKind::Method { name, .. } => Some(name.clone()),
            _ => None,
        }
    }

    fn set(&self, object: &mut Object, field: &Name, to: &SetTo) {
        let missing = || Val::unknown("an argument that is not seen");
        let value = match to {
            SetTo::Arg(i) => self.argument(*i).unwrap_or_else(missing),
            SetTo::Value(scalar) => scalar_value(scalar),
            SetTo::Clear => Val::Nothing,
            SetTo::JitterBy(i) => match self.jitter_of(*i) {
                Some(jitter) => Val::Text(jitter),
                None => return,
            },
            SetTo::KeyHeader(i) => match self.key_header(*i) {
                Some(value) => value,
                None => return,
            },
            SetTo::MethodName => match self.method_name() {
                Some(name) => Val::Text(name),
                None => return,
            },
            SetTo::Named(keys) => match self.argument(0) {
                Some(Val::Text(name)) if keys.contains(&name) => self.argument(1).map_or_else(missing, from_text),
                _ => return,
            },
            SetTo::AtMostArg(i) => {
                let limit = self.argument(*i).unwrap_or_else(missing);
                match object.fields.get(field) {
                    Some(old) => min(old.value.clone(), limit),
                    None => limit,
                }
            }
            SetTo::Push(i) => {
                let mut list = match object.fields.get(field).map(|f| &f.value) {
                    Some(Val::List(list)) => list.clone(),
                    _ => Vec::new(),
                };
                list.push(self.argument(*i).unwrap_or_else(missing));
                Val::List(list)
            }
        };
        object.fields.insert(field.clone(), Field { value, at: Some(self.setter_span()) });
    }

    /// The setter's own name and arguments, not the whole chain before it.
    fn setter_span(&self) -> Span {
        let expr = self.values.tree(self.body).expr(self.e);
        let mut at = expr.at;
        if let ExprKind::Method { name_at, .. } = &expr.kind {
            at.start = name_at.start;
        }
        self.values.program.span(self.body, at)
    }
}

fn object(value: Val) -> Option<Rc<Object>> {
    match unwrap(value) {
        Val::Object(o) => Some(o),
        Val::Any(parts) => parts.into_iter().find_map(object),
        _ => None,
    }
}

/// A number that is written as text, as settings by name are.
fn from_text(value: Val) -> Val {
    match &value {
        Val::Text(text) => match text.trim() {
            "true" => Val::Bool(true),
            "false" => Val::Bool(false),
            number => number.parse().map_or(value.clone(), |n| Val::Int(Value::Number(n), Origin::none())),
        },
        _ => value,
    }
}

fn scalar_value(scalar: &Scalar) -> Val {
    let origin = Origin { kind: OriginKind::LibraryDefault, ..Origin::none() };
    match scalar {
        Scalar::Bool(b) => Val::Bool(*b),
        Scalar::Int(n) => Val::Int(Value::Number(*n), origin),
        Scalar::Float(f) => Val::Float(*f),
        Scalar::Text(t) => Val::Text(t.clone()),
    }
}

/// `Result<reqwest::Client, E>` is about `reqwest::Client`.
pub fn inner_type(text: &str) -> &str {
    let text = text.trim();
    let Some((head, rest)) = text.split_once('<') else {
        return text;
    };
    match head.trim().rsplit("::").next().unwrap_or(head) {
        "Result" | "Option" | "Arc" | "Box" | "Pin" => {
            let end = top_comma(rest);
            inner_type(&rest[..end])
        }
        _ => head.trim(),
    }
}

fn top_comma(text: &str) -> usize {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' if depth == 0 => return i,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => return i,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::inner_type;

    #[test]
    fn results_and_options_are_looked_through() {
        assert_eq!(inner_type("Result<reqwest::Client, reqwest::Error>"), "reqwest::Client");
        assert_eq!(inner_type("Option<Arc<a::B<C, D>>>"), "a::B");
        assert_eq!(inner_type("Self"), "Self");
    }
}
