//! What the limit of open files leaves to clients: each connection is a descriptor.

use vfs::DESCRIPTORS_RESERVED;

/// Descriptors that are left alone: a server begins with about 26 (logs, table store, listeners, the runtimes), has as many
/// again when checkpoints, new log files and a few who read the binlog come together, and clients beyond the bound have one
/// until they are told so. A session's own files (spilled transactions, cursors) get none of the last half.
const RESERVED: u64 = 2 * DESCRIPTORS_RESERVED;

/// Sessions for which there are descriptors; 0 is a limit that nobody knows.
pub(crate) fn sessions_max(open_files_limit: u64) -> u32 {
    if open_files_limit == 0 {
        return u32::MAX;
    }
    let fits = open_files_limit.saturating_sub(RESERVED).max(1);
    u32::try_from(fits).unwrap_or(u32::MAX)
}

/// Whether this descriptor, the lowest that was free, is among those that half of the reserve is kept for: clients that have
/// not logged in count, too.
pub(super) fn is_reserved(descriptor: i32, open_files_limit: u64) -> bool {
    let clients = open_files_limit.saturating_sub(DESCRIPTORS_RESERVED);
    open_files_limit != 0 && u64::try_from(descriptor).is_ok_and(|number| number >= clients)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_leave_descriptors_to_the_server() {
        for (limit, sessions) in
            [(0, u32::MAX), (1, 1), (64, 1), (65, 1), (66, 2), (200, 136), (1024, 960), (u64::MAX, u32::MAX)]
        {
            assert_eq!(sessions_max(limit), sessions, "{limit}");
        }
    }

    #[test]
    fn no_client_has_one_of_the_last_descriptors() {
        assert!(!is_reserved(167, 200) && is_reserved(168, 200));
        assert!(!is_reserved(i32::MAX, 0), "nobody knows the limit");
        assert!(is_reserved(3, 20));
    }
}
