//! What ends a loop besides success: a count, the clock, the end of an iterator, a cancellation.
//!
//! Candidates are found by what is compared and what moves, never by names. For each, the turn is written as a small
//! program (`turn`) and run against an adversary (`run`): only what ends the loop whatever else happens is a bound. The
//! number is what the run counts, so whether a test stands before or after the step needs no rule.

mod atoms;
mod counters;
mod cover;
mod flags;
mod focus;
mod inside;
mod items;
mod named;
mod policy;
mod prune;
mod run;
mod states;
mod steps;
#[cfg(test)]
mod tests;
mod turn;
mod work;

use rustc_hash::FxHashSet;

use super::program::BodyId;
use super::tree::{At, ExprId, ExprKind, PatId, PatKind, RustFile};
use super::val::Val;
use super::values::{Cell, Values, largest, walk};
use crate::effect::Stop;
use crate::value::{Origin, Value};
use atoms::Look;
use focus::Focus;
use items::Items;
use named::Named;
use run::{Node, Run};
use turn::Compile;

#[derive(Debug, Default)]
pub struct Bounds {
    pub stops: Vec<Stop>,
    /// Where the count is compared.
    pub at: Option<At>,
    /// Conditions that look at a counter, a clock or a cancellation.
    pub conditions: FxHashSet<ExprId>,
    /// A bound of the head: after the last turn control falls out of the loop.
    pub exhausts: bool,
    /// Nothing but the head looks at what counts: a turn cannot know that it is the last.
    pub by_head: bool,
    /// The head goes over data, not over a counter.
    pub iterates: Option<ExprId>,
    /// The name of the number that a count is compared with, where that alone bounds the loop.
    pub named: Option<Named>,
}

/// Number that stands in for a limit nobody knows; twice, to see how the count grows with it.
const PROBE: i64 = 24;
/// Limits up to here are run as they are.
const RUN: i64 = 2_000;

/// What bounds a loop, where a try is what is awaited or can fail.
pub fn bounds(values: &Values, body: BodyId, the_loop: ExprId) -> Bounds {
    let is_work = work::guess(values, body, the_loop);
    bounds_of(values, body, the_loop, &is_work)
}

/// What bounds a loop, where the caller knows which expressions are the tries.
pub fn bounds_of(values: &Values, body: BodyId, the_loop: ExprId, is_work: &dyn Fn(ExprId) -> bool) -> Bounds {
    let head = head_counter(values.tree(body), the_loop);
    let look = Look { values, body, the_loop, locals: values.locals(body), head, given: None, handed: None };
    let mut search = Search { look, is_work, found: Bounds::default() };
    search.head();
    search.counters();
    search.flags();
    search.iterators();
    search.clock();
    search.cancel();
    search.policy();
    search.name();
    search.found.by_head = search.found.exhausts && !search.looks_inside();
    search.found
}

/// The name that a `for` counts with: `for n in ..`, `for (n, x) in ...enumerate()`.
fn head_counter(tree: &RustFile, the_loop: ExprId) -> Option<PatId> {
    let ExprKind::For { pat, iter, .. } = &tree.expr(the_loop).kind else {
        return None;
    };
    let named = |p: PatId| matches!(tree.pat(p).kind, PatKind::Ident { .. }).then_some(p);
    match (&tree.pat(*pat).kind, &tree.expr(*iter).kind) {
        (PatKind::Ident { .. }, ExprKind::Range { .. }) => Some(*pat),
        (PatKind::Tuple(parts), ExprKind::Method { name, .. }) if *name == "enumerate" => named(*parts.first()?),
        _ => None,
    }
}

struct Search<'v, 'a, 'w> {
    look: Look<'v, 'a>,
    is_work: &'w dyn Fn(ExprId) -> bool,
    found: Bounds,
}

impl Search<'_, '_, '_> {
    fn at(&self, e: ExprId) -> At {
        self.look.values.tree(self.look.body).expr(e).at
    }

    fn head(&mut self) {
        let ExprKind::For { iter, .. } = *self.look.kind(self.look.the_loop) else {
            return;
        };
        let stop = match self.look.items(iter) {
            Items::Endless => return,
            Items::Turns(count, origin) => Stop::Count(count, origin),
            Items::Ends { data: false } => Stop::Ends(Origin::literal(self.look.values.span(self.look.body, iter))),
            Items::Data(count, origin) => {
                self.found.iterates = Some(iter);
                Stop::Count(count, origin)
            }
            Items::Ends { data: true } => {
                self.found.iterates = Some(iter);
                Stop::Ends(Origin::literal(self.look.values.span(self.look.body, iter)))
            }
        };
        self.found.stops.push(stop);
        self.found.at = Some(self.at(iter));
        self.found.exhausts = true;
    }

    /// Everything of the loop that runs in its own turn.
    fn each(&self, visit: &mut dyn FnMut(ExprId)) {
        let tree = self.look.values.tree(self.look.body);
        walk::each(tree, self.look.the_loop, &mut |e| {
            visit(e);
            !matches!(tree.expr(e).kind, ExprKind::Closure { .. })
        });
    }

    fn turn(&self, focus: Focus, failing: bool) -> Node {
        let is_work = self.is_work;
        let mut compile = Compile::new(&self.look, focus, is_work, failing);
        let turn = compile.turn();
        prune::pruned(match turn.any(&|n| *n == Node::Work) {
            true => turn,
            // Nothing looks like a try: every turn that gets past the head is one.
            false => match turn {
                Node::If(cond, body, out) if matches!(self.look.kind(self.look.the_loop), ExprKind::While { .. }) => {
                    Node::If(cond, Box::new(Node::Seq(vec![Node::Work, *body])), out)
                }
                other => Node::Seq(vec![Node::Work, other]),
            },
        })
    }

    fn in_head(&self, e: ExprId) -> bool {
        match self.look.kind(self.look.the_loop) {
            ExprKind::While { cond, .. } => self.look.locals.inside(e, *cond),
            _ => false,
        }
    }

    /// Whether anything but the head compares what moves, or asks an iterator for more.
    fn looks_inside(&self) -> bool {
        let mut found = false;
        self.each(&mut |e| {
            let looks = || {
                self.look.compare(e).is_some() || self.look.checked_sub(e).is_some() || self.look.elapsed(e).is_some()
            };
            found |= !self.in_head(e) && looks();
        });
        found
    }

    fn head_start(&self) -> Val {
        let zero = Val::Int(Value::Number(0), Origin::none());
        match self.look.kind(self.look.the_loop) {
            ExprKind::For { iter, .. } => match self.look.kind(*iter) {
                ExprKind::Range { start: Some(start), .. } => self.look.values.eval(self.look.body, *start),
                _ => zero,
            },
            _ => zero,
        }
    }

    fn iterators(&mut self) {
        let mut cells: Vec<(Cell, ExprId)> = Vec::new();
        self.each(&mut |e| {
            if let ExprKind::Method { .. } = self.look.kind(e)
                && let Some(cell) = self.look.next(e)
                && !cells.iter().any(|(c, _)| *c == cell)
            {
                cells.push((cell, e));
            }
        });
        for (cell, e) in cells {
            let turn = self.turn(Focus::Left(cell.clone()), false);
            let run = |have: i64| Run {
                turn: &turn,
                the_loop: self.look.the_loop,
                start: have,
                limit: 0,
                each: 0,
                turns: have as u64 + 8,
                left: std::cell::Cell::new(run::FUEL),
            };
            if run(PROBE).tries().is_none() {
                continue;
            }
            let value = self.begins_at(&cell).unwrap_or_else(|| Val::unknown("an iterator"));
            let place = Origin::literal(self.look.values.span(self.look.body, e));
            let items = match cell.root.filter(|_| cell.fields.is_empty()).and_then(|p| self.written(p)) {
                Some(written) => self.look.items(written),
                None => self.look.of_value(&value),
            };
            let stop = match items {
                Items::Turns(count, origin) | Items::Data(count, origin) => {
                    let first = Val::Int(count, origin);
                    let zero = Val::Int(Value::Number(0), Origin::none());
                    match measure(&turn, self.look.the_loop, 0, &first, &zero) {
                        Some((value, origin)) => Stop::Count(value, origin),
                        None => continue,
                    }
                }
                Items::Ends { data } => {
                    if data && self.in_head(e) {
                        self.found.iterates = Some(e);
                    }
                    Stop::Ends(place)
                }
                Items::Endless => continue,
            };
            self.found.stops.push(stop);
            self.found.conditions.insert(e);
            self.found.at.get_or_insert(self.at(e));
            self.found.exhausts |= self.in_head(e);
        }
    }

    fn written(&self, pat: PatId) -> Option<ExprId> {
        match self.look.locals.bindings.get(&pat)?.source {
            super::values::Source::Let(value) => value,
            _ => None,
        }
    }

    /// Ends within two turns once the condition holds for good.
    pub(super) fn ends(&self, focus: Focus) -> bool {
        let turn = self.turn(focus, false);
        let run = Run {
            turn: &turn,
            the_loop: self.look.the_loop,
            start: 0,
            limit: 0,
            each: 0,
            turns: 2,
            left: std::cell::Cell::new(run::FUEL),
        };
        run.tries().is_some()
    }

    fn clock(&mut self) {
        let mut found: Vec<(ExprId, Val)> = Vec::new();
        self.each(&mut |e| {
            found.extend(self.look.elapsed(e).map(|(_, allowed)| (e, allowed)));
            if self.look.decides(e) {
                found.extend(self.look.elapsed_inside(e).into_iter().map(|allowed| (e, allowed)));
            }
        });
        if found.is_empty() || !self.ends(Focus::Clock) {
            return;
        }
        let mut limits: Vec<(Value, Origin)> = Vec::new();
        for (e, allowed) in found {
            if self.only_counts(e) {
                self.found.conditions.insert(e);
            }
            self.found.exhausts |= self.in_head(e);
            let limit = self.look.values.as_ms(&allowed);
            if !limits.iter().any(|(v, _)| *v == limit.0) {
                limits.push(limit);
            }
        }
        self.found.stops.extend(limits.into_iter().map(|(v, o)| Stop::Elapsed(v, o)));
    }

    fn cancel(&mut self) {
        let mut found = Vec::new();
        self.each(&mut |e| {
            if self.look.cancelled(e) || (self.look.waits_for_end(e)) {
                found.push(e);
            }
        });
        if !found.is_empty() && self.ends(Focus::Cancel) {
            self.found.conditions.extend(found);
            self.found.stops.push(Stop::Cancelled);
        }
    }
}

/// Runs the turn with the numbers there are; where one is open, with two stand-ins that show how the count hangs on it.
fn measure(turn: &Node, the_loop: ExprId, each: i64, first: &Val, limit: &Val) -> Option<(Value, Origin)> {
    let ((start, start_from), (end, end_from)) = (largest(first), largest(limit));
    let small = |v: &Value| v.number().and_then(|n| i64::try_from(n).ok());
    let run = |start: i64, limit: i64| {
        let turns = start.abs_diff(limit).saturating_add(80);
        Run { turn, the_loop, start, limit, each, turns, left: std::cell::Cell::new(run::FUEL) }.tries()
    };
    let known = |v: &Value| small(v).filter(|n| *n <= RUN);
    match (known(&start), known(&end)) {
        (Some(s), Some(e)) => {
            let tries = run(s, e)?;
            // A test for equality that is never met is no bound, but one run of it may still end by luck.
            Some((Value::Number(tries), if s > e { start_from } else { end_from }))
        }
        (Some(s), None) => {
            let (near, far) = (run(s, s + PROBE)?, run(s, s + 2 * PROBE)?);
            Some((stretch(end, near, far, s + PROBE), end_from))
        }
        (None, Some(e)) => {
            let down = run(e + PROBE, e).zip(run(e + 2 * PROBE, e));
            if let Some((near, far)) = down {
                return Some((stretch(start, near, far, e + PROBE), start_from));
            }
            run((e - PROBE).min(0), e)?;
            Some((Value::unknown("it starts at a number that is not known"), start_from))
        }
        (None, None) => {
            let up = run(0, PROBE).is_some();
            let down = run(PROBE, 0).is_some();
            (up || down).then(|| (Value::unknown("its start and its limit are not known"), end_from))
        }
    }
}

/// The count as the open number plus a constant, from two runs.
fn stretch(open: Value, near: u64, far: u64, probe: i64) -> Value {
    let grows = far.saturating_sub(near) as i64;
    if grows == PROBE {
        return open.plus(near as i64 - probe);
    }
    match (open, grows) {
        (Value::Number(n), grows) if grows > 0 => {
            let more = (i128::from(n) - i128::from(probe)) * i128::from(grows) / i128::from(PROBE);
            Value::Number(u64::try_from(more + i128::from(near)).unwrap_or(u64::MAX))
        }
        (open @ (Value::Unbounded | Value::Unknown(_)), _) => open,
        (_, 0) => Value::Number(far),
        _ => Value::unknown("it counts in steps"),
    }
}
