//! How a try can end, and the scenarios in which that is asked. Defined by the scenario table of `docs/semantics.md`.

use std::fmt;

/// What kind of failure an answer or an error is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum FailureClass {
    /// Not listening, name resolution, TLS set-up: nothing was sent.
    Connect,
    /// The request was read and the connection closed.
    Reset,
    /// A deadline came first.
    Timeout,
    /// 500, 501, 505 and the like; gRPC INTERNAL.
    ServerError,
    /// 502.
    Gateway,
    /// 503; gRPC UNAVAILABLE.
    Unavailable,
    /// 504; gRPC DEADLINE_EXCEEDED.
    GatewayTimeout,
    /// 429; gRPC RESOURCE_EXHAUSTED.
    Throttled,
    /// 409, 412, ABORTED, a serialization failure, a version taken.
    Conflict,
    /// Any permanent refusal: other 4xx, INVALID_ARGUMENT, UNAUTHENTICATED.
    Permanent,
    /// A failure of the program's own: a partial result, a business code.
    Application,
}

impl FailureClass {
    pub const ALL: [FailureClass; 11] = [
        FailureClass::Connect,
        FailureClass::Reset,
        FailureClass::Timeout,
        FailureClass::ServerError,
        FailureClass::Gateway,
        FailureClass::Unavailable,
        FailureClass::GatewayTimeout,
        FailureClass::Throttled,
        FailureClass::Conflict,
        FailureClass::Permanent,
        FailureClass::Application,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FailureClass::Connect => "connect",
            FailureClass::Reset => "reset",
            FailureClass::Timeout => "timeout",
            FailureClass::ServerError => "server-error",
            FailureClass::Gateway => "gateway",
            FailureClass::Unavailable => "unavailable",
            FailureClass::GatewayTimeout => "gateway-timeout",
            FailureClass::Throttled => "throttled",
            FailureClass::Conflict => "conflict",
            FailureClass::Permanent => "permanent",
            FailureClass::Application => "application",
        }
    }

    pub fn from_name(name: &str) -> Option<FailureClass> {
        FailureClass::ALL.into_iter().find(|c| c.name() == name)
    }

    /// The class of an HTTP answer; `None` for an answer that is no failure (below 400).
    pub fn of_status(status: u16) -> Option<FailureClass> {
        Some(match status {
            0..=399 => return None,
            408 => FailureClass::Timeout,
            409 | 412 => FailureClass::Conflict,
            429 => FailureClass::Throttled,
            502 => FailureClass::Gateway,
            503 => FailureClass::Unavailable,
            504 => FailureClass::GatewayTimeout,
            500..=599 => FailureClass::ServerError,
            _ => FailureClass::Permanent,
        })
    }
}

/// How an effect ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ending {
    Ok,
    /// An answer of that class that nothing has turned into an error yet.
    Status(FailureClass),
    Error(FailureClass),
    /// It hangs.
    Never,
}

impl Ending {
    const COUNT: u32 = 24;

    /// A small number unique to the ending, below 24.
    pub fn index(self) -> u32 {
        match self {
            Ending::Ok => 0,
            Ending::Never => 1,
            Ending::Status(c) => 2 + c as u32,
            Ending::Error(c) => 13 + c as u32,
        }
    }

    pub fn all() -> impl Iterator<Item = Ending> {
        let of = |make: fn(FailureClass) -> Ending| FailureClass::ALL.into_iter().map(make);
        [Ending::Ok, Ending::Never].into_iter().chain(of(Ending::Status)).chain(of(Ending::Error))
    }

    /// Whether a sequence goes on after it: success, and an answer nobody looked at.
    pub fn goes_on(self) -> bool {
        matches!(self, Ending::Ok | Ending::Status(_))
    }

    pub fn is_error(self) -> bool {
        matches!(self, Ending::Error(_))
    }

    pub fn class(self) -> Option<FailureClass> {
        match self {
            Ending::Status(c) | Ending::Error(c) => Some(c),
            Ending::Ok | Ending::Never => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Ok => f.write_str("ok"),
            Ending::Never => f.write_str("never"),
            Ending::Status(c) => write!(f, "status {}", c.name()),
            Ending::Error(c) => write!(f, "error {}", c.name()),
        }
    }
}

/// A set of endings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Endings(u32);

impl Endings {
    pub const NONE: Endings = Endings(0);
    pub const OK: Endings = Endings(1);
    pub const NEVER: Endings = Endings(2);
    /// Every answer of a failure class.
    pub const STATUSES: Endings = Endings(0x7ff << 2);
    /// Every error.
    pub const ERRORS: Endings = Endings(0x7ff << 13);
    /// Every error and every answer of a failure class.
    pub const FAILURES: Endings = Endings(0x7ff << 2 | 0x7ff << 13);
    /// What a `Result` of Ok holds: success, or an answer nobody looked at.
    pub const GOES_ON: Endings = Endings(1 | 0x7ff << 2);
    pub const ALL: Endings = Endings((1 << Ending::COUNT) - 1);

    pub fn one(ending: Ending) -> Endings {
        Endings(1 << ending.index())
    }

    /// Errors and answers of these classes.
    pub fn of_classes(classes: impl IntoIterator<Item = FailureClass>) -> Endings {
        classes
            .into_iter()
            .fold(Endings::NONE, |all, c| all | Endings::one(Ending::Status(c)) | Endings::one(Ending::Error(c)))
    }

    pub fn errors_of(classes: impl IntoIterator<Item = FailureClass>) -> Endings {
        Endings::of_classes(classes) & Endings::ERRORS
    }

    pub fn statuses_of(classes: impl IntoIterator<Item = FailureClass>) -> Endings {
        Endings::of_classes(classes) & Endings::STATUSES
    }

    pub fn has(self, ending: Ending) -> bool {
        self.0 & (1 << ending.index()) != 0
    }

    /// One bit per ending, at the place of its index.
    pub fn bits(self) -> u32 {
        self.0
    }

    pub fn meets(self, other: Endings) -> bool {
        self.0 & other.0 != 0
    }

    pub fn holds(self, other: Endings) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn without(self, other: Endings) -> Endings {
        Endings(self.0 & !other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = Ending> {
        Ending::all().filter(move |e| self.has(*e))
    }

    /// The failure classes that occur in it, as status or as error.
    pub fn classes(self) -> Vec<FailureClass> {
        FailureClass::ALL.into_iter().filter(|c| self.meets(Endings::of_classes([*c]))).collect()
    }
}

impl std::ops::BitOr for Endings {
    type Output = Endings;
    fn bitor(self, other: Endings) -> Endings {
        Endings(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Endings {
    fn bitor_assign(&mut self, other: Endings) {
        self.0 |= other.0;
    }
}

impl std::ops::BitAnd for Endings {
    type Output = Endings;
    fn bitand(self, other: Endings) -> Endings {
        Endings(self.0 & other.0)
    }
}

impl FromIterator<Ending> for Endings {
    fn from_iter<I: IntoIterator<Item = Ending>>(endings: I) -> Endings {
        endings.into_iter().fold(Endings::NONE, |all, e| all | Endings::one(e))
    }
}

impl fmt::Debug for Endings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|e| e.to_string())).finish()
    }
}

/// How the failing dependency fails. The order is the one in which ties are named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scenario {
    Refuses,
    Closes,
    Hangs,
    Answers500,
    Answers502,
    Answers503,
    Answers504,
    Answers429,
    Answers409,
    Answers404,
    FailsOtherwise,
}

impl Scenario {
    pub const ALL: [Scenario; 11] = [
        Scenario::Refuses,
        Scenario::Closes,
        Scenario::Hangs,
        Scenario::Answers500,
        Scenario::Answers502,
        Scenario::Answers503,
        Scenario::Answers504,
        Scenario::Answers429,
        Scenario::Answers409,
        Scenario::Answers404,
        Scenario::FailsOtherwise,
    ];

    /// How a failing try ends in this scenario.
    pub fn ending(self) -> Ending {
        match self {
            Scenario::Refuses => Ending::Error(FailureClass::Connect),
            Scenario::Closes => Ending::Error(FailureClass::Reset),
            Scenario::Hangs => Ending::Never,
            Scenario::Answers500 => Ending::Status(FailureClass::ServerError),
            Scenario::Answers502 => Ending::Status(FailureClass::Gateway),
            Scenario::Answers503 => Ending::Status(FailureClass::Unavailable),
            Scenario::Answers504 => Ending::Status(FailureClass::GatewayTimeout),
            Scenario::Answers429 => Ending::Status(FailureClass::Throttled),
            Scenario::Answers409 => Ending::Status(FailureClass::Conflict),
            Scenario::Answers404 => Ending::Status(FailureClass::Permanent),
            Scenario::FailsOtherwise => Ending::Status(FailureClass::Application),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Scenario::Refuses => "refuses",
            Scenario::Closes => "closes",
            Scenario::Hangs => "hangs",
            Scenario::Answers500 => "answers-500",
            Scenario::Answers502 => "answers-502",
            Scenario::Answers503 => "answers-503",
            Scenario::Answers504 => "answers-504",
            Scenario::Answers429 => "answers-429",
            Scenario::Answers409 => "answers-409",
            Scenario::Answers404 => "answers-404",
            Scenario::FailsOtherwise => "fails-otherwise",
        }
    }
}
