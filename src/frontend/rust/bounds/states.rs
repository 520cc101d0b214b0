//! The values that a counter can have at one point of a turn, each with the most tries that lead there.
//!
//! Nearly always one or two: a sorted list is smaller and faster than a tree, and lists are made at every node.

/// The counter, and whether this turn has tried already.
pub type Key = (i64, bool);

/// A counter whose value nobody knows any more.
pub const LOST: i64 = i64::MIN;
/// More values of one counter in one turn than any real loop has.
const MOST: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct States(Vec<(Key, u64)>);

impl States {
    pub fn one(key: Key) -> States {
        States(vec![(key, 0)])
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn most(&self) -> Option<u64> {
        self.0.iter().map(|(_, tries)| *tries).max()
    }

    pub fn same_keys(&self, other: &States) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.0 == b.0)
    }

    /// The larger number of tries holds; beyond the most values the counter counts as lost.
    fn put(&mut self, key: Key, tries: u64) {
        match self.0.binary_search_by_key(&key, |(known, _)| *known) {
            Ok(at) => self.0[at].1 = self.0[at].1.max(tries),
            Err(_) if key.0 != LOST && self.0.len() >= MOST => self.put((LOST, key.1), tries),
            Err(at) => self.0.insert(at, (key, tries)),
        }
    }

    pub fn join(&mut self, from: States) {
        if self.is_empty() && from.0.len() <= MOST {
            *self = from;
        } else {
            from.0.into_iter().for_each(|(key, tries)| self.put(key, tries));
        }
    }

    /// All of them changed.
    pub fn each(&self, change: impl Fn(Key, u64) -> (Key, u64)) -> States {
        let mut changed = States(Vec::with_capacity(self.0.len()));
        for (key, tries) in &self.0 {
            let (key, tries) = change(*key, *tries);
            changed.put(key, tries);
        }
        changed
    }

    /// Those whose counter is such, and those whose is not; a lost one may be both.
    pub fn split(self, is: impl Fn(i64) -> bool) -> (States, States) {
        let (mut yes, mut no) = (States::default(), States::default());
        for state in self.0 {
            let counter = state.0.0;
            if counter == LOST || is(counter) {
                yes.0.push(state);
            }
            if counter == LOST || !is(counter) {
                no.0.push(state);
            }
        }
        (yes, no)
    }
}
