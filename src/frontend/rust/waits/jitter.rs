//! Where randomness comes from: modelled generators, hashes of an identity.

use super::{Delay, Grows, combine};
use crate::effect::Jitter;
use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{ExprId, ExprKind};
use crate::frontend::rust::values::Values;
use crate::model::Does;

use super::follow::Follow;

/// Whether a call makes randomness, as models say: by its path, or for a method of an unknown receiver by the trait that
/// adds a method of that name.
pub fn makes(values: &Values, body: BodyId, e: ExprId) -> bool {
    let random = |does: Option<&Does>| matches!(does, Some(Does::Random));
    let by_path = match values.target(body, e) {
        Some(Target::Fns(..)) => return false,
        Some(Target::Foreign(path)) => values.model_of(path).is_some_and(|m| random(m.does.as_ref())),
        _ => false,
    };
    by_path
        || match &values.tree(body).expr(e).kind {
            ExprKind::Method { name, .. } => values.models.trait_methods(name).any(|(_, m)| random(m.does.as_ref())),
            _ => false,
        }
}

/// A hash of something that differs between callers spreads them as well.
pub fn hashes(values: &Values, body: BodyId, e: ExprId) -> bool {
    match (values.target(body, e), &values.tree(body).expr(e).kind) {
        (Some(Target::Foreign(path)), _) => path.ends_with("Hasher::finish") || path.ends_with("::subsec_nanos"),
        (_, ExprKind::Method { name, args, .. }) => *name == "subsec_nanos" || (*name == "finish" && args.is_empty()),
        _ => false,
    }
}

impl Follow<'_, '_> {
    /// `random_range(0..=d)` is all of `d`, `random_range(d / 2..d)` half of it, `random_range(base..d * 3)` decorrelated.
    pub(super) fn random(&self, body: BodyId, args: &[ExprId]) -> Delay {
        let range = args.iter().find_map(|a| match &self.values.tree(body).expr(*a).kind {
            ExprKind::Range { start, end: Some(end), .. } => Some((*start, *end)),
            _ => None,
        });
        let alone = Delay { random: true, jitter: Jitter::Full, ..Delay::constant(None) };
        let Some((start, end)) = range else {
            // `jitter(delay)` randomises what it is handed.
            let handed = args.first().filter(|a| self.is_duration(body, **a)).map(|a| self.delay(body, *a));
            return handed.map_or(alone, |d| Delay { jitter: Jitter::Full, ..d });
        };
        let upper = self.delay(body, end);
        let lower = start.map(|s| self.delay(body, s));
        let from_zero = lower.as_ref().is_none_or(|l| l.grows == Grows::Not && l.base == Some(0.0));
        let jitter = match &lower {
            _ if from_zero => Jitter::Full,
            _ if self.reads_itself(body, end) => Jitter::Decorrelated,
            Some(l) if l.grows == upper.grows => match l.base.zip(upper.base) {
                Some((l, u)) if u > 0.0 && (l / u - 0.5).abs() < 0.01 => Jitter::Equal,
                _ => Jitter::Some,
            },
            _ => Jitter::Some,
        };
        if upper.grows == Grows::Not && upper.base.is_some_and(|b| b <= 1.0) && from_zero {
            return alone;
        }
        Delay { jitter, ..upper }
    }

    fn is_duration(&self, body: BodyId, e: ExprId) -> bool {
        use crate::frontend::rust::program::Ty;
        matches!(self.values.type_of(body, e), Some(Ty::Foreign(name, _)) if name.ends_with("Duration"))
    }

    /// `x % top` with a random `x` is anything below `top`.
    pub(super) fn remainder(&self, left: Delay, right: Delay) -> Delay {
        match (left.random || left.jitter != Jitter::None, left.jitter) {
            (true, Jitter::Unknown) | (false, _) => match left.is_known() && right.is_known() {
                true => Delay { grows: Grows::Custom, base: None, ..combine::either(vec![left]) },
                false => Delay::unknown(),
            },
            (true, Jitter::Full) => Delay { jitter: Jitter::Full, ..right },
            (true, _) => Delay { jitter: Jitter::Some, ..right },
        }
    }
}
