//! What retries make of the traffic of many operations that fail together: each layer that multiplies counts with its budget,
//! where it has one, and with its attempts otherwise (semantics.md, "sustained").

use super::node::{Arena, LayerIx};
use crate::effect::Share;
use crate::value::{Bound, Tries};

/// How many times the calm traffic, over the layers that multiply in the worst scenario. Layers that come one after another
/// (a fallback after the attempts that failed) add: their product is never more than the amplification.
pub(super) fn of(arena: &Arena<'_>, owners: &[LayerIx], amplification: Tries) -> Bound<f64> {
    let factors = owners.iter().map(|owner| {
        let layer = &arena.layers[owner.0 as usize];
        factor(layer.limit.n, layer.repeat.budget.map(|b| b.share))
    });
    let end = |n: u64| if n == Tries::INFINITE { f64::INFINITY } else { (n as f64).max(1.0) };
    let (low, high): (f64, f64) = factors.fold((1.0, 1.0), |(low, high), (l, h)| (low * l, high * h));
    let (low, high) = (low.min(end(amplification.low)), high.min(end(amplification.high)));
    match (low.is_finite(), high.is_finite()) {
        (false, _) => Bound::Unbounded,
        (true, false) => Bound::Unknown(None),
        (true, true) if low == high => Bound::Exactly(high),
        (true, true) => Bound::AtMost(high),
    }
}

/// The ends of a layer's factor. A budget never makes it more than its attempts; a cap on what runs at once is no ratio.
fn factor(n: Tries, share: Option<Share>) -> (f64, f64) {
    let end = |n: u64| if n == Tries::INFINITE { f64::INFINITY } else { n as f64 };
    let (low, high) = (end(n.low), end(n.high));
    let most = match share {
        Some(Share::Ratio(ratio)) => 1.0 + ratio.max(0.0),
        Some(Share::Tokens) => 1.0,
        Some(Share::Concurrent(_)) | None => f64::INFINITY,
    };
    (low.min(most), high.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_the_factor_where_it_is_smaller() {
        let three = Tries::attempts(3);
        assert_eq!(factor(three, None), (3.0, 3.0));
        assert_eq!(factor(three, Some(Share::Ratio(0.2))), (1.2, 1.2));
        assert_eq!(factor(three, Some(Share::Ratio(9.0))), (3.0, 3.0));
        assert_eq!(factor(three, Some(Share::Tokens)), (1.0, 1.0));
        assert_eq!(factor(three, Some(Share::Concurrent(3))), (3.0, 3.0));
        assert_eq!(factor(Tries::UNBOUNDED, Some(Share::Ratio(0.2))), (1.2, 1.2));
    }
}
