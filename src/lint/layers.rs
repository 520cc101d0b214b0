//! Which layers the lints of loops look at, and how a finding about a layer is put together.

use super::{Context, Finding, Lint, Related, words};
use crate::analysis::Layer;
use crate::effect::{Confidence, Form, RepeatKind, Shape};
use crate::fact::Place;
use crate::name::Name;
use crate::source::Span;
use crate::value::Bound;

/// Layers that repeat something remote. A queue's redelivery is judged by RL306, hedging by RL307.
pub fn judged<'a>(ctx: &Context<'a>) -> impl Iterator<Item = &'a Layer> {
    ctx.analysis.layers.iter().filter(|layer| {
        (layer.reached || layer.seen.confidence == Confidence::High)
            && matches!(layer.repeat, RepeatKind::Retry | RepeatKind::Failover | RepeatKind::Reconnecting)
            && !matches!(layer.form, Form::Queue | Form::Hedge)
            && repeats(&layer.attempts)
    })
}

/// Whether there is a second attempt at all.
pub fn repeats(attempts: &Bound<u64>) -> bool {
    !matches!(attempts, Bound::Exactly(0 | 1) | Bound::AtMost(0 | 1))
}

/// The number that is never passed, if there is one.
pub fn most(attempts: &Bound<u64>) -> Option<u64> {
    match attempts {
        Bound::Exactly(n) | Bound::AtMost(n) => Some(*n),
        Bound::AtLeast(..) | Bound::Unbounded | Bound::Unknown(_) => None,
    }
}

/// No delay at all, or one of nothing.
pub fn waits_nothing(layer: &Layer) -> bool {
    let nothing = layer.wait.base_ms == Some(0) || layer.wait.cap_ms == Some(0);
    match layer.wait.shape {
        Shape::None => true,
        Shape::Fixed | Shape::Exponential => nothing,
        Shape::Linear | Shape::Custom | Shape::Unknown => false,
    }
}

/// Code of the tree decides what is tried again; the others are libraries and proxies with a policy.
pub fn is_code(layer: &Layer) -> bool {
    matches!(layer.form, Form::Loop | Form::Recursion | Form::Helper | Form::Combinator)
}

/// The wait, or where the delay is built or computed; else the layer.
pub fn wait_place(layer: &Layer) -> Span {
    layer.wait.at.unwrap_or(layer.at)
}

/// More calls of one helper than these are counted, not listed.
const LISTED: usize = 5;

/// A finding about one layer. The loop comes first among the related places if the primary one is elsewhere, then the
/// calls that give a helper its number.
pub fn finding(lint: &Lint, layer: &Layer, at: Span, message: String, help: String) -> Finding {
    let mut finding = lint.finding(at, layer.seen.confidence, message, help);
    finding.context = layer.function.clone();
    if at != layer.at {
        finding.related.push(Related { at: layer.at, message: words::attempts(&layer.attempts) });
    }
    let calls = layer.bound_by.iter().filter(|(span, _)| *span != at).take(LISTED);
    finding.related.extend(
        calls.map(|(span, bound)| Related {
            at: *span,
            message: format!("called here with {}", words::attempts(bound)),
        }),
    );
    finding
}

/// Several layers may share a policy: one finding for its place, with all layers among the related places.
pub fn one_per_place(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|f| f.at);
    let mut kept: Vec<(Finding, usize)> = Vec::new();
    for finding in findings {
        match kept.last_mut() {
            Some((last, more)) if last.at == finding.at => {
                *more += 1;
                last.confidence = last.confidence.max(finding.confidence);
                last.related.extend(finding.related);
            }
            _ => kept.push((finding, 0)),
        }
    }
    kept.into_iter().map(with_count).collect()
}

fn with_count((mut finding, more): (Finding, usize)) -> Finding {
    let mut seen = std::collections::BTreeSet::new();
    finding.related.retain(|r| seen.insert((r.at, r.message.clone())));
    if more > 0 {
        finding.message.push_str(&format!(" (and {more} more that share it)"));
    }
    finding
}

/// The name of the place around a span, for findings that are not about a layer.
pub struct Enclosing<'a> {
    /// Sorted by where they begin.
    places: Vec<(Span, &'a Place)>,
}

impl<'a> Enclosing<'a> {
    pub fn new(ctx: &Context<'a>) -> Enclosing<'a> {
        let mut places: Vec<_> = ctx.facts.places.iter().map(|p| (p.at, p)).collect();
        places.sort_by(|(a, p), (b, q)| (a, &p.name).cmp(&(b, &q.name)));
        Enclosing { places }
    }

    /// The place that begins last before the span, in the same file. Empty where there is none.
    pub fn name(&self, at: Span) -> Name {
        self.place(at).map_or_else(|| Name::new(""), |place| place.name.clone())
    }

    pub fn package(&self, at: Span) -> Option<Name> {
        self.place(at).map(|place| place.package.clone())
    }

    fn place(&self, at: Span) -> Option<&'a Place> {
        let after = self.places.partition_point(|(p, _)| (p.file, p.start) <= (at.file, at.start));
        let before = after.checked_sub(1).map(|i| &self.places[i]).filter(|(p, _)| p.file == at.file);
        before.map(|(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{at, layer, run};

    static ANY: &Lint = &crate::lint::rl103::LINT;

    #[test]
    fn findings_at_one_place_become_one() {
        let one = finding(ANY, &layer(1), at(9), "m".to_owned(), "h".to_owned());
        let two = finding(ANY, &layer(2), at(9), "m".to_owned(), "h".to_owned());
        let other = finding(ANY, &layer(3), at(4), "m".to_owned(), "h".to_owned());
        let all = one_per_place(vec![one, two, other]);
        assert_eq!(all.iter().map(|f| f.at).collect::<Vec<_>>(), [at(4), at(9)]);
        assert_eq!(all[1].message, "m (and 1 more that share it)");
        assert_eq!(all[1].related.iter().map(|r| r.at).collect::<Vec<_>>(), [at(1), at(2)]);
    }

    #[test]
    fn the_call_of_a_helper_is_the_first_related_place() {
        let helper = Layer { bound_by: vec![(at(7), Bound::Exactly(3))], ..layer(1) };
        let found = finding(ANY, &helper, at(1), "m".to_owned(), "h".to_owned());
        assert_eq!(found.related[0].at, at(7));
        assert_eq!(found.related[0].message, "called here with 3 attempts");
    }

    #[test]
    fn layers_that_reach_nothing_or_repeat_nothing_are_left_alone() {
        let mut analysis = crate::analysis::Analysis::default();
        let medium = crate::effect::Seen { confidence: Confidence::Medium, ..layer(1).seen };
        analysis.layers = vec![
            Layer { reached: false, seen: medium, ..layer(1) },
            Layer { attempts: Bound::Exactly(1), ..layer(2) },
            Layer { repeat: RepeatKind::Polling, ..layer(3) },
            Layer { form: Form::Queue, ..layer(4) },
            layer(5),
        ];
        let seen = run(analysis, |ctx| judged(ctx).map(|l| l.at).collect::<Vec<_>>());
        assert_eq!(seen, [at(5)]);
    }
}
