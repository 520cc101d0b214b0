//! Calls through clients: the try itself, the deadlines and the retry layers that the client's object carries.

use std::rc::Rc;

use super::call::Parts;
use super::clients::Built;
use super::limits::deadline;
use super::{Flow, tidy};
use crate::effect::{
    Client, Confidence, Deadline, DeadlineKind, Effect, Key, Remote, Repeat, Safety, Shape, Stop, Target, Wait,
    variable,
};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::Ty;
use crate::frontend::rust::tree::ExprId;
use crate::frontend::rust::val::{Field, Object, Val};
use crate::model::{ArgRef, Means, RemoteModel, RetryModel, Scalar};
use crate::name::{Name, last_segment, split_last};
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

/// The `system` of a client that leaves its machine for nothing: a folder, memory.
const LOCAL: &str = "local";

impl Flow<'_> {
    pub(super) fn remote(&mut self, e: ExprId, path: &str, model: &RemoteModel, parts: &Parts) -> Effect {
        let mut effects: Vec<Effect> =
            parts.receiver.iter().chain(&parts.args).map(|a| tidy::dropped(self.expr(*a))).collect();
        self.note_op(e);
        let holder = parts.get(model.client.unwrap_or(ArgRef::Receiver));
        let owner = split_last(path).map_or("", |(owner, _)| owner);
        let found = holder.and_then(|h| self.object_of(h));
        let (object, mut followed) = self.stood_in(found, owner);
        if let Some(holder) = holder {
            self.note_used(e, holder, object.as_ref(), followed);
        }
        let deadlines = ["timeout", "read_timeout", "attempt_timeout"];
        let open = |o: &Object| deadlines.iter().any(|name| o.fields.get(*name).is_some_and(|f| may_lack(&f.value)));
        if object.as_deref().is_some_and(open) {
            // Some that come here have a deadline and some have none: which, is not followed.
            followed = Confidence::Low;
        }
        let held = holder.and_then(|h| self.foreign_type(h));
        let fields = Fields { flow: self, object: object.as_deref(), owner, held };
        if fields.text("system").is_some_and(|system| system == LOCAL) {
            return tidy::seq(effects);
        }
        let mut call = Effect::Remote(fields.request(e, path, model, parts, holder, followed));
        if model.answers_are_errors {
            call = tidy::statuses_to_errors(call, true);
        }
        if let Some(arg) = model.limit.and_then(|which| parts.get(which)) {
            let (limit, origin) = self.world.values.as_ms(&self.world.values.eval(self.body, arg));
            call = call.within(Deadline::new(DeadlineKind::Total, limit, origin.at.unwrap_or(self.at(e))));
        }
        call = fields.within(call, e, model);
        call = fields.layers(call, e, model);
        effects.push(call);
        tidy::seq(effects)
    }

    /// The object a client or request expression stands for; a parameter is what all callers hand over.
    fn object_of(&self, e: ExprId) -> Option<Rc<Object>> {
        let val = self.world.values.eval(self.body, e);
        first_object(&val)
            .filter(|o| o.built_at.is_some())
            .or_else(|| first_object(&self.world.values.close(self.body, val)))
    }

    /// The foreign type of an expression.
    pub(super) fn foreign_type(&self, e: ExprId) -> Option<Name> {
        match self.types.types.get(&pats::root(self.tree, e)).or_else(|| self.types.types.get(&e))? {
            Ty::Foreign(name, _) => Some(name.clone()),
            _ => None,
        }
    }

    /// A request whose client is not followed takes the fields of the clients that the tree builds, if these agree.
    /// How sure that is goes with it.
    fn stood_in(&self, found: Option<Rc<Object>>, owner: &str) -> (Option<Rc<Object>>, Confidence) {
        if found.as_ref().is_some_and(|o| o.built_at.is_some()) {
            return (found, Confidence::High);
        }
        match self.world.built(owner) {
            Built::Nowhere => (found, Confidence::High),
            Built::Differently => (found, Confidence::Low),
            Built::Like(client) => {
                let mut all = (*client).clone();
                if let Some(request) = found {
                    all.what = request.what.clone();
                    all.fields.extend(request.fields.iter().map(|(name, field)| (name.clone(), field.clone())));
                }
                (Some(Rc::new(all)), Confidence::Medium)
            }
        }
    }

    /// Fills a layer's numbers from the defaults of a policy that nobody gave.
    pub(super) fn apply_default(&self, repeat: &mut Repeat, what: &str, at: Span) {
        let model = self.world.models.type_model(what).and_then(|m| m.retries.clone());
        let fields = Fields { flow: self, object: None, owner: what, held: None };
        fields.fill(repeat, model.as_ref(), at);
    }

    /// Fills a layer's numbers from a policy's value.
    pub(super) fn apply_policy(&self, repeat: &mut Repeat, policy: Option<&Val>, at: Span) {
        let object = policy.and_then(first_object);
        match object {
            Some(object) => {
                let model = self.world.models.type_model(&object.what).and_then(|m| m.retries.clone());
                let fields = Fields { flow: self, object: Some(&object), owner: &object.what, held: None };
                fields.fill(repeat, model.as_ref(), at);
            }
            None => match policy {
                Some(Val::List(delays)) => {
                    repeat.stops = vec![Stop::Count(Value::Number(delays.len() as u64 + 1), Origin::literal(at))];
                    repeat.wait = Wait { shape: Shape::Custom, at: Some(at), ..Wait::none() };
                }
                _ => {
                    repeat.stops =
                        vec![Stop::Count(Value::unknown("its policy could not be followed"), Origin::none())];
                    repeat.wait = Wait::unknown(at);
                }
            },
        }
    }
}

/// The object that a value is; of several of one type what holds for the worst of them.
pub(in crate::frontend::rust) fn first_object(val: &Val) -> Option<Rc<Object>> {
    match val {
        Val::Object(object) => Some(object.clone()),
        Val::Wrapped(inner) => first_object(inner),
        Val::Any(several) => several.iter().filter_map(first_object).reduce(worse),
        _ => None,
    }
}

/// Fields that make a call safer: where one of the objects lacks such a field, it may be missing.
const SAFER: [&str; 6] = ["timeout", "read_timeout", "connect_timeout", "attempt_timeout", "elapsed", "key"];

/// Two objects that a call may go through, as one. Of different types the one that says more.
fn worse(a: Rc<Object>, b: Rc<Object>) -> Rc<Object> {
    if a.what != b.what {
        return if b.fields.len() > a.fields.len() { b } else { a };
    }
    let mut all = (*a).clone();
    for (name, field) in &b.fields {
        let own = all.fields.entry(name.clone()).or_insert_with(|| field.clone());
        own.value = match (a.fields.get(name), SAFER.contains(&&**name)) {
            (Some(before), _) => either(before.value.clone(), field.value.clone()),
            (None, true) => either(Val::Nothing, field.value.clone()),
            (None, false) => field.value.clone(),
        };
    }
    for (name, field) in &mut all.fields {
        if !b.fields.contains_key(name) && SAFER.contains(&&**name) {
            field.value = either(field.value.clone(), Val::Nothing);
        }
    }
    Rc::new(all)
}

/// What may be missing on some path.
fn may_lack(val: &Val) -> bool {
    matches!(val, Val::Any(parts) if parts.contains(&Val::Nothing))
}

/// Of two stacks of layers the higher one; of other values any.
fn either(a: Val, b: Val) -> Val {
    match (&a, &b) {
        (Val::List(x), Val::List(y)) => {
            if y.len() > x.len() {
                b
            } else {
                a
            }
        }
        _ if a == b => a,
        (Val::Any(x), _) if x.contains(&b) => a,
        _ => Val::Any(vec![a, b]),
    }
}

/// A value's fields over the defaults of its model.
pub(super) struct Fields<'f, 'a> {
    pub flow: &'f Flow<'a>,
    pub object: Option<&'f Object>,
    pub owner: &'f str,
    /// The type of the client that is handed over, where its object is not followed.
    pub held: Option<Name>,
}

impl Fields<'_, '_> {
    pub(super) fn set(&self, name: &str) -> Option<&Field> {
        self.object.and_then(|o| o.fields.get(name))
    }

    /// The model's default of a field, and its source line.
    pub(super) fn default(&self, name: &str) -> Option<(&Scalar, Option<&Name>)> {
        let types = [self.held.as_deref(), self.object.map(|o| &*o.what), Some(self.owner)];
        types.into_iter().flatten().find_map(|what| {
            let field = self.flow.world.models.type_model(what)?.fields.get(name)?;
            Some((field.default.as_ref()?, field.source.as_ref()))
        })
    }

    pub(super) fn means(&self, name: &str) -> Option<Means> {
        let types = [self.held.as_deref(), self.object.map(|o| &*o.what), Some(self.owner)];
        types.into_iter().flatten().find_map(|what| self.flow.world.models.type_model(what)?.fields.get(name)?.means)
    }

    /// Milliseconds of a field: what was set, else the default; a cleared field (`Nothing`) has none.
    pub(super) fn ms(&self, name: &str) -> Option<(Value, Origin)> {
        match self.set(name) {
            Some(field) => match &field.value {
                Val::Nothing => None,
                val if may_lack(val) => None,
                val => Some(self.flow.world.values.as_ms(val)),
            },
            None => match self.default(name)? {
                (Scalar::Int(n), source) => Some((
                    Value::Number(*n),
                    Origin { kind: OriginKind::LibraryDefault, at: None, source: source.cloned() },
                )),
                _ => None,
            },
        }
    }

    /// The first word of the SQL text, else what the model or the request's own field says.
    fn verb(&self, path: &str, model: &RemoteModel, parts: &Parts) -> Option<Name> {
        let statement = match model.statement {
            Some(ArgRef::Receiver) => self.set("statement").map(|f| f.value.clone()),
            Some(which) => parts.get(which).map(|arg| self.flow.world.values.eval(self.flow.body, arg)),
            None => None,
        };
        statement.and_then(|s| sql_verb(&s)).or_else(|| match model.verb.as_deref() {
            Some("{method}") => Some(Name::new(last_segment(path))),
            Some(fixed) => Some(Name::new(fixed)),
            None => self.text("verb"),
        })
    }

    fn request(
        &self,
        e: ExprId,
        path: &str,
        model: &RemoteModel,
        parts: &Parts,
        holder: Option<ExprId>,
        followed: Confidence,
    ) -> Remote {
        let address = match model.address.and_then(|a| parts.get(a)) {
            Some(arg) => self.flow.world.values.eval(self.flow.body, arg),
            None => self.set("address").map_or(Val::unknown("not given"), |f| f.value.clone()),
        };
        let verb = self.verb(path, model, parts);
        let sql = !matches!(&*model.system, "http" | "grpc" | "tcp");
        let built = self.object.and_then(|o| o.built_at);
        let client_type = self.object.map(|o| o.what.clone()).unwrap_or_else(|| Name::new(self.owner));
        Remote {
            system: self.system(model),
            safety: safety(model, verb.as_deref()),
            verb,
            target: self.target(&address, sql, path, holder),
            client: (!self.owner.is_empty()).then(|| Client {
                what: client_type,
                built_at: built,
                connect_timeout: self.ms("connect_timeout").is_some(),
                followed,
            }),
            key: if model.adds_key { Key::Once } else { self.key(e) },
            connect_only: model.connect_only,
            replays: None,
            at: self.flow.at(e),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<Name> {
        match (self.set(name).map(|f| &f.value), self.default(name)) {
            (Some(Val::Text(text)), _) | (None, Some((Scalar::Text(text), _))) => Some(text.clone()),
            _ => None,
        }
    }

    /// Which database it is, where one client speaks to several: the client that was built says it.
    fn system(&self, model: &RemoteModel) -> Name {
        self.text("system").filter(|_| &*model.system == "sql").unwrap_or_else(|| model.system.clone())
    }

    fn target(&self, address: &Val, sql: bool, path: &str, holder: Option<ExprId>) -> Target {
        let mut target = Target { via: holder.and_then(|h| self.flow.client_name(h)), ..Target::default() };
        match strip(address) {
            Val::Text(text) => target.address = Some(text.clone()),
            Val::Env(name) => target.address = Some(Name::from(variable::variable(name))),
            Val::Param(i) if !sql => target.param = Some(*i),
            _ => {}
        }
        let mut segments = path.rsplit("::");
        let method = segments.next().unwrap_or(path);
        let owner = segments.next().unwrap_or_default();
        target.method = Some(Name::from(format!("{owner}::{method}")));
        target
    }

    /// The deadlines that the client or the request carries, from the inside out: idle, then total.
    fn within(&self, call: Effect, e: ExprId, model: &RemoteModel) -> Effect {
        let at = self.flow.at(e);
        let mut call = call;
        // Under layers of the client's own a deadline per try lies inside them, the total one outside; see `layers`.
        let total = if self.own_layer().is_some() { "attempt_timeout" } else { "timeout" };
        for (name, kind) in [("read_timeout", DeadlineKind::Idle), (total, DeadlineKind::Total)] {
            if let Some((limit, origin)) = self.ms(name) {
                call = call.within(deadline(kind, limit, &origin, at));
            }
        }
        call = self.pooled(call, at);
        let limit = match (model.ends_after_ms, &model.ends_by) {
            (Some(ms), _) => Value::Number(ms),
            (None, Some(what)) => Value::unknown(what),
            (None, None) => return call,
        };
        call.within(Deadline::default_of(DeadlineKind::Total, limit, at))
    }

    /// The retry model of the client itself, if it has a layer here.
    fn own_layer(&self) -> Option<RetryModel> {
        let types = self.object.map(|o| o.what.clone()).into_iter().chain([Name::new(self.owner)]);
        let model = types.filter_map(|what| self.flow.world.models.type_model(&what)?.retries.clone()).next()?;
        let set = model.policy.as_ref().is_some_and(|name| self.set(name).is_some());
        let off =
            model.enabled.as_ref().is_some_and(|name| self.set(name).is_some_and(|f| f.value == Val::Bool(false)));
        ((set || !model.only_if_set) && !off).then_some(model)
    }

    /// The client's own retries inside, its middleware around them: the first that was added is the outermost.
    fn layers(&self, call: Effect, e: ExprId, model: &RemoteModel) -> Effect {
        let at = self.flow.at(e);
        let mut call = call;
        if let Some(retries) = self.own_layer() {
            call = self.layer(call, &retries, self.object.and_then(|o| o.built_at).unwrap_or(at));
            if let Some((limit, origin)) = self.ms("timeout") {
                call = call.within(deadline(DeadlineKind::Total, limit, &origin, at));
            }
        } else if let Some(what) = &model.retried_by
            && let Some(retries) = self.flow.world.models.type_model(what).and_then(|m| m.retries.clone())
        {
            let fields =
                Fields { flow: self.flow, object: self.object.filter(|o| o.what == *what), owner: what, held: None };
            call = fields.layer(call, &retries, at);
        }
        let Some(Field { value: Val::List(layers), .. }) = self.set("layers") else { return call };
        for layer in layers.iter().rev() {
            let Some(object) = first_object(layer) else { continue };
            let Some(layer) = self.flow.world.models.type_model(&object.what) else { continue };
            let fields = Fields { flow: self.flow, object: Some(&object), owner: &object.what, held: None };
            let Some(retries) = layer.retries.clone() else {
                if let Some((limit, origin)) = fields.ms("timeout") {
                    call = call.within(deadline(DeadlineKind::Total, limit, &origin, at));
                }
                continue;
            };
            call = fields.layer(call, &retries, object.built_at.unwrap_or(at));
        }
        call
    }
}

fn strip(val: &Val) -> &Val {
    match val {
        Val::Wrapped(inner) => strip(inner),
        Val::Any(several) => several.first().map_or(val, strip),
        other => other,
    }
}

fn sql_verb(text: &Val) -> Option<Name> {
    let Val::Text(text) = strip(text) else { return None };
    let word = text.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next()?.to_ascii_uppercase();
    if word == "INSERT" && text.to_ascii_uppercase().contains("ON CONFLICT") {
        return Some(Name::new("UPSERT"));
    }
    (!word.is_empty()).then(|| Name::from(word))
}

fn safety(model: &RemoteModel, verb: Option<&str>) -> Safety {
    match (model.safety.as_deref(), verb) {
        (Some("repeatable"), _) => Safety::Repeatable,
        (Some("unsafe"), _) => Safety::Unsafe,
        (
            _,
            Some(
                "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE" | "SELECT" | "UPSERT" | "WITH" | "SHOW"
                | "UPDATE",
            ),
        ) => Safety::Repeatable,
        (_, Some("POST" | "PATCH" | "INSERT")) => Safety::Unsafe,
        _ => Safety::Unknown,
    }
}
