//! Tables of endings: the largest number of tries on the way to each, and the rule of each effect.
//!
//! The rules are those of semantics.md, "Worst-case attempts", as functions from the tables of the parts to the table of
//! the whole. A *flow* says where control goes on: only `Normal` cells take part in sequences, arms and renaming; the
//! others pass through to the scope or loop that they name.

use std::rc::Rc;

use crate::class::{Ending, Endings};
use crate::effect::{Exit, LoopId, Until, Wins};
use crate::value::Tries;

/// Where control goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Flow {
    Normal,
    Return,
    Break(LoopId),
    Again(LoopId),
}

impl From<Exit> for Flow {
    fn from(exit: Exit) -> Flow {
        match exit {
            Exit::Return => Flow::Return,
            Exit::Break(id) => Flow::Break(id),
            Exit::Again(id) => Flow::Again(id),
        }
    }
}

/// What a table keeps for each ending: the tries on the way there, or the time it takes.
pub trait Amount: Clone {
    /// Nothing happened yet.
    fn none() -> Self;
    /// One after another.
    fn and(&self, after: &Self) -> Self;
    /// One or the other.
    fn or(&self, other: &Self) -> Self;
}

impl Amount for Tries {
    fn none() -> Tries {
        Tries::ZERO
    }

    fn and(&self, after: &Tries) -> Tries {
        self.plus(*after)
    }

    fn or(&self, other: &Tries) -> Tries {
        self.worse(*other)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell<A = Tries> {
    pub flow: Flow,
    pub ending: Ending,
    pub tries: A,
}

impl<A> Cell<A> {
    fn goes_on(&self) -> bool {
        self.flow == Flow::Normal && self.ending.goes_on()
    }
}

/// Sorted by flow and ending, each pair at most once. What cannot happen is absent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table<A = Tries>(Vec<Cell<A>>);

impl<A> Default for Table<A> {
    fn default() -> Table<A> {
        Table(Vec::new())
    }
}

impl Amount for () {
    fn none() {}

    fn and(&self, (): &()) {}

    fn or(&self, (): &()) {}
}

impl Table<()> {
    /// One end, of which nothing is kept.
    pub fn single(flow: Flow, ending: Ending) -> Table<()> {
        Table(vec![Cell { flow, ending, tries: () }])
    }
}

impl<A: Amount> Table<A> {
    pub fn one(ending: Ending, tries: A) -> Table<A> {
        Table(vec![Cell { flow: Flow::Normal, ending, tries }])
    }

    pub fn ok(tries: A) -> Table<A> {
        Table::one(Ending::Ok, tries)
    }

    pub fn put(&mut self, flow: Flow, ending: Ending, tries: A) {
        match self.0.binary_search_by_key(&(flow, ending), |c| (c.flow, c.ending)) {
            Ok(at) => self.0[at].tries = self.0[at].tries.or(&tries),
            Err(at) => self.0.insert(at, Cell { flow, ending, tries }),
        }
    }

    pub fn cells(&self) -> &[Cell<A>] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The largest over the cells to keep, or `None` where there is none.
    pub fn largest(&self, keep: impl Fn(&Cell<A>) -> bool) -> Option<A> {
        self.0.iter().filter(|c| keep(c)).map(|c| c.tries.clone()).reduce(|a, b| a.or(&b))
    }

    fn or(&mut self, other: &Table<A>) {
        for cell in &other.0 {
            self.put(cell.flow, cell.ending, cell.tries.clone());
        }
    }

    pub fn or_ok(self) -> Table<A> {
        if self.0.is_empty() { Table::ok(A::none()) } else { self }
    }
}

impl Table {
    /// The largest of all.
    pub fn most(&self) -> Tries {
        self.largest(|_| true).unwrap_or_default()
    }

    /// Whether no cell of the other is larger. Both must stem from the same effect in the same world.
    pub fn covers(&self, other: &Table) -> bool {
        let larger = |(a, b): (&Cell, &Cell)| a.tries.low >= b.tries.low && a.tries.high >= b.tries.high;
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(larger)
    }
}

/// One try: `own` is one if it is counted, `fails` how it can fail in this world. What stands behind adds its own.
pub fn remote(own: Tries, fails: Option<Ending>, behind: Option<&Table>) -> Table {
    let mut out = Table::default();
    for cell in behind.map_or(&[][..], Table::cells) {
        out.put(cell.flow, cell.ending, own.plus(cell.tries));
    }
    if out.is_empty() {
        out.put(Flow::Normal, Ending::Ok, own);
    }
    if let Some(ending) = fails {
        out.put(Flow::Normal, ending, own);
    }
    out
}

pub fn seq<A: Amount>(parts: &[Rc<Table<A>>]) -> Table<A> {
    let mut out = Table::default();
    let mut before = A::none();
    for (i, part) in parts.iter().enumerate() {
        let last = i + 1 == parts.len();
        for cell in part.cells().iter().filter(|c| last || !c.goes_on()) {
            out.put(cell.flow, cell.ending, before.and(&cell.tries));
        }
        match part.largest(Cell::goes_on) {
            Some(onward) => before = before.and(&onward),
            None => return out,
        }
    }
    out.or_ok()
}

pub fn branch<A: Amount>(parts: &[Rc<Table<A>>]) -> Table<A> {
    let mut out = Table::default();
    parts.iter().for_each(|part| out.or(part));
    out.or_ok()
}

/// Adds a cell of one side with the largest of the kept cells of every other side, if each other has one.
fn together(out: &mut Table, cell: &Cell, others: &[&Table], keep: impl Fn(&Cell) -> bool) {
    let mut sum = cell.tries;
    for other in others {
        match other.largest(&keep) {
            Some(most) => sum = sum.plus(most),
            None => return,
        }
    }
    out.put(cell.flow, cell.ending, sum);
}

fn each_side(parts: &[Rc<Table>], mut visit: impl FnMut(&Cell, &[&Table])) {
    for (i, side) in parts.iter().enumerate() {
        let others: Vec<&Table> = parts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, t)| &**t).collect();
        side.cells().iter().for_each(|cell| visit(cell, &others));
    }
}

pub fn join(parts: &[Rc<Table>], until: Until) -> Table {
    let all = until == Until::All;
    let mut out = Table::default();
    each_side(parts, |cell, others| match (cell.flow, cell.ending) {
        (Flow::Normal, Ending::Ok) => {
            together(&mut out, cell, others, |c| c.flow == Flow::Normal && c.ending == Ending::Ok)
        }
        (Flow::Normal, Ending::Status(_)) => together(&mut out, cell, others, Cell::goes_on),
        (Flow::Normal, Ending::Never) => together(&mut out, cell, others, |c| all || !c.ending.is_error()),
        _ => together(&mut out, cell, others, |c| !all || c.ending != Ending::Never),
    });
    out.or_ok()
}

pub fn race(parts: &[Rc<Table>], wins: Wins) -> Table {
    let first_ok = wins == Wins::FirstOk;
    let mut out = Table::default();
    each_side(parts, |cell, others| match cell.ending {
        Ending::Never => {
            together(&mut out, cell, others, |c| c.ending == Ending::Never || (first_ok && c.ending.is_error()))
        }
        Ending::Error(_) if first_ok => together(&mut out, cell, others, |c| c.ending.is_error()),
        _ => together(&mut out, cell, others, |_| true),
    });
    out.or_ok()
}

/// A hang is renamed only by a rule for hangs alone: a rule for everything means every result, and a hang has none.
pub fn map<A: Amount>(rules: &[(Endings, Endings)], body: &Table<A>) -> Table<A> {
    let mut out = Table::default();
    for cell in body.cells() {
        let fits = |from: &Endings| from.has(cell.ending) && (cell.ending != Ending::Never || *from == Endings::NEVER);
        let rule = rules.iter().find(|(from, to)| fits(from) && !to.is_empty());
        match rule.filter(|_| cell.flow == Flow::Normal) {
            Some((_, to)) => to.iter().for_each(|ending| out.put(Flow::Normal, ending, cell.tries.clone())),
            None => out.put(cell.flow, cell.ending, cell.tries.clone()),
        }
    }
    out
}

/// The arm that takes a cell over, if one does. Nothing takes a hang over.
pub fn arm_for<A>(cell: &Cell<A>, arms: &[Endings]) -> Option<usize> {
    let caught = cell.flow == Flow::Normal && cell.ending != Ending::Never;
    caught.then(|| arms.iter().position(|on| on.has(cell.ending))).flatten()
}

/// `follow` gives an arm's table for the ending that it has caught.
pub fn recover<A: Amount>(
    body: &Table<A>,
    arms: &[Endings],
    mut follow: impl FnMut(usize, Ending) -> Rc<Table<A>>,
) -> Table<A> {
    let mut out = Table::default();
    for cell in body.cells() {
        let Some(arm) = arm_for(cell, arms) else {
            out.put(cell.flow, cell.ending, cell.tries.clone());
            continue;
        };
        for end in follow(arm, cell.ending).cells() {
            out.put(end.flow, end.ending, cell.tries.and(&end.tries));
        }
    }
    out
}

pub fn leave<A: Amount>(exit: Exit, body: &Table<A>) -> Table<A> {
    moved(body, |cell| match (cell.flow, cell.ending) {
        (Flow::Normal, Ending::Never) => Flow::Normal,
        (Flow::Normal, _) => exit.into(),
        (flow, _) => flow,
    })
}

pub fn scope<A: Amount>(body: &Table<A>) -> Table<A> {
    moved(body, |cell| if cell.flow == Flow::Return { Flow::Normal } else { cell.flow })
}

/// The end of a function or closure: no jump leads out of it.
pub fn frame<A: Amount>(body: &Table<A>) -> Table<A> {
    moved(body, |_| Flow::Normal)
}

fn moved<A: Amount>(body: &Table<A>, to: impl Fn(&Cell<A>) -> Flow) -> Table<A> {
    let mut out = Table::default();
    body.cells().iter().for_each(|cell| out.put(to(cell), cell.ending, cell.tries.clone()));
    out
}

pub fn spawn(body: &Table) -> Table {
    Table::ok(body.most())
}

/// A repetition as far as its table is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns {
    pub id: LoopId,
    pub n: Tries,
    pub again: Endings,
    pub jumps: bool,
    pub exhausts: bool,
    /// Retries and failovers multiply; everything else is its body once.
    pub multiplies: bool,
}

impl Turns {
    /// Whether a cell of the body leads to the next turn.
    pub fn repeats<A>(&self, cell: &Cell<A>) -> bool {
        let lands = cell.flow == Flow::Normal && cell.ending != Ending::Never;
        match self.jumps {
            true => lands || cell.flow == Flow::Again(self.id),
            false => lands && self.again.has(cell.ending),
        }
    }

    /// The dearest way to the next turn, if there is one.
    pub fn again(&self, body: &Table) -> Option<Tries> {
        self.multiplies.then(|| body.largest(|c| self.repeats(c))).flatten()
    }

    /// Whether the layer multiplies what is counted in that table.
    pub fn owns(&self, body: &Table) -> bool {
        self.n.high > 1 && self.again(body).is_some_and(|m| m.high > 0)
    }

    pub fn table(&self, body: &Table, off: bool) -> Table {
        if !self.multiplies {
            return self.once(body);
        }
        let Some(most) = self.again(body) else {
            return moved(body, |cell| self.landing(cell));
        };
        let n = if off { Tries::ONE } else { self.n };
        let endless = n.low == Tries::INFINITE;
        let before = most.times(n.less_one());
        // A switched-off loop without a guard of its own ends in what it would have repeated.
        let surfaces = match self.jumps {
            true => off && self.n.high == Tries::INFINITE,
            false => !endless,
        };
        let mut out = Table::default();
        for cell in body.cells().iter().filter(|c| surfaces || !self.repeats(c)) {
            out.put(self.landing(cell), cell.ending, before.plus(cell.tries));
        }
        if endless {
            out.put(Flow::Normal, Ending::Never, before);
        } else if self.jumps && (self.exhausts || out.is_empty()) {
            out.put(Flow::Normal, Ending::Ok, most.times(n));
        }
        out
    }

    /// Bodies that are tried one after another, each once at most, in the worst order. What is tried again ends the whole
    /// only at the last turn.
    pub fn failover(&self, bodies: &[Rc<Table>], off: bool) -> Table {
        let n = if off || !self.multiplies { 1 } else { usize::try_from(self.n.high).unwrap_or(usize::MAX) };
        let turns = n.clamp(1, bodies.len().max(1));
        let mut out = Table::default();
        for (j, body) in bodies.iter().enumerate() {
            let earlier = self.earlier(bodies, j);
            for cell in body.cells() {
                let last = self.repeats(cell);
                if last && earlier.len() + 1 < turns {
                    continue;
                }
                let before = earlier.iter().take(turns - 1).copied().fold(Tries::ZERO, Tries::plus);
                out.put(self.landing(cell), cell.ending, before.plus(cell.tries));
            }
        }
        out.or_ok()
    }

    /// What each other body can have cost when its failure led on, the dearest first.
    fn earlier(&self, bodies: &[Rc<Table>], j: usize) -> Vec<Tries> {
        let others = bodies.iter().enumerate().filter(|(i, _)| *i != j);
        let mut costs: Vec<Tries> = others.filter_map(|(_, t)| t.largest(|c| self.repeats(c))).collect();
        costs.sort_unstable_by_key(|t| std::cmp::Reverse((t.high, t.low)));
        costs
    }

    /// Whether what is counted is sent to two servers one after another.
    pub fn failover_owns(&self, bodies: &[Rc<Table>]) -> bool {
        let after = |(j, body): (usize, &Rc<Table>)| {
            let paid = self.earlier(bodies, j).first().is_some_and(|cost| cost.high > 0);
            paid && body.most().high > 0
        };
        self.n.high > 1 && bodies.iter().enumerate().any(after)
    }

    /// What is no layer: the way back to the head is a success.
    pub fn once<A: Amount>(&self, body: &Table<A>) -> Table<A> {
        let mut out = Table::default();
        for cell in body.cells() {
            let back = cell.flow == Flow::Again(self.id);
            out.put(self.landing(cell), if back { Ending::Ok } else { cell.ending }, cell.tries.clone());
        }
        out
    }

    /// Where a cell of the body goes on once the repetition is over.
    pub fn landing<A>(&self, cell: &Cell<A>) -> Flow {
        match cell.flow {
            Flow::Break(id) | Flow::Again(id) if id == self.id => Flow::Normal,
            flow => flow,
        }
    }
}
