//! Maps from the ids of one body. Ids are given out in the order of the text, and whoever fills such a map goes through
//! the text in nearly the same order, so a sorted list is filled at its end: it is smaller than a hash table, is never
//! built anew as it grows, and is freed in one step.

#[derive(Debug, Clone)]
pub struct IdMap<K, V> {
    sorted: Vec<(K, V)>,
}

impl<K, V> Default for IdMap<K, V> {
    fn default() -> Self {
        IdMap { sorted: Vec::new() }
    }
}

impl<K: Copy + Ord, V> IdMap<K, V> {
    fn place(&self, key: &K) -> Result<usize, usize> {
        match self.sorted.last() {
            Some((last, _)) if last < key => Err(self.sorted.len()),
            _ => self.sorted.binary_search_by_key(key, |(known, _)| *known),
        }
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        self.place(key).ok().map(|at| &self.sorted[at].1)
    }

    pub fn contains_key(&self, key: &K) -> bool {
        self.place(key).is_ok()
    }

    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(at) => self.sorted[at].1 = value,
            Err(at) => self.sorted.insert(at, (key, value)),
        }
    }

    /// Room for so many at once.
    pub fn reserve(&mut self, more: usize) {
        self.sorted.reserve(more);
    }

    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// In the order of the text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.sorted.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

/// The same without values.
#[derive(Debug, Clone)]
pub struct IdSet<K>(IdMap<K, ()>);

impl<K> Default for IdSet<K> {
    fn default() -> Self {
        IdSet(IdMap::default())
    }
}

impl<K: Copy + Ord> IdSet<K> {
    pub fn insert(&mut self, key: K) {
        self.0.insert(key, ());
    }

    pub fn contains(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::IdMap;

    #[test]
    fn whatever_the_order_of_filling() {
        let mut map = IdMap::default();
        for key in [3, 5, 4, 9, 1, 4] {
            map.insert(key, key * 10);
        }
        map.insert(5, 7);
        assert_eq!(map.keys().copied().collect::<Vec<_>>(), [1, 3, 4, 5, 9]);
        assert_eq!((map.get(&4), map.get(&5), map.get(&6), map.get(&10)), (Some(&40), Some(&7), None, None));
        assert!(map.contains_key(&9) && !map.contains_key(&2));
    }
}
