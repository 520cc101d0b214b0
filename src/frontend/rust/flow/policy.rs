//! A layer's numbers from the fields of its policy: bounds, delays, jitter.

use super::remote::{Fields, first_object};
use crate::class::Endings;
use crate::effect::{Confidence, Effect, Form, Jitter, Repeat, RepeatKind, Shape, Stop, Wait};
use crate::frontend::rust::val::Val;
use crate::model::{Means, RetryModel, Scalar};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

impl Fields<'_, '_> {
    pub(super) fn layer(&self, body: Effect, model: &RetryModel, at: Span) -> Effect {
        let form = match &*model.form {
            "client" => Form::Client,
            "middleware" => Form::Middleware,
            "driver" => Form::Driver,
            "hedge" => Form::Hedge,
            _ => Form::Combinator,
        };
        let mut repeat = self.flow.repeat(self.flow.fresh_loop(), form, at, body);
        repeat.kind = if model.reconnects { RepeatKind::Reconnecting } else { RepeatKind::Retry };
        repeat.jumps = false;
        repeat.again = match model.retries_on.is_empty() {
            true => Endings::ERRORS,
            false => crate::model::endings(&model.retries_on),
        };
        repeat.seen.looks_at_error = model.classifies || !model.retries_on.is_empty();
        repeat.seen.classified_below = true;
        repeat.seen.elsewhere = model.elsewhere;
        repeat.seen.confidence = Confidence::High;
        let policy = model.policy.as_ref().map(|name| self.set(name).map(|f| f.value.clone()));
        match policy {
            Some(Some(value)) => match first_object(&value) {
                Some(object) => {
                    let inner = self.flow.world.models.type_model(&object.what).and_then(|m| m.retries.clone());
                    let fields = Fields { flow: self.flow, object: Some(&object), owner: &object.what, held: None };
                    fields.fill(&mut repeat, inner.as_ref().or(Some(model)), at);
                }
                None => lost(&mut repeat, at),
            },
            _ => self.fill(&mut repeat, Some(model), at),
        }
        if matches!(repeat.stops.first(), Some(Stop::Count(Value::Number(0 | 1), _))) {
            return repeat.body;
        }
        repeat.seen.retry_after = model.honours_retry_after;
        Effect::Repeat(Box::new(repeat))
    }

    /// Bounds and wait of a layer from the policy's fields.
    pub(super) fn fill(&self, repeat: &mut Repeat, model: Option<&RetryModel>, at: Span) {
        repeat.stops = self.stops(repeat, model);
        repeat.wait = self.wait(model, at);
        if let Some(model) = model
            && repeat.seen.retry_after.is_none()
        {
            repeat.seen.retry_after = model.honours_retry_after;
        }
    }

    pub(super) fn stops(&self, repeat: &mut Repeat, model: Option<&RetryModel>) -> Vec<Stop> {
        let mut stops = Vec::new();
        let total =
            |value: Value, means: Option<Means>| if means == Some(Means::Retries) { value.plus(1) } else { value };
        match self.set("attempts") {
            Some(field) if matches!(field.value, Val::Nothing) => repeat.seen.unbounded_at = field.at,
            Some(field) => {
                let (value, origin) = self.flow.world.values.as_count(&field.value);
                stops.push(Stop::Count(total(value, self.means("attempts")), origin));
            }
            None => {
                if let Some((Scalar::Int(n), source)) = self.default("attempts") {
                    let origin = Origin { kind: OriginKind::LibraryDefault, at: None, source: source.cloned() };
                    if !self.is_written() {
                        repeat.default_of = source.cloned().or_else(|| Some(Name::new(self.owner)));
                    }
                    stops.push(Stop::Count(total(Value::Number(*n), self.means("attempts")), origin));
                }
            }
        }
        match self.set("elapsed") {
            Some(field) if matches!(field.value, Val::Nothing) => repeat.seen.unbounded_at = field.at,
            _ => {
                if let Some((value, origin)) = self.ms("elapsed") {
                    if stops.is_empty() && origin.kind == OriginKind::LibraryDefault && !self.is_written() {
                        repeat.default_of = origin.source.clone().or_else(|| Some(Name::new(self.owner)));
                    }
                    stops.push(Stop::Elapsed(value, origin));
                }
            }
        }
        if stops.is_empty() && !model.is_some_and(|m| m.unbounded) && repeat.seen.unbounded_at.is_none() {
            stops.push(Stop::Count(Value::unknown("its number is not written here"), Origin::none()));
        }
        stops
    }

    /// Somebody built the policy in this tree, whatever its numbers are.
    fn is_written(&self) -> bool {
        let policy = self.object.and_then(|o| self.flow.world.models.type_model(&o.what)).map(|m| m.role);
        matches!(policy, Some(crate::model::Role::Policy | crate::model::Role::Layer))
    }

    pub(super) fn wait(&self, model: Option<&RetryModel>, at: Span) -> Wait {
        let shape = match self.text("shape").or_else(|| model.and_then(|m| m.shape.clone())).as_deref() {
            Some("exponential") => Shape::Exponential,
            Some("fixed") => Shape::Fixed,
            Some("linear") => Shape::Linear,
            Some("none") => Shape::None,
            Some("fibonacci" | "custom" | "polynomial" | "decorrelated") => Shape::Custom,
            _ => Shape::Unknown,
        };
        let number = |name: &str| self.ms(name).and_then(|(v, _)| v.number());
        let base = number("base");
        let factor = match model.is_some_and(|m| m.factor_is_base) {
            true => base.map(|b| b as f64),
            false => self.float("factor"),
        };
        let scale = self.float("multiplier").unwrap_or(1.0);
        let jitter = self.jitter(model);
        Wait {
            shape,
            base_ms: base.map(|b| (b as f64 * scale) as u64),
            factor: if shape == Shape::Exponential { factor } else { None },
            cap_ms: number("cap"),
            capped: number("cap").is_some() || self.set("cap").is_some_and(|f| f.value != Val::Nothing),
            jitter,
            at: self.object.and_then(|o| o.built_at).or(Some(at)),
            overflows: None,
            from: None,
        }
    }

    fn float(&self, name: &str) -> Option<f64> {
        match self.set(name).map(|f| &f.value) {
            Some(Val::Float(x)) => Some(*x),
            Some(Val::Int(Value::Number(n), _)) => Some(*n as f64),
            Some(_) => None,
            None => match self.default(name)?.0 {
                Scalar::Float(x) => Some(*x),
                Scalar::Int(n) => Some(*n as f64),
                _ => None,
            },
        }
    }

    pub(super) fn jitter(&self, model: Option<&RetryModel>) -> Jitter {
        let when_on = model.and_then(|m| m.jitter_when_on.as_ref()).map_or("some".to_owned(), |j| j.to_string());
        let word = match self.set("jitter").map(|f| &f.value) {
            Some(Val::Bool(true)) => when_on,
            Some(Val::Bool(false) | Val::Nothing) => "none".to_owned(),
            Some(Val::Text(text)) => text.to_string(),
            Some(Val::Float(x)) => {
                if *x == 0.0 {
                    "none".to_owned()
                } else {
                    when_on
                }
            }
            Some(Val::Int(Value::Number(n), _)) => if *n == 0 { "none" } else { "some" }.to_owned(),
            Some(_) => return Jitter::Unknown,
            None => match self.default("jitter") {
                Some((Scalar::Text(text), _)) => text.to_string(),
                Some((Scalar::Bool(b), _)) => {
                    if *b {
                        when_on
                    } else {
                        "none".to_owned()
                    }
                }
                Some((Scalar::Float(x), _)) => {
                    if *x == 0.0 {
                        "none".to_owned()
                    } else {
                        when_on
                    }
                }
                _ => model.and_then(|m| m.jitter.as_ref()).map_or("none".to_owned(), |j| j.to_string()),
            },
        };
        match word.as_str() {
            "none" => Jitter::None,
            "full" => Jitter::Full,
            "equal" => Jitter::Equal,
            "decorrelated" => Jitter::Decorrelated,
            _ => Jitter::Some,
        }
    }
}

/// A policy that could not be followed: neither its count nor its delays are known.
fn lost(repeat: &mut Repeat, at: Span) {
    repeat.stops = vec![Stop::Count(Value::unknown("its policy could not be followed"), Origin::none())];
    repeat.wait = Wait::unknown(at);
}
