//! START REPLICA UNTIL: where the applier stops by itself, between two groups.

use binlog::GtidSet;
use replication::replica::{Head, Position};
use types::error::SqlError;
use types::error::table::ER_MALFORMED_GTID_SET_SPECIFICATION;

use super::is_before;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// SOURCE_LOG_FILE and SOURCE_LOG_POS: behind what ends there, or further on.
    Source(Position),
    /// SQL_BEFORE_GTIDS: in front of the first of them.
    Before(GtidSet),
    /// SQL_AFTER_GTIDS: behind the last of them.
    After(GtidSet),
    /// SQL_AFTER_MTS_GAPS: at once, for there are none.
    Gaps,
}

impl Until {
    /// What a statement says. Error 1772.
    pub(crate) fn read(until: sql::parse::Until) -> Result<Self, SqlError> {
        use sql::parse::Until as Said;
        let set = |text: String| {
            text.parse::<GtidSet>().map_err(|_| ER_MALFORMED_GTID_SET_SPECIFICATION.error(&[&text]))
        };
        Ok(match until {
            Said::Source { file, position } => Self::Source(Position::at(&file, position)),
            Said::BeforeGtids(text) => Self::Before(set(text)?),
            Said::AfterGtids(text) => Self::After(set(text)?),
            Said::AfterGaps => Self::Gaps,
        })
    }

    /// Whether nothing more is to be applied, with everything applied that stands in front of a position and has these
    /// GTIDs.
    pub(super) fn is_reached(&self, position: &Position, executed: &GtidSet) -> bool {
        match self {
            Self::Source(end) => !is_before(position, end),
            Self::Before(gtids) => gtids.intersects(executed),
            Self::After(gtids) => gtids.is_subset(executed),
            Self::Gaps => true,
        }
    }

    /// Whether this group is the first that is not applied any more.
    pub(super) fn excludes(&self, head: &Head) -> bool {
        matches!((self, head.gtid), (Self::Before(gtids), Some(gtid)) if gtids.contains(gtid))
    }

    /// As SHOW REPLICA STATUS shows it: condition, file, position.
    pub(super) fn shown(until: Option<&Self>) -> (&'static str, &str, u64) {
        match until {
            None => ("None", "", 0),
            Some(Self::Source(end)) => ("Source", &end.file, end.position),
            Some(Self::Before(_)) => ("SQL_BEFORE_GTIDS", "", 0),
            Some(Self::After(_)) => ("SQL_AFTER_GTIDS", "", 0),
            Some(Self::Gaps) => ("SQL_AFTER_MTS_GAPS", "", 0),
        }
    }
}
