//! binlog
