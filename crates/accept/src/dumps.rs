//! `mariadb-dump --single-transaction` and Oracle's `mysqldump`: sysbench's tables, tables of every type and with
//! foreign keys, and views, dumped and reloaded unchanged.

use rig::clients::{VENDORS, Vendor};
use rig::onelog::Config;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, command, paths};

use crate::{Plan, binlogs, contents, sql};

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/dumps")?;
    let server = Config::new(&dir.join("data"), &["--log-bin=binlog"])?.start()?;
    let port = server.port();
    sql::run(port, &["CREATE DATABASE sbtest"])?;
    for name in ["types", "relations", "documents", "computed", "views"] {
        binlogs::load(port, name)?;
    }
    let bench = Sysbench {
        table_size: if plan.full { 100_000 } else { 1_000 },
        threads: 4,
        events: if plan.full { 0 } else { 500 },
        ..Sysbench::on(port, "oltp_read_write")
    };
    bench.prepare()?;
    bench.run()?;
    for vendor in VENDORS {
        for database in ["sbtest", "types", "relations", "documents", "views"] {
            reload(vendor, port, database, &dir)?;
        }
    }
    // MariaDB's dumps have values for generated columns, which MySQL does not take either.
    reload(Vendor::Oracle, port, "computed", &dir)?;
    server.stop()
}

fn reload(vendor: Vendor, port: u16, database: &str, dir: &std::path::Path) -> Outcome {
    let copy = format!("{database}_{vendor:?}").to_lowercase();
    let file = |name: &str| dir.join(format!("{name}.sql"));
    let dump = |database: &str, path: &std::path::Path| {
        let mut dump = vendor.dump(port)?;
        dump.args(["--single-transaction", "--skip-dump-date", "--skip-comments", database]);
        command::run_into(&mut dump, path)
    };
    dump(database, &file(&copy))?;
    sql::run(port, &[&format!("CREATE DATABASE {copy}")])?;
    command::run_on(vendor.root(port)?.arg(&copy), &file(&copy))?;
    let what = format!("{database} dumped and reloaded by {vendor:?}");
    contents::check_equal(&what, &contents::of(port, database)?, &contents::of(port, &copy)?)?;
    let again = file(&format!("{copy}_again"));
    dump(&copy, &again)?;
    let same = std::fs::read(file(&copy))? == std::fs::read(&again)?;
    check(same, || format!("{what}: a second dump differs: {} {}", file(&copy).display(), again.display()))
}
