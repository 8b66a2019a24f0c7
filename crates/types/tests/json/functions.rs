//! Purpose: functions on JSON values answer as MySQL's.
