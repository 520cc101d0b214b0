//! A set of ways a turn can go, in order. It holds a handful and is made anew at every node, so it is a list.

use super::outcome::Outcome;

#[derive(Clone, Debug, Default)]
pub(super) struct Outcomes(Vec<Outcome>);

impl Outcomes {
    pub fn one(outcome: Outcome) -> Outcomes {
        Outcomes(vec![outcome])
    }

    pub fn insert(&mut self, outcome: Outcome) {
        if let Err(at) = self.0.binary_search(&outcome) {
            self.0.insert(at, outcome);
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Outcome> {
        self.0.iter()
    }
}

impl Extend<Outcome> for Outcomes {
    fn extend<I: IntoIterator<Item = Outcome>>(&mut self, more: I) {
        more.into_iter().for_each(|outcome| self.insert(outcome));
    }
}

impl FromIterator<Outcome> for Outcomes {
    fn from_iter<I: IntoIterator<Item = Outcome>>(all: I) -> Outcomes {
        let mut set = Outcomes::default();
        set.extend(all);
        set
    }
}

impl IntoIterator for Outcomes {
    type Item = Outcome;
    type IntoIter = std::vec::IntoIter<Outcome>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Outcomes {
    type Item = &'a Outcome;
    type IntoIter = std::slice::Iter<'a, Outcome>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
