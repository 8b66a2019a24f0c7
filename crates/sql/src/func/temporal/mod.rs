//! Functions of dates and times.

mod add;
mod calendar;
mod diff;
mod format;
mod interval;
mod make;
mod names;
mod now;
mod part;
mod period;
mod read;
mod span;
mod str_to_date;
mod unix;
mod zone;

pub(super) use read::{Wanted, text_fsp};

use super::Function;

pub(super) const FAMILY: &[&[Function]] = &[
    add::FUNCTIONS,
    calendar::FUNCTIONS,
    diff::FUNCTIONS,
    format::FUNCTIONS,
    make::FUNCTIONS,
    now::FUNCTIONS,
    part::FUNCTIONS,
    period::FUNCTIONS,
    span::FUNCTIONS,
    str_to_date::FUNCTIONS,
    unix::FUNCTIONS,
    zone::FUNCTIONS,
];
