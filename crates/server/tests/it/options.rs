//! Purpose: options are read as mysqld reads them.
//!
//! Requirements: R1. every form of an option on the command line and in files means what it means to mysqld; R2.
//! what is unknown or impossible ends with one line in mysqld's words; R3. what is only unusual is a warning; R4.
//! `--help` shows every option with its default.
//!
//! Method: tables of arguments; files on a simulated disk. The lines were read from mysqld 8.0.46.

use std::path::Path;
use std::sync::Arc;

use server::options::{Instead, Options, help};
use server::variables::{Val, table};
use vfs::sim::SimDisk;
use vfs::{Open, Vfs};

fn disk(files: &[(&str, &str)]) -> Arc<dyn Vfs> {
    let vfs: Arc<dyn Vfs> = Arc::new(SimDisk::new());
    for (path, text) in files {
        let path = Path::new(path);
        vfs.create_dir_all(path.parent().unwrap()).unwrap();
        vfs.open(path, Open::Create).unwrap().write_at(text.as_bytes(), 0).unwrap();
    }
    vfs
}

fn read_with(files: &[(&str, &str)], arguments: &[&str]) -> Result<Options, String> {
    let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    Options::read(&*disk(files), &arguments).map_err(|error| error.to_string())
}

fn read(arguments: &[&str]) -> Result<Options, String> {
    read_with(&[], arguments)
}

fn value(arguments: &[&str], name: &str) -> Val {
    read(arguments).unwrap().values.get(name).clone()
}

#[test]
fn an_option_has_many_forms() {
    for (arguments, name, expected) in [
        (&["--max-connections=500"][..], "max_connections", Val::UInt(500)),
        (&["--max_connections=500"], "max_connections", Val::UInt(500)),
        (&["--MAX-connections", "500"], "max_connections", Val::UInt(500)),
        (&["--max-connections=1K"], "max_connections", Val::UInt(1024)),
        (&["--loose-max-connections=7"], "max_connections", Val::UInt(7)),
        (&["--max-connections=3", "--max-connections=4"], "max_connections", Val::UInt(4)),
        (&["-P", "3307"], "port", Val::UInt(3307)),
        (&["-P3307"], "port", Val::UInt(3307)),
        (&["--innodb-redo-log-capacity=2G"], "innodb_redo_log_capacity", Val::UInt(2 << 30)),
        (&["--onelog-delta-size=1t"], "onelog_delta_size", Val::UInt(1 << 40)),
        (&["--autocommit=OFF"], "autocommit", Val::Bool(false)),
        (&["--autocommit=0"], "autocommit", Val::Bool(false)),
        (&["--skip-autocommit"], "autocommit", Val::Bool(false)),
        (&["--disable-autocommit"], "autocommit", Val::Bool(false)),
        (&["--skip-autocommit=1"], "autocommit", Val::Bool(false)),
        (&["--enable-read-only"], "read_only", Val::Bool(true)),
        (&["--read-only"], "read_only", Val::Bool(true)),
        (&["--read-only=true"], "read_only", Val::Bool(true)),
        (&["--skip-networking"], "skip_networking", Val::Bool(true)),
        (&["--skip-networking=OFF"], "skip_networking", Val::Bool(false)),
        (&["--skip-log-bin"], "log_bin", Val::Bool(false)),
        (&["--log-bin"], "log_bin", Val::Bool(true)),
        (&["--transaction-isolation=read-committed"], "transaction_isolation", Val::Choice(1)),
        (&["--transaction-isolation=3"], "transaction_isolation", Val::Choice(3)),
        (&["--long-query-time=1.5"], "long_query_time", Val::Double(1.5)),
        (&["--sql-mode=ansi_quotes"], "sql_mode", Val::Flags(4)),
        (&["--sql-mode="], "sql_mode", Val::Flags(0)),
        (&["--default-time-zone=+02:00"], "time_zone", Val::text("+02:00")),
        (&["--collation-server=latin1_bin"], "character_set_server", Val::text("latin1")),
        (&["--character-set-server=latin1"], "collation_server", Val::text("latin1_swedish_ci")),
        (&["--datadir=/x", "--socket", "/y"], "socket", Val::text("/y")),
        (&["--enforce-gtid-consistency", "--gtid-mode=ON"], "gtid_mode", Val::Choice(3)),
        (&["--binlog-cache-size=5000"], "binlog_cache_size", Val::UInt(4096)),
        (&["--performance-schema=OFF", "--mysqlx=OFF", "--skip-ssl", "--user=root"], "port", Val::UInt(3306)),
        (
            &["--initialize-insecure", "--no-defaults", "--console", "-v", "--basedir=/usr"],
            "port",
            Val::UInt(3306),
        ),
    ] {
        assert_eq!(value(arguments, name), expected, "{arguments:?}");
    }
    assert_eq!(read(&["--log-bin=/logs/b"]).unwrap().log_bin_base.as_deref(), Some("/logs/b"));
    assert_eq!(read(&["--onelog-sync-delay-us=1000"]).unwrap().sync_delay_us, 1000);
    for (argument, instead) in [
        ("--help", Instead::Help),
        ("-?", Instead::Help),
        ("--version", Instead::Version),
        ("-V", Instead::Version),
        ("--validate-config", Instead::Validate),
    ] {
        assert_eq!(read(&[argument]).unwrap().instead, Some(instead));
    }
}

#[test]
fn what_is_impossible_ends_with_mysqlds_line() {
    for (arguments, line) in [
        (&["--foo"][..], "unknown option '--foo'"),
        (&["--foo=1"], "unknown variable 'foo=1'"),
        (&["--skip-foo"], "unknown option '--skip-foo'"),
        (&["--max-conn=5"], "unknown variable 'max-conn=5'"),
        (&["--timestamp=1"], "unknown variable 'timestamp=1'"),
        (&["--hostname=x"], "unknown variable 'hostname=x'"),
        (&["--time-zone=SYSTEM"], "unknown variable 'time-zone=SYSTEM'"),
        (&["-x"], "unknown option '-x'"),
        (&["bar"], "Too many arguments (first extra is 'bar')"),
        (&["--max-connections"], "option '--max_connections' requires an argument"),
        (&["--datadir"], "option '--datadir' requires an argument"),
        (&["-P"], "option '--port' requires an argument"),
        (&["--version=3"], "option '--version' cannot take an argument"),
        (&["--max-connections="], "Empty value for 'max_connections' specified"),
        (&["--max-connections=abc"], "Unknown suffix 'a' used for variable 'max_connections' (value 'abc')"),
        (&["--max-connections=12x"], "Unknown suffix 'x' used for variable 'max_connections' (value '12x')"),
        (
            &["--max-connections=12KB"],
            "Unknown suffix 'B' used for variable 'max_connections' (value '12KB')",
        ),
        (&["--autocommit=maybe"], "Error while setting value 'maybe' to 'autocommit'"),
        (&["--transaction-isolation=foo"], "Error while setting value 'foo' to 'transaction_isolation'"),
        (&["--sql-mode=foo"], "Error while setting value 'foo' to 'sql_mode'"),
        (&["--long-query-time=1x"], "Error while setting value '1x' to 'long_query_time'"),
        (
            &["--collation-server=foo"],
            "Error while setting value 'foo' to 'collation_server': Unknown collation: 'foo'",
        ),
        (
            &["--binlog-format=MIXED"],
            "Error while setting value 'MIXED' to 'binlog_format': this server has only 'ROW'",
        ),
        (
            &["--lower-case-table-names=1"],
            "Error while setting value '1' to 'lower_case_table_names': this server has only '0'",
        ),
        (&["--mysqlx=ON"], "option '--mysqlx=ON': this server can only have it off"),
        (&["--gtid-mode=ON"], "GTID_MODE = ON requires ENFORCE_GTID_CONSISTENCY = ON"),
        (&["--skip-datadir"], "unknown option '--skip-datadir'"),
    ] {
        assert_eq!(read(arguments).unwrap_err(), line, "{arguments:?}");
    }
}

#[test]
fn what_is_unusual_is_a_warning() {
    for (argument, warning) in [
        ("--max-connections=-5", "option 'max_connections': value -5 adjusted to 1"),
        (
            "--max-connections=99999999",
            "option 'max_connections': unsigned value 99999999 adjusted to 100000",
        ),
        ("--port=99999999", "option 'port': unsigned value 99999999 adjusted to 65535"),
        ("--skip-max-connections", "option 'max_connections': unsigned value 0 adjusted to 1"),
        ("--long-query-time=-1", "option 'long_query_time': value -1 adjusted to 0.000000"),
        ("--loose-foo=1", "unknown variable 'loose-foo=1'"),
        ("--loose-foo", "unknown option '--loose-foo'"),
        ("--innodb-io-capacity=5000", "option 'innodb_io_capacity' has no effect"),
        ("--log-bin-index=/x/y", "option 'log_bin_index' has no effect"),
    ] {
        assert_eq!(read(&[argument]).unwrap().warnings, [warning]);
    }
    assert!(read(&["--sync-binlog=1000", "--binlog-cache-size=5000"]).unwrap().warnings.is_empty());
}

#[test]
fn what_has_no_effect_names_no_file_that_is_not_there() {
    for name in ["log_error", "pid_file", "tmpdir", "relay_log", "log_bin_index", "innodb_undo_directory"] {
        let argument = format!("--{name}=/var/log/x");
        assert_eq!(value(&[&argument], name), value(&[], name), "{name}");
    }
}

#[test]
fn files_have_groups_quotes_comments_and_includes() {
    let files = [
        (
            "/etc/my.cnf",
            "# a comment\n; another\nport=1\n[client]\nport=2\nfoo\n[mysqld]\nport = 3310 # the port\n\
             socket = \"/tmp/a \\\"b\\\" # c.sock\"\n  read-only\nskip-log-bin\n\
             datadir='/data/x'\ninit_connect=SET NAMES\\sutf8\n\n!include more/one.cnf\n!includedir more.d\n\
             [ onelog ]\nmax-connections=12\n[server]\nloose_nothing=1\n",
        ),
        ("/etc/more/one.cnf", "[mysqld]\nsync_binlog=10\nport=3311\n"),
        ("/etc/more.d/b.cnf", "[mysqld]\nsync_binlog=30\n"),
        ("/etc/more.d/a.cnf", "[mysqld]\nsync_binlog=20\n"),
        ("/etc/more.d/c.txt", "[mysqld]\nbroken_if_read\n"),
    ];
    let options = read_with(&files, &["--defaults-file=/etc/my.cnf", "--max-connections=13"]).unwrap();
    for (name, expected) in [
        ("port", Val::UInt(3311)),
        ("socket", Val::text("/tmp/a \"b\" # c.sock")),
        ("read_only", Val::Bool(true)),
        ("log_bin", Val::Bool(false)),
        ("datadir", Val::text("/data/x")),
        ("init_connect", Val::text("SET NAMES utf8")),
        ("sync_binlog", Val::UInt(30)),
        ("max_connections", Val::UInt(13)),
    ] {
        assert_eq!(*options.values.get(name), expected, "{name}");
    }
    assert_eq!(options.warnings, ["unknown variable 'loose_nothing=1'"]);
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let refused =
        |text: &str| read_with(&[("/etc/my.cnf", text)], &["--defaults-file", "/etc/my.cnf"]).unwrap_err();
    assert_eq!(refused("[mysqld]\nfoo=1\n"), "unknown variable 'foo=1'");
    assert_eq!(refused("[mysqld\n"), "Wrong group definition in option file /etc/my.cnf at line 1");
    assert_eq!(refused("\n!incl x\n"), "Wrong '!' directive in option file /etc/my.cnf at line 2");
    assert_eq!(refused("!include my.cnf\n"), "option files include each other too deeply at /etc/my.cnf");
    assert!(
        read(&["--defaults-file=/nowhere"]).unwrap_err().starts_with("Could not open required defaults file")
    );
}

#[test]
fn help_shows_every_option_and_its_default() {
    let text = help("onelog");
    for variable in table() {
        let option = format!("--{}", variable.name.replace('_', "-"));
        let shown = text.lines().any(|line| line.trim_start().split([' ', '=', '[']).next() == Some(&option));
        // These are options of another kind.
        let is_option = variable.is_option || ["log_bin", "version"].contains(&variable.name);
        assert_eq!(shown, is_option, "{option}");
    }
    assert!(text.starts_with("onelog  Ver 8.0.46-onelog for Linux on x86_64 (onelog)\n"));
    assert!(text.contains("\nmax-connections                          151\n"));
    assert!(!text.contains("sync-delay-us"));
}
