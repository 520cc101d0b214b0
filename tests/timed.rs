//! Random small systems with a clock: what the analysis says of attempts and of time, against runs of them.
//!
//! The interpreter shares no rule with the analysis. No run may pass a bound, and some run must reach it.

#[path = "timed/make.rs"]
mod make;
#[path = "timed/run.rs"]
mod run;

use make::{effect, numbered, scenarios};
use proptest::prelude::*;
use retrylint::analysis::{effective_of, time_of};
use retrylint::effect::{Effect, Jitter, Shape, walk};
use retrylint::value::Bound;
use run::reached;

/// The top of a bound; `None` where there is none.
fn most(bound: &Bound<u64>) -> Option<u64> {
    match bound {
        Bound::Exactly(n) | Bound::AtMost(n) => Some(*n),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// Whatever the pauses, no run starts more tries, and one starts exactly so many.
    #[test]
    fn attempts_are_what_deadlines_let_start(
        effect in effect(3, false).prop_map(numbered),
        failing in prop_oneof![3 => Just("d"), 1 => Just("f")],
        scenario in scenarios(),
    ) {
        if let Some(truth) = reached(&effect.0, failing, scenario, false) {
            prop_assert_eq!(effective_of(&effect.0, failing, scenario, "d").high, truth.tries);
        }
    }

    /// The same for larger ones, with the shortest pauses alone: never more, and as many where pauses have one length.
    #[test]
    fn attempts_are_what_the_shortest_pauses_let_start(
        effect in effect(4, false).prop_map(numbered),
        failing in prop_oneof![3 => Just("d"), 1 => Just("f")],
        scenario in scenarios(),
    ) {
        if let Some(truth) = reached(&effect.0, failing, scenario, true) {
            let found = effective_of(&effect.0, failing, scenario, "d");
            prop_assert!(found.high >= truth.tries, "{found:?} {truth:?}");
            let mut fixed = true;
            walk(&effect.0, &mut |effect| match effect {
                Effect::Repeat(repeat) => fixed &= repeat.wait.jitter == Jitter::None || repeat.wait.shape == Shape::None,
                Effect::Sleep(wait) => fixed &= wait.jitter == Jitter::None,
                _ => {}
            });
            prop_assert!(!fixed || found.high == truth.tries, "{found:?} {truth:?}");
        }
    }

    /// Whatever the pauses, no run takes longer, and one takes exactly so long.
    #[test]
    fn time_is_what_the_longest_run_takes(
        effect in effect(3, false).prop_map(numbered), failing in prop_oneof![3 => Just("d"), 1 => Just("f")], scenario in scenarios(),
    ) {
        if let Some(truth) = reached(&effect.0, failing, scenario, false) {
            prop_assert_eq!(most(&time_of(&effect.0, failing, scenario)), truth.time);
        }
    }
}
