//! The members of an object, in MySQL's order.

use std::cmp::Ordering;

use super::Json;

/// Members sorted by the length of their names in bytes, then by their bytes. That is MySQL's order in storage, in
/// text, and for JSON_KEYS.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    members: Vec<(String, Json)>,
}

/// The order of names within an object.
pub(super) fn compare_names(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Names and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Names.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// Values, by the order of their names.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Json> {
        self.members.iter().map(|(_, value)| value)
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.find(name).ok().and_then(|at| self.members.get(at)).map(|(_, value)| value)
    }

    /// The member of this name, with the name.
    pub(super) fn get_entry(&self, name: &str) -> Option<(&str, &Json)> {
        let at = self.find(name).ok()?;
        self.members.get(at).map(|(name, value)| (name.as_str(), value))
    }

    /// The member of this name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        let at = self.find(name).ok()?;
        self.members.get_mut(at).map(|(_, value)| value)
    }

    /// Adds a member, or gives it another value.
    pub fn insert(&mut self, name: impl Into<String>, value: Json) {
        let name = name.into();
        match self.find(&name) {
            Ok(at) => self.members[at].1 = value,
            Err(at) => self.members.insert(at, (name, value)),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let at = self.find(name).ok()?;
        Some(self.members.remove(at).1)
    }

    /// Keeps the members of which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Json) -> bool) {
        self.members.retain(|(name, value)| keep(name, value));
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|(other, _)| compare_names(other, name))
    }
}

/// Of members with the same name the last one stays.
impl FromIterator<(String, Json)> for Object {
    fn from_iter<T: IntoIterator<Item = (String, Json)>>(members: T) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

/// Adds many members at once, which is cheaper than one by one: each insertion moves what follows.
impl Extend<(String, Json)> for Object {
    fn extend<T: IntoIterator<Item = (String, Json)>>(&mut self, members: T) {
        self.members.extend(members);
        // A stable sort: the last of equals stands last.
        self.members.sort_by(|(a, _), (b, _)| compare_names(a, b));
        self.members.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_come_first_and_the_last_of_equal_ones_stays() {
        let members = [("bb", 1), ("a", 2), ("c", 3), ("a", 4), ("a", 5), ("", 6)];
        let object: Object =
            members.map(|(name, value)| (name.to_owned(), Json::Int(value))).into_iter().collect();
        assert_eq!(object.names().collect::<Vec<_>>(), ["", "a", "c", "bb"]);
        assert_eq!(object.get("a"), Some(&Json::Int(5)));
        assert_eq!(object.get("b"), None);
    }

    #[test]
    fn members_are_added_changed_and_removed() {
        let mut object = Object::new();
        object.insert("bb", Json::Int(1));
        object.insert("c", Json::Int(2));
        object.insert("bb", Json::Int(3));
        assert_eq!(object.names().collect::<Vec<_>>(), ["c", "bb"]);
        assert_eq!(object.remove("bb"), Some(Json::Int(3)));
        assert_eq!(object.len(), 1);
    }
}
