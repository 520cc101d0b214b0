//! What a backend does to a request: tries at its servers, and the answer where none of them gave one.

use rustc_hash::FxHashSet;

use super::conf::Kind;
use super::request::{Changes, Guard};
use super::routes::{Goal, Rule};
use super::rules::rules;
use super::server::Server;
use super::settings::{Count, Set, Settings, Time};
use super::unit::{Proxy, Unit};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{
    ByMethod, Confidence, Deadline, DeadlineKind, Effect, Form, Jitter, Key, Passes, Remote, Repeat, RepeatKind,
    Safety, Shape, Stop, Target, Wait,
};
use crate::fact::Facts;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Attempts, Origin, OriginKind, Value};

/// A backend as it is reached from a frontend, if from one.
pub struct Reached<'u> {
    pub frontend: Option<&'u Proxy>,
    pub backend: &'u Proxy,
    pub function: Name,
}

impl Reached<'_> {
    pub fn effect(&self, facts: &mut Facts) -> Effect {
        let Some(servers) = self.backend.servers.as_ref().filter(|s| !s.is_empty()) else {
            let unavailable = Ending::Status(FailureClass::Unavailable);
            return Effect::End(if self.tcp() { Ending::Error(FailureClass::Reset) } else { unavailable });
        };
        let changes = self.changes();
        let attempt = self.attempt(servers, &changes);
        let tries = self.tries(servers, attempt, &changes, facts);
        let answers = match self.tcp() {
            // The client's connection is closed.
            true => vec![(Endings::ERRORS, Endings::one(Ending::Error(FailureClass::Reset)))],
            false => rules().renamed(),
        };
        // Only where it is asked for it looks whether the client is still there.
        let tries = if self.settings().aborts { tries } else { Effect::Outlives(Box::new(tries)) };
        Effect::Map(answers, Box::new(tries))
    }

    fn settings(&self) -> &Settings {
        &self.backend.settings
    }

    fn tcp(&self) -> bool {
        self.settings().tcp
    }

    fn changes(&self) -> Changes {
        // What a `listen` does to its own servers is said once.
        let own = self.frontend.filter(|f| f.section.head.at != self.backend.section.head.at);
        own.map_or_else(|| self.backend.changes.clone(), |f| f.changes.then(&self.backend.changes))
    }

    fn attempt(&self, servers: &[Server], changes: &Changes) -> Effect {
        let tcp = self.tcp();
        let remote = Remote {
            system: Name::new(if tcp { "tcp" } else { "http" }),
            verb: changes.method.clone().filter(|_| !tcp),
            safety: Safety::Unknown,
            target: self.target(servers, if tcp { None } else { Some(changes.passes.clone()) }),
            client: None,
            key: Key::None,
            connect_only: tcp,
            replays: None,
            at: self.backend.section.head.at,
        };
        let dialled = self.within(DeadlineKind::Connect, self.settings().connect.as_ref(), Effect::Remote(remote));
        self.within(DeadlineKind::Idle, self.settings().server.as_ref(), dialled)
    }

    /// A time of nothing is no limit.
    fn within(&self, kind: DeadlineKind, set: Option<&Set<Time>>, body: Effect) -> Effect {
        match set {
            Some(set) if set.value == Time::Millis(0) => body,
            Some(set) => body.within(Deadline::new(kind, value(set), set.at)),
            None if self.settings().elsewhere => {
                let limit = Value::unknown("the defaults stand in a file that is not here");
                body.within(Deadline::default_of(kind, limit, self.backend.section.head.at))
            }
            None => body,
        }
    }

    fn target(&self, servers: &[Server], passes: Option<Passes>) -> Target {
        let name = self.backend.section.name.clone();
        let known: Vec<&Server> = servers.iter().filter(|s| !s.address.is_empty()).collect();
        match known.as_slice() {
            [] => Target { method: Some(Name::from(format!("backend {name}"))), passes, ..Target::default() },
            [one] if one.open => {
                let address = Some(Name::from(format!("http://{}", one.address)));
                Target { named: Some(name), address, passes, ..Target::default() }
            }
            many => {
                let servers = many.iter().map(|s| self.address(s)).collect();
                Target { named: Some(name), servers, passes, ..Target::default() }
            }
        }
    }

    /// Where no port is written it is the one at which the request came in. On the machine itself something else than that
    /// socket must be meant.
    fn address(&self, server: &Server) -> Name {
        match self.frontend.map(|f| f.sockets.listens.as_slice()) {
            Some([one]) if !server.port && !server.is_local() => Name::from(format!("{}:{}", server.usual, one.port)),
            _ => server.usual.clone(),
        }
    }

    fn tries(&self, servers: &[Server], attempt: Effect, changes: &Changes, facts: &mut Facts) -> Effect {
        let again = self.again();
        if self.settings().retries() == Some(0) || again.is_empty() {
            return attempt;
        }
        let connect = again & Endings::errors_of([FailureClass::Connect]);
        let sent = !again.without(connect).is_empty();
        let (kept_out, by_method) = gate(&changes.guard, changes.method.as_ref(), connect);
        let at = self.place();
        let mut repeat =
            Repeat::new(facts.new_loop(), RepeatKind::Retry, Form::Proxy, self.function.clone(), at, attempt);
        repeat.stops = vec![self.count()];
        repeat.again = if kept_out { connect } else { again };
        repeat.by_method = by_method.filter(|_| sent);
        repeat.default_of = (!self.is_written()).then(default_layer);
        repeat.per_try_ms = self.settings().server.as_ref().and_then(|s| value(s).number());
        repeat.seen.elsewhere = self.elsewhere(servers);
        repeat.wait = self.wait(sent && !kept_out, repeat.seen.elsewhere);
        repeat.seen.wait_is_fixed = true;
        repeat.seen.looks_at_error = true;
        repeat.seen.confidence = Confidence::High;
        if let Some(list) = self.settings().retry_on.as_ref().filter(|_| !self.tcp()) {
            let takes_all = list.value.iter().any(|w| rules().takes_unsafe(&w.value));
            repeat.takes_unsafe = (takes_all && !changes.guard.is_there()).then_some(list.at);
            let permanent = |w: &&str| matches!(*w, "401" | "403" | "404");
            repeat.seen.permanent_at = self.settings().words().iter().any(permanent).then_some(list.at);
        }
        Effect::Repeat(Box::new(repeat))
    }

    /// After which endings of a try there is another.
    fn again(&self) -> Endings {
        let words = self.settings().words();
        if words.contains(&"none") {
            return Endings::NONE;
        }
        let listed = words.iter().filter_map(|w| rules().repeats(w)).fold(Endings::NONE, |all, one| all | one);
        // Without an understanding of HTTP only the connecting can be tried again.
        if self.tcp() { listed & Endings::errors_of([FailureClass::Connect]) } else { listed }
    }

    fn is_written(&self) -> bool {
        self.settings().retries.is_some() || self.settings().retry_on.is_some()
    }

    /// The setting that says what is repeated, else the one that says how often, else the backend.
    fn place(&self) -> Span {
        let settings = self.settings();
        let list = settings.retry_on.as_ref().map(|l| l.at);
        list.or(settings.retries.as_ref().map(|r| r.at)).unwrap_or(self.backend.section.head.at)
    }

    fn count(&self) -> Stop {
        let default = &rules().defaults.retries;
        let at = Some(self.settings().retries.as_ref().map_or(self.backend.section.head.at, |r| r.at));
        let config = Origin { kind: OriginKind::Config, at, source: None };
        let total = |n: u64| Value::Number(Attempts::from_retries(n).total());
        match self.settings().retries.as_ref().map(|r| &r.value) {
            None => {
                let source = Name::from(format!("{} retries ({})", rules().proxy, default.source));
                Stop::Count(total(default.value), Origin { kind: OriginKind::LibraryDefault, at, source: Some(source) })
            }
            Some(Count::Is(n)) => Stop::Count(total(*n), config),
            Some(Count::Wrong(_)) => Stop::Count(total(0), config),
            Some(Count::Later(text)) => {
                Stop::Count(Value::unknown(&format!("`retries` is filled in later: {text}")), config)
            }
        }
    }

    /// Each further attempt goes to another server, as long as there is one.
    fn elsewhere(&self, servers: &[Server]) -> bool {
        let settings = self.settings();
        settings.redispatch.is_some() && servers.len() > 1 && !settings.hashed
    }

    /// Only a failed connect to the same server waits, always the same time.
    fn wait(&self, sent: bool, elsewhere: bool) -> Wait {
        if sent || elsewhere {
            return Wait::none();
        }
        let connect = self.settings().connect.as_ref().and_then(|c| value(c).number()).filter(|ms| *ms > 0);
        let fixed = connect.map_or(rules().turn_around(), |ms| ms.min(rules().turn_around()));
        Wait {
            shape: Shape::Fixed,
            base_ms: Some(fixed),
            factor: Some(1.0),
            cap_ms: Some(fixed),
            capped: true,
            jitter: Jitter::None,
            ..Wait::none()
        }
    }
}

/// Whether no request is repeated once it was sent, and those of which methods are not.
fn gate(guard: &Guard, method: Option<&Name>, connect: Endings) -> (bool, Option<ByMethod>) {
    let Some(methods) = guard.methods.clone().filter(|_| !guard.all) else { return (guard.all, None) };
    match method {
        Some(method) => (methods.has(method), None),
        None => (false, Some(ByMethod { methods, again: connect })),
    }
}

fn value(set: &Set<Time>) -> Value {
    match &set.value {
        Time::Millis(ms) => Value::Number(*ms),
        Time::Later(text) => Value::unknown(&format!("`{text}` is no time yet")),
    }
}

/// `HAProxy (source)` for a layer that nobody wrote.
fn default_layer() -> Name {
    Name::from(format!("HAProxy ({})", rules().defaults.retries.source))
}

/// What a text that is made of the request may mean: the backends that no rule names.
pub fn picked(unit: &Unit) -> Vec<usize> {
    let named = |rule: &Rule| match &rule.goal {
        Goal::Backend(name) => unit.backend(name),
        _ => None,
    };
    let named: FxHashSet<usize> = unit.proxies.iter().flat_map(|p| &p.rules).filter_map(named).collect();
    let all = unit.proxies.iter().enumerate();
    all.filter(|(i, p)| p.section.kind == Kind::Backend && !named.contains(i)).map(|(i, _)| i).collect()
}
