//! Few things with numbers: prepared statements.

use smallvec::SmallVec;

/// What has a number, in the order of the numbers; `None` while it is lent. One takes no memory of its own.
#[derive(Debug)]
pub(super) struct ById<T>(SmallVec<[(u32, Option<Box<T>>); 1]>);

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self(SmallVec::new())
    }
}

impl<T> ById<T> {
    fn place(&self, id: u32) -> std::result::Result<usize, usize> {
        self.0.binary_search_by_key(&id, |(id, _)| *id)
    }

    /// One of them, unless it is lent.
    pub(super) fn get(&self, id: u32) -> Option<&T> {
        self.0[self.place(id).ok()?].1.as_deref()
    }

    /// The place of one.
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Option<Box<T>>> {
        let place = self.place(id).ok()?;
        Some(&mut self.0[place].1)
    }

    /// Puts one into its place.
    pub(super) fn put(&mut self, id: u32, one: Box<T>) {
        match self.place(id) {
            Ok(place) => self.0[place].1 = Some(one),
            Err(place) => self.0.insert(place, (id, Some(one))),
        }
    }

    /// Takes one and its place away.
    pub(super) fn remove(&mut self, id: u32) -> Option<Box<T>> {
        let place = self.place(id).ok()?;
        self.0.remove(place).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers begin again after the last one.
    #[test]
    fn what_has_a_number_is_found_by_it() {
        let mut all = ById::default();
        for id in [u32::MAX, 7, 1] {
            all.put(id, Box::new(id));
        }
        assert_eq!(
            [1, 7, u32::MAX, 2].map(|id| all.get(id).copied()),
            [Some(1), Some(7), Some(u32::MAX), None]
        );
        let lent = all.get_mut(7).and_then(Option::take).unwrap();
        assert_eq!((all.get(7), all.0.len()), (None, 3));
        all.put(7, lent);
        assert_eq!(all.remove(1).as_deref(), Some(&1));
        assert_eq!((all.remove(1), all.get(7)), (None, Some(&7)));
    }
}
