//! Options that are no variables.

/// What an option does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Asks for help.
    Help,
    /// Asks for the version.
    Version,
    /// Checks the options and ends.
    Validate,
    /// Names an option file; it was read before.
    DefaultsFile,
    /// Says where the binary log is, or that there is none.
    LogBin,
    /// `time_zone` under its name as an option.
    TimeZone,
    /// Whether clients are offered TLS.
    Tls,
    /// Makes syncs slower.
    SyncDelay,
    /// Is accepted and changes nothing.
    Accepted,
    /// Belongs to something that does not exist here: may be told to be off.
    Absent,
}

/// What stands behind an option's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// Nothing.
    None,
    /// A value, if any.
    Optional,
    /// A value.
    Required,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    pub(super) name: &'static str,
    pub(super) argument: Argument,
    pub(super) effect: Effect,
    /// Empty for what `--help` does not show.
    pub(super) help: &'static str,
}

const fn special(name: &'static str, argument: Argument, effect: Effect, help: &'static str) -> Special {
    Special { name, argument, effect, help }
}

/// All of them.
pub(super) const SPECIAL: &[Special] = &[
    special("help", Argument::None, Effect::Help, "Display this help and exit; also -?."),
    special("version", Argument::None, Effect::Version, "Print the version and exit; also -V."),
    special("verbose", Argument::None, Effect::Accepted, "Accepted beside --help; also -v."),
    special("validate_config", Argument::None, Effect::Validate, "Check the options and exit."),
    special("no_defaults", Argument::None, Effect::Accepted, "Read no option files; none is read unasked."),
    special("defaults_file", Argument::Required, Effect::DefaultsFile, "Read options from this file."),
    special(
        "defaults_extra_file",
        Argument::Required,
        Effect::DefaultsFile,
        "Read options from this file too.",
    ),
    special(
        "log_bin",
        Argument::Optional,
        Effect::LogBin,
        "Where the binary log is; --skip-log-bin: nowhere.",
    ),
    special("default_time_zone", Argument::Required, Effect::TimeZone, "The time zone of new sessions."),
    special("user", Argument::Required, Effect::Accepted, "Accepted; also -u."),
    special("console", Argument::None, Effect::Accepted, "Accepted; errors go to stderr."),
    special(
        "initialize",
        Argument::None,
        Effect::Accepted,
        "Accepted: the first start initialises in any case.",
    ),
    special("initialize_insecure", Argument::None, Effect::Accepted, "As --initialize."),
    special("onelog_sync_delay_us", Argument::Required, Effect::SyncDelay, ""),
    special("mysqlx", Argument::Optional, Effect::Absent, ""),
    special("ssl", Argument::Optional, Effect::Tls, "Clients are offered TLS; --skip-ssl: they are not."),
    special("symbolic_links", Argument::Optional, Effect::Absent, ""),
];

/// One-letter options and the names that they stand for.
pub(super) const LETTERS: &[(char, &str)] = &[
    ('?', "help"),
    ('V', "version"),
    ('v', "verbose"),
    ('P', "port"),
    ('h', "datadir"),
    ('b', "basedir"),
    ('t', "tmpdir"),
    ('u', "user"),
];

/// The row of a name.
pub(super) fn find(name: &str) -> Option<&'static Special> {
    SPECIAL.iter().find(|special| special.name == name)
}
