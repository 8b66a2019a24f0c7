//! `mariadb-dump --single-transaction` and Oracle's `mysqldump`: sysbench's tables, tables of every type and with
//! foreign keys, and views, dumped and reloaded unchanged. What both clients print of a table loads by LOAD DATA LOCAL.

use rig::clients::{VENDORS, Vendor};
use rig::onelog::Config;
use rig::sysbench::Sysbench;
use rig::{Outcome, check, command, paths};

use crate::{Plan, binlogs, contents, sql};

/// See the module.
pub fn run(plan: &Plan) -> Outcome {
    let dir = paths::fresh("accept/dumps")?;
    let server = Config::new(&dir.join("data"), &["--log-bin=binlog", "--local-infile"])?.start()?;
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
        load(vendor, port, &dir)?;
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

/// A table of sysbench's as a client prints it, which is how LOAD DATA reads it, over a compressed connection.
fn load(vendor: Vendor, port: u16, dir: &std::path::Path) -> Outcome {
    let copy = format!("loaded_{vendor:?}").to_lowercase();
    let file = dir.join(&copy);
    let mut print = vendor.root(port)?;
    print.args(["--batch", "--skip-column-names", "--execute=SELECT * FROM sbtest.sbtest1"]);
    command::run_into(&mut print, &file)?;
    sql::run(
        port,
        &[&format!("CREATE DATABASE {copy}"), &format!("CREATE TABLE {copy}.sbtest1 LIKE sbtest.sbtest1")],
    )?;
    let load = format!("--execute=LOAD DATA LOCAL INFILE '{}' INTO TABLE {copy}.sbtest1", file.display());
    command::run(vendor.root(port)?.args(["--local-infile=1", "--compress", &load]))?;
    let same = "SELECT COUNT(*) > 0, COUNT(*) = SUM(a.k = b.k AND a.c = b.c AND a.pad = b.pad) FROM sbtest.sbtest1 a";
    let same = format!("{same} LEFT JOIN {copy}.sbtest1 b USING (id)");
    let mut ask = vendor.root(port)?;
    let answer = command::run(ask.args(["--batch", "--skip-column-names", &format!("--execute={same}")]))?;
    check(answer.trim() == "1\t1", || format!("what {vendor:?} has printed and loaded: {answer}"))
}
