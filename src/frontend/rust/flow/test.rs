//! A condition as the endings under which it can be true and false, and how conditions combine.

use super::Level;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::Judged;
use crate::frontend::rust::tree::BinaryOp;
use crate::source::Span;

/// A condition over the ending at a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub level: Option<Level>,
    /// Endings under which it can be true, and false.
    pub yes: Endings,
    pub no: Endings,
    pub judged: Judged,
    pub names: Names,
}

/// Where a condition names a class that does not pass by itself (404, `is_client_error`), rather than leaving it over: on
/// the side where it is true, and where it is false.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    pub yes: Option<Span>,
    pub no: Option<Span>,
}

impl Test {
    pub fn constant(value: bool) -> Test {
        let sure = |b| if b { Endings::ALL } else { Endings::NONE };
        Test { yes: sure(value), no: sure(!value), ..Test::unknown(None, Judged::Other) }
    }

    pub fn unknown(level: Option<Level>, judged: Judged) -> Test {
        Test { level, yes: Endings::ALL, no: Endings::ALL, judged, names: Names::default() }
    }

    /// True for surely these, false for all others.
    pub fn exactly(level: Level, yes: Endings, judged: Judged) -> Test {
        Test::sides(level, (yes, Endings::ALL.without(yes)), judged)
    }

    /// True for some of the first, false for some of the second.
    pub fn sides(level: Level, (yes, no): (Endings, Endings), judged: Judged) -> Test {
        Test { level: Some(level), yes, no, judged, names: Names::default() }
    }

    /// The condition stands there, and says what it says by name: a permanent class in it was let in on purpose.
    pub fn named_at(self, at: Span) -> Test {
        let by_name = self.yes.meets(permanent()) && self.yes != Endings::ALL;
        if by_name { self.naming(at) } else { self }
    }

    /// It lets in a class that does not pass by itself, at that place.
    pub fn naming(self, at: Span) -> Test {
        Test { names: Names { yes: Some(at), no: None }, ..self }
    }

    pub fn not(self) -> Test {
        let names = Names { yes: self.names.no, no: self.names.yes };
        Test { yes: self.no, no: self.yes, names, ..self }
    }

    pub fn and(self, other: Test) -> Test {
        let (level, same) = shared(self, other);
        let yes = if same { self.yes & other.yes } else { narrower(self, other, |t| t.yes) };
        let no = if same { self.no | other.no } else { either(self, other, |t| t.no) };
        let names = Names { yes: both_name(self, other), no: self.names.no.or(other.names.no) };
        Test { level, yes, no, judged: stronger(self.judged, other.judged), names }
    }

    pub fn or(self, other: Test) -> Test {
        self.not().and(other.not()).not()
    }

    /// `if self { a } else { b }` as one condition.
    pub fn choose(self, a: Test, b: Test) -> Test {
        self.and(a).or(self.not().and(b))
    }
}

/// Two conditions at once let a class in by name if both do, or if one of them does not speak of what failed.
fn both_name(a: Test, b: Test) -> Option<Span> {
    let silent = |t: Test| !matches!(t.judged, Judged::Error | Judged::Answer);
    match (a.names.yes, b.names.yes) {
        (Some(_), Some(inner)) => Some(inner),
        (Some(at), None) => silent(b).then_some(at),
        (None, at) => at.filter(|_| silent(a)),
    }
}

fn permanent() -> Endings {
    Endings::of_classes([FailureClass::Permanent])
}

/// The level two conditions speak of together, and whether it is one.
fn shared(a: Test, b: Test) -> (Option<Level>, bool) {
    match (a.level, b.level) {
        (Some(x), Some(y)) if x != y => (Some(x.max(y)), false),
        (x, y) => (x.or(y), true),
    }
}

/// Of two conditions over different levels the one over the inner level decides; the other may go either way.
fn narrower(a: Test, b: Test, of: fn(Test) -> Endings) -> Endings {
    if a.level > b.level { of(a) } else { of(b) }
}

fn either(a: Test, b: Test, of: fn(Test) -> Endings) -> Endings {
    let (inner, outer) = if a.level > b.level { (a, b) } else { (b, a) };
    if of(outer).is_empty() { of(inner) } else { Endings::ALL }
}

fn stronger(a: Judged, b: Judged) -> Judged {
    let rank = |j| match j {
        Judged::Error => 3,
        Judged::Answer => 2,
        Judged::Counter => 1,
        Judged::Other => 0,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// A class by name, or `ok`. A class that stands for several statuses can also be another of them.
pub(super) fn class_sets(name: &str) -> (Endings, Endings) {
    let Some(class) = FailureClass::from_name(name) else {
        let fine = Endings::OK | Endings::one(Ending::Status(FailureClass::Application));
        return (fine, Endings::ALL);
    };
    let set = Endings::of_classes([class]);
    let several = matches!(class, FailureClass::Conflict | FailureClass::Permanent | FailureClass::ServerError);
    (set, if several { Endings::ALL } else { Endings::ALL.without(set) })
}

/// A status compared with a number. Answers of success and those of a business failure are below 400.
pub(super) fn against_number(level: Level, op: BinaryOp, number: u16) -> Test {
    let holds = |status: u16| match op {
        BinaryOp::Eq => status == number,
        BinaryOp::Ne => status != number,
        BinaryOp::Lt => status < number,
        BinaryOp::Le => status <= number,
        BinaryOp::Gt => status > number,
        BinaryOp::Ge => status >= number,
        _ => true,
    };
    let mut test = Test::sides(level, (Endings::NONE, Endings::ERRORS), Judged::Error);
    for status in (100..=599).filter(|s| *s < 300 || *s >= 400) {
        let endings = match FailureClass::of_status(status) {
            Some(class) => Endings::of_classes([class]),
            None => Endings::OK | Endings::one(Ending::Status(FailureClass::Application)),
        };
        if holds(status) {
            test.yes |= endings;
        } else {
            test.no |= endings;
        }
    }
    test
}
