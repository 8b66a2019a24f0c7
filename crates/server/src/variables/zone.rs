//! The time zone of the machine: what `time_zone = SYSTEM` means.

use std::sync::LazyLock;

use jiff::tz::TimeZone as Rules;
use types::temporal::TimeZone;

const LOCALTIME: &str = "/etc/localtime";
const DATABASE: &str = "zoneinfo/";

/// What SYSTEM means: `TZ`, else what `/etc/localtime` points at, else UTC. Found out once.
pub fn system() -> &'static TimeZone {
    static SYSTEM: LazyLock<TimeZone> = LazyLock::new(|| {
        // What is UTC by another name costs what UTC does.
        let is_utc = Rules::get(name()).is_ok_and(|rules| rules == Rules::UTC);
        TimeZone::parse(name(), &TimeZone::UTC).ok().filter(|_| !is_utc).unwrap_or(TimeZone::UTC)
    });
    &SYSTEM
}

/// `system_time_zone`: its abbreviation at a moment, seconds since 1970.
pub fn abbreviation(unix_seconds: i64) -> String {
    let (Ok(rules), Ok(moment)) = (Rules::get(name()), jiff::Timestamp::from_second(unix_seconds)) else {
        return "UTC".to_owned();
    };
    rules.to_offset_info(moment).abbreviation().to_owned()
}

fn name() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        if let Some(name) = std::env::var("TZ").ok().filter(|name| Rules::get(name).is_ok()) {
            return name;
        }
        let target = std::fs::read_link(LOCALTIME).unwrap_or_default();
        let target = target.to_string_lossy();
        let name = target.split_once(DATABASE).map_or("UTC", |(_, name)| name);
        name.to_owned()
    });
    &NAME
}
