//! The newest entries of the general log, which `mysql.general_log` shows.

use std::collections::VecDeque;

/// Bytes of entries that are kept; the newest is, however large.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// What an entry takes beside its texts.
const ENTRY_SIZE: usize = 96;

/// An entry of the general log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// Microseconds since 1970.
    pub(crate) at_us: u64,
    /// `user[account] @ host [address]`
    pub(crate) user_host: &'a str,
    /// The connection.
    pub(crate) id: u32,
    /// MySQL's word for what it did.
    pub(crate) command: &'static str,
    /// With what; for most, a statement.
    pub(crate) argument: &'a [u8],
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Kept {
    entries: VecDeque<Owned>,
    size: usize,
}

#[derive(Debug)]
struct Owned {
    at_us: u64,
    user_host: Box<str>,
    id: u32,
    command: &'static str,
    argument: Box<[u8]>,
}

impl Owned {
    fn size(&self) -> usize {
        ENTRY_SIZE + self.user_host.len() + self.argument.len()
    }
}

impl Kept {
    /// Adds an entry. Old ones go for it.
    pub(super) fn push(&mut self, entry: &Entry<'_>) {
        let &Entry { at_us, user_host, id, command, argument } = entry;
        let entry = Owned { at_us, user_host: user_host.into(), id, command, argument: argument.into() };
        self.size += entry.size();
        while self.size > KEPT_BYTES_MAX
            && let Some(oldest) = self.entries.pop_front()
        {
            self.size -= oldest.size();
        }
        self.entries.push_back(entry);
    }

    /// The oldest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().map(|entry| Entry {
            at_us: entry.at_us,
            user_host: &entry.user_host,
            id: entry.id,
            command: entry.command,
            argument: &entry.argument,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(kept: &mut Kept, id: u32, size: usize) {
        let argument = vec![b'x'; size];
        kept.push(&Entry { at_us: 0, user_host: "", id, command: "Query", argument: &argument });
    }

    #[test]
    fn the_oldest_go_when_there_is_too_much() {
        let mut kept = Kept::default();
        (0..20).for_each(|id| push(&mut kept, id, 1 << 20));
        let ids: Vec<u32> = kept.entries().map(|entry| entry.id).collect();
        assert_eq!(ids, (5..20).collect::<Vec<_>>());
        assert!(kept.size <= KEPT_BYTES_MAX);
        // One that is larger than all is kept, alone.
        push(&mut kept, 99, 20 << 20);
        assert_eq!(kept.entries().map(|entry| entry.id).collect::<Vec<_>>(), [99]);
        push(&mut kept, 100, 1);
        assert_eq!(kept.entries().map(|entry| entry.id).collect::<Vec<_>>(), [100]);
        assert_eq!(kept.size, ENTRY_SIZE + 1);
    }
}
