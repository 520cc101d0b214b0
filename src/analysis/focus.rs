//! One call alone: of a sequence, join or race one part is counted, of branches, alternatives and arms all of them.
//!
//! The number of such choices is exponential in the size of an operation. Here a choice is kept only while its table is
//! not covered by another's, which loses nothing because every rule is monotone. Arms are asked for all the endings that
//! they can catch at once, so that one choice holds for all of them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::endings::{Evaluator, Which, World, is};
use super::node::{LayerIx, Node, NodeId};
use super::table::{self, Table, Turns};
use crate::class::{Ending, Endings};
use crate::value::Tries;

/// One way to choose the call that is counted.
#[derive(Clone, Debug)]
pub struct Choice {
    /// One table per context.
    pub tables: Vec<Rc<Table>>,
    /// The layers around what is counted, outermost first, and whether each multiplies it.
    pub around: Rc<Vec<(LayerIx, bool)>>,
}

/// Choices that are kept side by side at one node.
const MOST: usize = 24;

type Context = Vec<Ending>;

/// Results of closed nodes, valid for as long as the evaluator's.
pub type Memo = FxHashMap<(NodeId, World), Rc<Vec<Choice>>>;

pub struct Focus<'e, 'a> {
    pub evaluator: &'e mut Evaluator<'a>,
    pub memo: &'e mut Memo,
}

impl Focus<'_, '_> {
    /// The choices of a whole operation in one world.
    pub fn choices(&mut self, node: NodeId, world: World) -> Rc<Vec<Choice>> {
        self.closed(node, world)
    }

    /// The dearest choice; the first of several.
    pub fn dearest(&mut self, node: NodeId, world: World) -> Option<(Tries, Choice)> {
        let mut best: Option<(Tries, &Choice)> = None;
        let all = self.choices(node, world);
        for choice in all.iter() {
            let tries = choice.tables[0].most();
            if best.is_none_or(|(most, _)| tries > most) {
                best = Some((tries, choice));
            }
        }
        best.map(|(tries, choice)| (tries, choice.clone()))
    }

    fn closed(&mut self, node: NodeId, world: World) -> Rc<Vec<Choice>> {
        let world = self.evaluator.reduced(node, world);
        if world.counted == Which::None {
            return Rc::default();
        }
        if let Some(known) = self.memo.get(&(node, world)) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.fresh(node, world, &[Context::new()]));
        if !self.evaluator.exhausted() {
            self.memo.insert((node, world), Rc::clone(&found));
        }
        found
    }

    /// The choices of a node, with one table for each context.
    fn of(&mut self, node: NodeId, world: World, contexts: &[Context]) -> Vec<Choice> {
        if contexts.is_empty() {
            return Vec::new(); // nothing leads here in this world
        }
        if self.evaluator.arena.below(node).caught > 0 {
            return self.fresh(node, self.evaluator.reduced(node, world), contexts);
        }
        let same = |choice: &Choice| {
            let tables = vec![Rc::clone(&choice.tables[0]); contexts.len()];
            Choice { tables, around: Rc::clone(&choice.around) }
        };
        self.closed(node, world).iter().map(same).collect()
    }

    fn fresh(&mut self, node: NodeId, world: World, contexts: &[Context]) -> Vec<Choice> {
        if world.counted == Which::None || !self.evaluator.step() {
            return Vec::new();
        }
        let found = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.compute(node, world, contexts));
        pruned(found)
    }

    fn compute(&mut self, node: NodeId, world: World, contexts: &[Context]) -> Vec<Choice> {
        let arena = self.evaluator.arena;
        match arena.node(node) {
            Node::Seq(parts) => self.one_part(parts, world, contexts, table::seq),
            Node::Join(parts, until) => self.one_part(parts, world, contexts, |t| table::join(t, *until)),
            Node::Race(parts, wins) => self.one_part(parts, world, contexts, |t| table::race(t, *wins)),
            Node::Branch(parts) => self.all_parts(parts, world, contexts),
            Node::Recover(body, on, arms) => self.recover(*body, on, arms, world, contexts),
            Node::Remote { dep, site, behind, .. } => {
                let mut out = Vec::new();
                if is(world.counted, *dep, *site) {
                    let behind = behind.map(|node| self.evaluator.table(node, world.uncounted()));
                    let own = Rc::new(self.evaluator.try_once(*dep, *site, world, behind.as_deref()));
                    out.push(Choice { tables: vec![own; contexts.len()], around: Rc::default() });
                }
                for choice in behind.map(|node| self.of(node, world, contexts)).unwrap_or_default() {
                    let one = |t: &Table| self.evaluator.try_once(*dep, *site, world.uncounted(), Some(t));
                    out.push(with_tables(&choice, one));
                }
                out
            }
            Node::Repeat { turns, layer, body } => self.repeat(turns, *layer, *body, world, contexts),
            Node::Failover { turns, layer, bodies } => {
                let off = self.evaluator.is_off(turns, *layer, node, world);
                self.failover(turns, *layer, bodies, off, world, contexts)
            }
            Node::Nothing | Node::Sleep(_) | Node::End(_) | Node::Caught(_) | Node::Unknown => Vec::new(),
            other => {
                let Some(body) = other.children().next() else {
                    return Vec::new();
                };
                let choices = self.of(body, world, contexts);
                choices.iter().map(|c| with_tables(c, |t| self.evaluator.around(node, world, t))).collect()
            }
        }
    }

    fn repeat(
        &mut self,
        turns: &Turns,
        layer: LayerIx,
        body: NodeId,
        world: World,
        contexts: &[Context],
    ) -> Vec<Choice> {
        let off = self.evaluator.is_off(turns, layer, body, world);
        let choices = self.of(body, world, contexts);
        let wrap = |choice: &Choice| {
            let owns = !off && choice.tables.iter().any(|t| turns.owns(t));
            let mut out = with_tables(choice, |t| turns.table(t, off));
            if turns.multiplies {
                out.around = Rc::new([(layer, owns)].iter().chain(choice.around.iter()).copied().collect());
            }
            out
        };
        choices.iter().map(wrap).collect()
    }

    /// Each server's worst choice: what is tried at another server after a failure is an alternative, and counted too.
    fn failover(
        &mut self,
        turns: &Turns,
        layer: LayerIx,
        bodies: &[NodeId],
        off: bool,
        world: World,
        contexts: &[Context],
    ) -> Vec<Choice> {
        let mut counted = false;
        let mut parts = Vec::with_capacity(bodies.len());
        for body in bodies {
            let choices = self.of(*body, world, contexts);
            counted |= !choices.is_empty();
            parts.push(match choices.is_empty() {
                true => Choice { tables: self.plain(*body, world, contexts), around: Rc::default() },
                false => worst_of(&choices),
            });
        }
        if !counted {
            return Vec::new();
        }
        let at = |k: usize| parts.iter().map(|part| Rc::clone(&part.tables[k])).collect::<Vec<_>>();
        let tables = (0..contexts.len()).map(|k| Rc::new(turns.failover(&at(k), off))).collect();
        let owns = !off && turns.multiplies && (0..contexts.len()).any(|k| turns.failover_owns(&at(k)));
        let mut around = if turns.multiplies { vec![(layer, owns)] } else { Vec::new() };
        parts.iter().for_each(|part| add_layers(&mut around, &part.around));
        vec![Choice { tables, around: Rc::new(around) }]
    }

    /// A node's tables with nothing counted, one per context.
    fn plain(&mut self, node: NodeId, world: World, contexts: &[Context]) -> Vec<Rc<Table>> {
        let mut tables = Vec::with_capacity(contexts.len());
        for context in contexts {
            let outside = std::mem::replace(&mut self.evaluator.caught, context.clone());
            tables.push(self.evaluator.table(node, world.uncounted()));
            self.evaluator.caught = outside;
        }
        tables
    }

    fn one_part(
        &mut self,
        parts: &[NodeId],
        world: World,
        contexts: &[Context],
        rule: impl Fn(&[Rc<Table>]) -> Table,
    ) -> Vec<Choice> {
        let plain: Vec<Vec<Rc<Table>>> = parts.iter().map(|p| self.plain(*p, world, contexts)).collect();
        let mut out = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            for choice in self.of(*part, world, contexts) {
                let whole = |k: usize| {
                    let mut here: Vec<Rc<Table>> = plain.iter().map(|tables| Rc::clone(&tables[k])).collect();
                    here[i] = Rc::clone(&choice.tables[k]);
                    Rc::new(rule(&here))
                };
                let tables = (0..contexts.len()).map(whole).collect();
                out.push(Choice { tables, around: Rc::clone(&choice.around) });
            }
        }
        out
    }

    fn all_parts(&mut self, parts: &[NodeId], world: World, contexts: &[Context]) -> Vec<Choice> {
        let mut out: Vec<Choice> = Vec::new();
        let mut counted = false;
        for part in parts {
            let mut here = self.of(*part, world, contexts);
            match here.is_empty() {
                true => here.push(Choice { tables: self.plain(*part, world, contexts), around: Rc::default() }),
                false => counted = true,
            }
            out = match out.is_empty() {
                true => here,
                false => pruned(out.iter().flat_map(|a| here.iter().map(move |b| either(a, b))).collect()),
            };
        }
        if counted { out } else { Vec::new() }
    }

    fn recover(
        &mut self,
        body: NodeId,
        on: &[Endings],
        arms: &[NodeId],
        world: World,
        contexts: &[Context],
    ) -> Vec<Choice> {
        let plain = self.plain(body, world, contexts);
        let asked: Vec<Vec<(usize, Ending)>> = (0..arms.len()).map(|arm| caught_by(arm, on, &plain)).collect();
        let mut bodies = self.of(body, world, contexts);
        let mut counted = !bodies.is_empty();
        let none = Choice { tables: plain, around: Rc::default() };
        if !counted {
            bodies.push(none.clone());
        }
        let mut follow: Vec<Vec<Choice>> = Vec::new();
        let mut uncounted: Vec<Choice> = Vec::new();
        for (arm, asked) in arms.iter().zip(&asked) {
            let inner: Vec<Context> = asked.iter().map(|(k, e)| [&contexts[*k][..], &[*e]].concat()).collect();
            let mut choices = self.of(*arm, world, &inner);
            counted |= !choices.is_empty();
            let plain = Choice { tables: self.plain(*arm, world, &inner), around: Rc::default() };
            if choices.is_empty() {
                choices.push(plain.clone());
            }
            uncounted.push(plain);
            follow.push(choices);
        }
        if !counted {
            return Vec::new();
        }
        let after = |succeeded: bool| counted_after(succeeded, &follow, &uncounted, &asked);
        let mut out = combined(&bodies, &after(false), &asked, on, contexts.len());
        if asked.iter().flatten().any(|(_, e)| *e == Ending::Ok) {
            out.extend(combined(&[none], &after(true), &asked, on, contexts.len()));
        }
        out
    }
}

/// What follows a success follows it as in a sequence: one call alone is either before it or after it. What follows a
/// failure is an alternative and counted with what failed. So a choice is kept for the one kind of endings only.
fn only_where(choice: &Choice, plain: &Choice, asked: &[(usize, Ending)], kept: impl Fn(&Ending) -> bool) -> Choice {
    let pick = |(i, (_, ending)): (usize, &(usize, Ending))| {
        let from = if kept(ending) { choice } else { plain };
        Rc::clone(&from.tables[i])
    };
    let any = asked.iter().any(|(_, ending)| kept(ending));
    let around = if any { Rc::clone(&choice.around) } else { Rc::default() };
    Choice { tables: asked.iter().enumerate().map(pick).collect(), around }
}

/// Which endings in which contexts the arm takes over, given the tables of the body.
fn caught_by(arm: usize, on: &[Endings], bodies: &[Rc<Table>]) -> Vec<(usize, Ending)> {
    let cells = bodies.iter().enumerate().flat_map(|(k, t)| t.cells().iter().map(move |c| (k, c)));
    cells.filter(|(_, c)| table::arm_for(c, on) == Some(arm)).map(|(k, c)| (k, c.ending)).collect()
}

/// The choices of each arm, counted only after a body that succeeded, or only after one that failed.
fn counted_after(
    succeeded: bool,
    follow: &[Vec<Choice>],
    uncounted: &[Choice],
    asked: &[Vec<(usize, Ending)>],
) -> Vec<Vec<Choice>> {
    let kept = |e: &Ending| (*e == Ending::Ok) == succeeded;
    let one =
        |arm: usize| follow[arm].iter().map(|c| only_where(c, &uncounted[arm], &asked[arm], kept)).collect::<Vec<_>>();
    (0..follow.len()).map(one).collect()
}

/// Every choice of the body with every choice of each arm.
fn combined(
    bodies: &[Choice],
    follow: &[Vec<Choice>],
    asked: &[Vec<(usize, Ending)>],
    on: &[Endings],
    contexts: usize,
) -> Vec<Choice> {
    let product = follow.iter().fold(bodies.len(), |n, arm| n.saturating_mul(arm.len().max(1)));
    let follow: Vec<Vec<Choice>> = match product {
        0..=256 => follow.to_vec(),
        _ => follow.iter().map(|choices| vec![worst_of(choices)]).collect(),
    };
    let mut picks: Vec<Vec<usize>> = vec![Vec::new()];
    for choices in &follow {
        picks = picks.iter().flat_map(|p| (0..choices.len()).map(move |i| [&p[..], &[i]].concat())).collect();
    }
    let mut out = Vec::new();
    for body in bodies {
        for pick in &picks {
            let arm_table = |k: usize, arm: usize, ending: Ending| {
                let at = asked[arm].iter().position(|a| *a == (k, ending)).expect("every caught ending was asked for");
                Rc::clone(&follow[arm][pick[arm]].tables[at])
            };
            let whole = |k: usize| Rc::new(table::recover(&body.tables[k], on, |arm, e| arm_table(k, arm, e)));
            let mut around = (*body.around).clone();
            for (arm, i) in pick.iter().enumerate() {
                add_layers(&mut around, &follow[arm][*i].around);
            }
            out.push(Choice { tables: (0..contexts).map(whole).collect(), around: Rc::new(around) });
        }
    }
    out
}

fn with_tables(choice: &Choice, rule: impl Fn(&Table) -> Table) -> Choice {
    let tables = choice.tables.iter().map(|t| Rc::new(rule(t))).collect();
    Choice { tables, around: Rc::clone(&choice.around) }
}

fn add_layers(all: &mut Vec<(LayerIx, bool)>, more: &[(LayerIx, bool)]) {
    for (layer, owns) in more {
        match all.iter_mut().find(|(known, _)| known == layer) {
            Some((_, owned)) => *owned |= owns,
            None => all.push((*layer, *owns)),
        }
    }
}

/// The larger of each cell: both choices at once.
fn either(a: &Choice, b: &Choice) -> Choice {
    let both = |(a, b): (&Rc<Table>, &Rc<Table>)| Rc::new(table::branch(&[Rc::clone(a), Rc::clone(b)]));
    let mut around = (*a.around).clone();
    add_layers(&mut around, &b.around);
    Choice { tables: a.tables.iter().zip(&b.tables).map(both).collect(), around: Rc::new(around) }
}

fn worst_of(choices: &[Choice]) -> Choice {
    let (first, rest) = choices.split_first().expect("a node without choices has its plain tables as one");
    rest.iter().fold(first.clone(), |a, b| either(&a, b))
}

/// Without those that another covers; of equal ones the first stays. Where too many are left the rest is taken together.
fn pruned(choices: Vec<Choice>) -> Vec<Choice> {
    let covers = |a: &Choice, b: &Choice| a.tables.iter().zip(&b.tables).all(|(a, b)| a.covers(b));
    let mut kept: Vec<Choice> = Vec::new();
    for choice in choices {
        if kept.iter().any(|k| covers(k, &choice)) {
            continue;
        }
        kept.retain(|k| !covers(&choice, k));
        kept.push(choice);
    }
    if kept.len() > MOST {
        let rest = kept.split_off(MOST - 1);
        kept.push(worst_of(&rest));
    }
    kept
}
