//! What libraries do, as data: `rules/models/*.yaml` in typed form, and look-ups by canonical path.
//!
//! A model describes types with their methods, free functions, traits, macros and attributes. A value of a modelled type
//! is an object with named fields: setters change fields, finishers hand the fields on, and whatever sends something
//! remote, waits, retries or cuts reads them. Paths may hold `*` for one segment or part of one (`aws_sdk_*::Client`).

mod check;
mod entry;
pub mod load;
pub mod lookup;

pub use entry::Entry;
pub use load::endings;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::name::Name;

/// One file of `rules/models`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The crate's name as on the registry.
    #[serde(rename = "crate")]
    pub krate: Name,
    /// A semver requirement: the versions it holds for, such as `>=0.11, <0.14`.
    pub versions: Name,
    /// One sentence for `explain`.
    pub about: Name,
    /// Other spellings of a path: alias → canonical. A trailing `::*` maps a whole module.
    #[serde(default)]
    pub aliases: BTreeMap<Name, Name>,
    #[serde(default)]
    pub types: BTreeMap<Name, TypeModel>,
    /// Free functions and associated functions that are not methods, by canonical path.
    #[serde(default)]
    pub functions: BTreeMap<Name, FnModel>,
    /// Methods that a trait adds to any receiver (`backon::Retryable`), by trait path.
    #[serde(default)]
    pub traits: BTreeMap<Name, TraitModel>,
    /// Attributes and calls that make a function an operation.
    #[serde(default)]
    pub entries: Vec<Entry>,
    /// The lines of the library's own source that prove what stands here: `reqwest-0.13.5/src/retry.rs:107`.
    pub sources: Vec<Name>,
    /// What was also run against the crate, in words.
    #[serde(default)]
    pub measured: Vec<Name>,
    #[serde(default)]
    pub notes: Vec<Name>,
}

impl Model {
    /// Whether it says what any call does. One that does not only explains: its crate's calls stay unknown.
    pub fn describes_calls(&self) -> bool {
        let by_type = self.types.values().any(|t| !t.methods.is_empty() || t.derefs_to.is_some());
        by_type || !self.functions.is_empty() || !self.traits.is_empty()
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeModel {
    /// `client`, `builder`, `request`, `response`, `error`, `policy`, `pool`, `status`, `layer`, `server`, `other`.
    #[serde(default)]
    pub role: Role,
    /// Fields with their defaults; what setters may set. A policy's fields have fixed names, see [`PolicyField`].
    #[serde(default)]
    pub fields: BTreeMap<Name, FieldModel>,
    /// Associated functions and methods by name; `*` for any other.
    #[serde(default)]
    pub methods: BTreeMap<Name, FnModel>,
    /// For an error or status type: methods without arguments and variants that tell classes apart, with the classes
    /// they hold for (`is_timeout: [timeout]`).
    #[serde(default)]
    pub tells: BTreeMap<Name, Vec<Name>>,
    /// Constants and variants with the class they stand for (`TOO_MANY_REQUESTS: throttled`), or `ok`. Those that stand
    /// for several classes stand in `tells` too, which then holds.
    #[serde(default)]
    pub constants: BTreeMap<Name, Name>,
    /// The retry layer that a value of this type is or carries. For a client: on every call; for a policy: when applied.
    #[serde(default)]
    pub retries: Option<RetryModel>,
    /// A struct literal of this type sets fields by these names (`max_elapsed_time: elapsed`).
    #[serde(default)]
    pub literal: BTreeMap<Name, Name>,
    /// Awaiting a value of this type gives this one; `T` is the first type argument (`JoinHandle<T>`).
    #[serde(default)]
    pub output: Option<Name>,
    /// Awaiting a value of this type sends something: requests that are built first and need no `send`
    /// (`collection.find_one(query).max_time(limit).await`).
    #[serde(default)]
    pub awaited: Option<RemoteModel>,
    /// Method calls that are not listed go on to this type (Deref, or a wrapper).
    #[serde(default)]
    pub derefs_to: Option<Name>,
    /// As an iterator it gives an item per attempt, the last one without a delay; else one per retry.
    #[serde(default)]
    pub item_per_attempt: bool,
    /// It keeps connections for later calls: one that is built anew for each request gives that up (RL401).
    #[serde(default)]
    pub pooled: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Client,
    Builder,
    Request,
    Response,
    Error,
    Policy,
    Pool,
    Status,
    Layer,
    Server,
    #[default]
    Other,
}

/// A field of a modelled object. Durations are milliseconds. Policies use these names: `attempts`, `base`, `factor`,
/// `cap`, `jitter`, `elapsed`, `retries_on`, `shape`, and `multiplier` where every delay is that many times as long
/// (tokio-retry's `factor`: the n-th delay is multiplier × base × factor^(n-1)); clients: `timeout`, `connect_timeout`,
/// `read_timeout`, `acquire_timeout`, `attempt_timeout` (per try, inside the client's own retries), `layers`, `policy`,
/// `address`, `statement` (SQL text), `verb`, `key`, `max_idle`, `max_open`, `system`; others are free. `jitter` is a
/// bool (on is what [`RetryModel::jitter_when_on`] says), a number (0 is off) or the name of a jitter.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldModel {
    /// What it is when nobody sets it. Absent: no limit, off.
    #[serde(default)]
    pub default: Option<Scalar>,
    /// For counts: whether the number means `attempts` or `retries`. Required for a count.
    #[serde(default)]
    pub means: Option<Means>,
    /// The source line of the default.
    #[serde(default)]
    pub source: Option<Name>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    Attempts,
    Retries,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    Bool(bool),
    Int(u64),
    Float(f64),
    Text(Name),
}

/// What a function or method does. `returns` is a type in Rust syntax with canonical paths; `Self` is the receiver's type,
/// `T` what the body of its effect gives (the output of the future or closure that `retry`, `deadline`, `runs`, `spawn`
/// name), `_` a type that is not known. `carries` and `carries_arg` together keep both, the argument's fields win.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FnModel {
    #[serde(default)]
    pub returns: Option<Name>,
    /// The result is a future of `returns`.
    #[serde(default, rename = "async")]
    pub asynchronous: bool,
    /// field → what it becomes. Applied to the receiver's object (or a new one), which is the result.
    #[serde(default)]
    pub sets: BTreeMap<Name, SetTo>,
    /// The result keeps the receiver's fields although its type is another (`build`, `get`, `clone`).
    #[serde(default)]
    pub carries: bool,
    /// The result keeps the fields of that argument's object (`Wrapper::new(client)`).
    #[serde(default)]
    pub carries_arg: Option<u16>,
    #[serde(default)]
    pub does: Option<Does>,
    /// A function over a delay (`jitter(d)`): which jitter its result has.
    #[serde(default)]
    pub jitter: Option<Name>,
    /// It declares a queue, and this argument may hold what limits how often a message comes back: a dead letter
    /// exchange, a count. Anything but an empty one there is taken for a limit.
    #[serde(default)]
    pub limits_redelivery: Option<u16>,
    /// The source line of a number that stands in `sets` or `does`.
    #[serde(default)]
    pub source: Option<Name>,
}

/// What a field becomes.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetTo {
    /// The n-th argument (0 is the first after the receiver).
    Arg(u16),
    /// Pushes the n-th argument onto a list field (`layers`); the first pushed is the outermost.
    Push(u16),
    Value(Scalar),
    /// Takes the limit away.
    Clear,
    /// The smaller of what is there and the argument (`take`).
    AtMostArg(u16),
    /// The n-th argument is a function that is applied to every delay (`.map(jitter)`): the jitter of that function, or
    /// what is there if it holds no randomness.
    JitterBy(u16),
    /// The n-th argument is a header's name and the next its value: the value, if the name is one of [`KEY_HEADERS`].
    KeyHeader(u16),
    /// The called method's own name (`client.put_item()` names the verb for the `send()` that follows).
    MethodName,
    /// `set("message.timeout.ms", "5000")`: where the first argument is one of these texts, the second, read as a number.
    Named(Vec<Name>),
}

/// Headers (in small letters) that make a repeated request the same one for its server.
pub const KEY_HEADERS: [&str; 6] = [
    "idempotency-key",
    "x-idempotency-key",
    "idempotency-token",
    "x-idempotency-token",
    "x-request-token",
    "stripe-idempotency-key",
];

/// An effect. Arguments are numbered after the receiver; `receiver` is the receiver.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Does {
    /// One try towards something remote, through the receiver's client fields, inside the retry layers it carries.
    Remote(RemoteModel),
    /// A pause. `receiver` is the receiver's `period` field.
    Sleep { duration: ArgRef },
    /// A deadline around a future or closure.
    Deadline { duration: ArgRef, body: ArgRef },
    /// A retry around an operation given as closure, function or future factory.
    Retry(RetryCall),
    /// Runs a future or closure by itself.
    Spawn { body: ArgRef },
    /// Runs its argument once, here: closures and futures are evaluated in place.
    Runs { body: ArgRef },
    /// Several at once; the argument is a list, or each argument is a side.
    Join { all: bool },
    /// Several at once, given as in `join`; the first wins, with `ok` the first that succeeds (`select_ok`).
    Race { ok: bool },
    /// Randomness: what it makes is jittered.
    Random,
    /// Statuses become errors (`error_for_status`).
    StatusToError,
    /// An error value of the receiver's or argument's class is turned into a value that says again or stop
    /// (`backoff::Error::transient`, `permanent`, `RetryError::abort`).
    Verdict { again: bool },
    /// The value of the receiver's answer: `status`, `code`.
    Status,
    /// Gives a message back to its queue, which hands it out again: where that field of the argument is `true`
    /// (`BasicNackOptions { requeue: true }`).
    GivesBack { options: ArgRef, field: Name },
    /// Waits, nobody knows how long, until something else in the process happens: a message, a signal, a new value.
    Blocks,
    /// Nothing that matters, surely local (channels, locks, files).
    Local,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgRef {
    Receiver,
    Arg(u16),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteModel {
    /// `http`, `grpc`, `postgres`, `redis`, `aws`, `tcp` ...
    pub system: Name,
    /// A fixed verb. `{method}` is the method's own name; absent: the `verb` field of the receiver.
    #[serde(default)]
    pub verb: Option<Name>,
    /// `repeatable`, `unsafe` or by verb if absent (GET, HEAD, PUT, DELETE, OPTIONS, SELECT are repeatable).
    #[serde(default)]
    pub safety: Option<Name>,
    /// The argument that holds the address, or SQL text; absent: the `address` field of the receiver.
    #[serde(default)]
    pub address: Option<ArgRef>,
    /// SQL text, whose first word is the verb: an argument, or `receiver` for the receiver's `statement` field.
    #[serde(default)]
    pub statement: Option<ArgRef>,
    /// The argument that holds the client (`fetch_one(&pool)`); absent: the receiver.
    #[serde(default)]
    pub client: Option<ArgRef>,
    /// Answers of a failure class come back as `Err` (gRPC, databases, SDKs) rather than as a response with a status.
    #[serde(default)]
    pub answers_are_errors: bool,
    /// A connect alone (TcpStream::connect): only connect failures and hangs are possible.
    #[serde(default)]
    pub connect_only: bool,
    /// The argument that holds a time limit for this call (`TcpStream::connect_timeout(addr, limit)`).
    #[serde(default)]
    pub limit: Option<ArgRef>,
    /// The client library adds idempotency keys itself.
    #[serde(default)]
    pub adds_key: bool,
    /// The type whose default layer is around the call where no object carries one (`get_connection_manager()`).
    #[serde(default)]
    pub retried_by: Option<Name>,
    /// Under `hangs` the call ends by itself (a default deadline in ms that no field holds).
    #[serde(default)]
    pub ends_after_ms: Option<u64>,
    /// Under `hangs` something ends the call whose time is not known, and what that is: heartbeats, a keep-alive.
    #[serde(default)]
    pub ends_by: Option<Name>,
}

/// The numbers of a layer are read from the object's fields; this says what they mean together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryModel {
    /// `client`, `middleware`, `combinator`, `driver`.
    pub form: Name,
    /// `exponential`, `fixed`, `linear`, `fibonacci`, `custom`, `none`.
    #[serde(default)]
    pub shape: Option<Name>,
    /// The field that holds another object with the policy (`policy`, `retry_config`); absent: the object itself. Where
    /// nobody sets that field, the object's own fields hold, whose defaults are a layer of origin default.
    #[serde(default)]
    pub policy: Option<Name>,
    /// There is no layer at all unless the policy field is set (`reqwest::ClientBuilder::retry`).
    #[serde(default)]
    pub only_if_set: bool,
    /// Retried classes and endings: names of classes, `statuses`, `errors`, `all`. `status:throttled` and `error:connect` name one side.
    #[serde(default)]
    pub retries_on: Vec<Name>,
    /// A field that switches it: there is no layer where that is set to `false`.
    #[serde(default)]
    pub enabled: Option<Name>,
    /// Each try goes to another server of several, or to the one that the driver picks anew: a pause gains nothing.
    #[serde(default)]
    pub elsewhere: bool,
    /// It dials again for as long as the client lives, and nobody waits for the result: a missing bound is no mistake.
    #[serde(default)]
    pub reconnects: bool,
    /// Nothing bounds it unless a field does.
    #[serde(default)]
    pub unbounded: bool,
    /// The factor is the base in milliseconds (`tokio_retry::ExponentialBackoff`): with `multiplier` m the delays are
    /// m·b, m·b², m·b³.
    #[serde(default)]
    pub factor_is_base: bool,
    #[serde(default)]
    pub honours_retry_after: Option<bool>,
    /// Jitter that is there unless a field says otherwise: none, full, equal, decorrelated, some.
    #[serde(default)]
    pub jitter: Option<Name>,
    /// Which jitter a `jitter` field that is merely switched on means.
    #[serde(default)]
    pub jitter_when_on: Option<Name>,
    /// Every error is retried unless a classifier is given (RL106 asks).
    #[serde(default)]
    pub classifies: bool,
    #[serde(default)]
    pub source: Option<Name>,
}

/// A combinator's call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryCall {
    pub operation: ArgRef,
    /// Where the policy is: an argument or the receiver. Absent: the methods that follow in the chain set it, and the
    /// result is the policy (`retry_fn(op).retries(3)`).
    #[serde(default)]
    pub policy: Option<ArgRef>,
    /// The type of the policy that holds where none is given (`again::retry(op)`).
    #[serde(default)]
    pub default_policy: Option<Name>,
    /// A predicate over the error: an argument.
    #[serde(default)]
    pub condition: Option<ArgRef>,
    /// A setter further down the chain gives the predicate (`backon`'s `.when(..)`): its name.
    #[serde(default)]
    pub condition_method: Option<Name>,
    /// A setter further down the chain sees each error and may change the delay or stop (`backon`'s `.adjust(..)`).
    #[serde(default)]
    pub adjust_method: Option<Name>,
    /// Errors say again or stop by themselves (`backoff::Error`, `tokio_retry2::RetryError`); `?` means again.
    #[serde(default)]
    pub verdict_in_error: bool,
    /// What it repeats on: names as in `retries_on`; all errors if absent.
    #[serde(default)]
    pub retries_on: Vec<Name>,
    /// The operation gets a deadline per try from this argument.
    #[serde(default)]
    pub per_try: Option<ArgRef>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraitModel {
    #[serde(default)]
    pub methods: BTreeMap<Name, FnModel>,
}

/// All models of a run, those of the tool and those of the user.
#[derive(Debug, Default)]
pub struct Models {
    pub models: Vec<Model>,
    lookup: lookup::Lookup,
}
