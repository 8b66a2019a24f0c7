//! What a text is, before it is parsed; SET NAMES; what a SET leaves that fails half way;
//! how many conditions are kept.

use crate::client::{Client, Result};
use crate::whole::{World, ok, rows, send, until};

/// Sends a text, and reads the answers to its statements.
fn answers(client: &mut Client, sql: &str) -> Vec<Result<Option<String>>> {
    const MORE_RESULTS: u16 = 8;
    send(client, sql);
    let mut answers = Vec::new();
    loop {
        let answer = client.answer();
        let more = answer.as_ref().is_ok_and(|answer| answer.status & MORE_RESULTS != 0);
        answers.push(answer.map(|answer| answer.rows.concat().pop().flatten()));
        if !more {
            return answers;
        }
    }
}

/// COM_SET_OPTION.
fn take_several(client: &mut Client, several: bool) {
    client.command(&[0x1B, u8::from(!several), 0]).unwrap();
    client.packet().unwrap();
}

#[test]
fn several_statements_need_a_client_that_can_read_several_answers() {
    let world = World::start();
    let mut root = world.root();
    let near = |answers: &[Result<Option<String>>]| match answers {
        [Err(error)] => (error.code(), error.message().split_once(" near ").unwrap().1.to_owned()),
        answers => panic!("{answers:?}"),
    };
    for several in [true, false] {
        take_several(&mut root, several);
        for behind in ["", ";", ";;", "; ;", "; # x;y", "; /* a;b */", "; -- x"] {
            let answers = answers(&mut root, &format!("select 1{behind}"));
            assert!(matches!(&answers[..], [Ok(Some(one))] if one == "1"), "{behind}: {answers:?}");
        }
        for sql in [";select 1", "/* x */;select 1"] {
            assert_eq!(near(&answers(&mut root, sql)), (1064, "';select 1' at line 1".to_owned()));
        }
    }
    for (sql, wrong) in [
        ("select 1; select 2", "'select 2' at line 1"),
        ("select 1;;select 2", "';select 2' at line 1"),
        ("do 1; \n\n do 2", "'do 2' at line 3"),
        ("select 1; '", "''' at line 1"),
    ] {
        assert_eq!(near(&answers(&mut root, sql)), (1064, wrong.to_owned()));
        ok(&mut root, "do 1");
    }
    take_several(&mut root, true);
    let both = answers(&mut root, "select 1; do 1; select 2; -- x");
    assert!(matches!(&both[..], [Ok(Some(_)), Ok(None), Ok(Some(two))] if two == "2"), "{both:?}");
    let wrong = answers(&mut root, "select 1;;select 2");
    assert!(matches!(&wrong[..], [Ok(Some(_)), Err(error)] if error.code() == 1064), "{wrong:?}");
    world.stop();
}

#[test]
fn each_statement_of_a_text_has_its_own_time() {
    let world = World::start();
    let mut root = world.root();
    let all = answers(&mut root, "SELECT NOW(6), NOW(6); DO SLEEP(0.01); SELECT NOW(6)");
    let [Ok(Some(first)), Ok(None), Ok(Some(second))] = &all[..] else { panic!("{all:?}") };
    assert!(first < second, "{all:?}");
    let all = answers(&mut root, "SET timestamp = 1; SELECT NOW(6); DO SLEEP(0.01); SELECT NOW(6)");
    let [_, Ok(Some(first)), _, Ok(Some(second))] = &all[..] else { panic!("{all:?}") };
    assert_eq!(first, second, "{all:?}");
    world.stop();
}

/// What a session knows of its second is of its time zone.
#[test]
fn a_second_has_the_date_of_its_time_zone() {
    let world = World::start();
    let mut root = world.root();
    // 2001-09-09 01:46:40 UTC, and a second later.
    let texts = [
        "SET time_zone = '+00:00', timestamp = 1000000000; SELECT CURDATE()",
        "SET time_zone = '-02:00'; SELECT CURDATE()",
        "SET timestamp = 1000000001; SELECT CURDATE()",
        "SET timestamp = 1000000001.5, time_zone = '+00:00'; SELECT CURDATE()",
    ];
    let dates = texts.map(|text| match &answers(&mut root, text)[..] {
        [Ok(None), Ok(Some(date))] => date.clone(),
        all => panic!("{text}: {all:?}"),
    });
    assert_eq!(dates, ["2001-09-09", "2001-09-08", "2001-09-08", "2001-09-09"]);
    world.stop();
}

#[test]
fn a_comment_alone_does_nothing_and_nothing_at_all_is_an_error() {
    let world = World::start();
    let mut root = world.root();
    for comment in ["-- x", "/* x */", "# x", "/*!40101 */", "/*!99999 x */", "-- x\n;"] {
        let answer = root.query(comment).unwrap();
        assert!(answer.columns.is_empty(), "{comment}");
    }
    for nothing in ["", " ", "\n", ";"] {
        assert_eq!(root.query(nothing).unwrap_err().code(), 1065, "{nothing:?}");
    }
    world.stop();
}

#[test]
fn a_last_nul_is_the_end() {
    // MariaDB's mysqlslap sends one.
    let world = World::start();
    let mut root = world.root();
    assert_eq!(root.query("SELECT 7\0").unwrap().rows, [[Some("7".to_owned())]]);
    assert_eq!(root.query("SELECT 7\0\0").unwrap_err().code(), 1064);
    world.stop();
}

#[test]
fn set_names_changes_three_variables() {
    let world = World::start();
    let mut root = world.root();
    let mut names = |sql: &str| {
        ok(&mut root, sql);
        let warnings = root.query("SHOW WARNINGS").unwrap().rows;
        let shown = "SELECT @@character_set_client, @@character_set_results, @@collation_connection";
        let shown = root.query(shown).unwrap().rows.concat();
        (
            shown.into_iter().flatten().collect::<Vec<_>>().join(" "),
            warnings.concat().into_iter().flatten().last(),
        )
    };
    assert_eq!(names("SET NAMES LATIN1"), ("latin1 latin1 latin1_swedish_ci".to_owned(), None));
    let (general, uca) = ("utf8mb4 utf8mb4 utf8mb4_general_ci", "utf8mb4 utf8mb4 utf8mb4_0900_ai_ci");
    assert_eq!(names("SET NAMES utf8mb4"), (general.to_owned(), None));
    assert_eq!(names("SET NAMES 'utf8mb4' COLLATE 'utf8mb4_0900_ai_ci'"), (uca.to_owned(), None));
    names("SET default_collation_for_utf8mb4 = utf8mb4_0900_ai_ci");
    assert_eq!(names("SET NAMES utf8mb4"), (uca.to_owned(), None));
    let warning = "Unknown collation: 'latin1_german2_ci', 'latin1_swedish_ci' is used";
    assert_eq!(
        names("SET NAMES latin1 COLLATE latin1_german2_ci"),
        ("latin1 latin1 latin1_swedish_ci".to_owned(), Some(warning.to_owned()))
    );
    let failure = root.query("SET NAMES latin1 COLLATE utf8mb4_bin").unwrap_err();
    let expected = "COLLATION 'utf8mb4_bin' is not valid for CHARACTER SET 'latin1'";
    assert_eq!((failure.code(), failure.message()), (1253, expected));
    assert_eq!(root.query("SET NAMES utf8mb4 COLLATE frobnicate").unwrap_err().code(), 1273);
    assert_eq!(root.query("SET NAMES big5").unwrap_err().code(), 1115);
    world.stop();
}

#[test]
fn a_number_in_order_by_of_group_concat_means_an_argument() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.n (a INT, b INT)");
    ok(&mut root, "INSERT INTO d.n VALUES (1, 3), (5, 1), (3, 5)");
    for (order, expected) in
        [("b ORDER BY 1 DESC", "5,3,1"), ("a, b ORDER BY 2 DESC", "35,13,51"), ("a ORDER BY 1", "1,3,5")]
    {
        assert_eq!(rows(&mut root, &format!("SELECT GROUP_CONCAT({order}) FROM d.n")), [expected], "{order}");
    }
    for order in ["b ORDER BY 2", "b ORDER BY 0"] {
        let failure = root.query(&format!("SELECT GROUP_CONCAT({order}) FROM d.n")).unwrap_err();
        assert_eq!(failure.code(), 1054, "{order}");
    }
}

#[test]
fn a_parameter_whose_negative_is_no_integer_is_out_of_range() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "PREPARE s FROM 'SELECT -?'");
    for (value, expected) in
        [("18446744073709551615", None), ("9223372036854775808", Some("-9223372036854775808"))]
    {
        ok(&mut root, &format!("SET @v = {value}"));
        match expected {
            Some(expected) => assert_eq!(rows(&mut root, "EXECUTE s USING @v"), [expected]),
            None => assert_eq!(root.query("EXECUTE s USING @v").unwrap_err().code(), 1690),
        }
    }
}

#[test]
fn many_statements_in_one_text_leave_room_for_others_and_can_be_killed() {
    const STATEMENTS: usize = 200_000;
    let world = World::start();
    let (mut root, text) = (world.root(), "do 1;".repeat(STATEMENTS));
    let workers = std::thread::available_parallelism().unwrap().get();
    let mut busy: Vec<Client> = (0..=workers).map(|_| world.root()).collect();
    for client in &mut busy {
        send(client, &text);
    }
    let running = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'do 1;do 1;%'";
    let count = busy.len().to_string();
    until(&mut root, running, &[&count]);
    for client in &busy {
        ok(&mut root, &format!("KILL QUERY {}", client.connection_id));
    }
    for client in &mut busy {
        let (mut answers, mut answer) = (0, client.answer());
        while answer.is_ok() {
            answers += 1;
            answer = client.answer();
        }
        assert_eq!(answer.unwrap_err().code(), 1317);
        assert!(answers < STATEMENTS, "{answers}");
        ok(client, "do 1");
    }
    world.stop();
}

#[test]
fn answers_to_many_statements_are_sent_before_the_last_one_is_done() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "DO get_lock('it', 0)");
    // 220,000 bytes of answers, and then it waits.
    send(&mut other, &format!("{}DO get_lock('it', 1000)", "DO 1;".repeat(20_000)));
    for _ in 0..5000 {
        other.answer().unwrap();
    }
    ok(&mut root, "DO release_lock('it')");
    for _ in 0..15_001 {
        other.answer().unwrap();
    }
    world.stop();
}

#[test]
fn a_statement_may_have_more_literals_than_parameters() {
    let world = World::start();
    let mut root = world.root();
    ok(&mut root, "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(20))");
    let list = |item: &dyn Fn(u32) -> String| (1..=70_000).map(item).collect::<Vec<_>>().join(", ");
    ok(
        &mut root,
        &format!("INSERT INTO d.t (id, v) VALUES {}", list(&|number| format!("(DEFAULT, 'post {number}')"))),
    );
    let numbers = list(&|number| number.to_string());
    let found = format!("SELECT COUNT(*), MAX(v) FROM d.t WHERE id IN ({numbers}) AND v <> 'post 70000'");
    assert_eq!(rows(&mut root, &found), ["69999|post 9999"]);
    let twice =
        format!("(1, 'a'), (2, 'b') ON DUPLICATE KEY UPDATE v = IF(id IN ({numbers}), 'c', VALUES(v))");
    ok(&mut root, &format!("INSERT INTO d.t (id, v) VALUES {twice}"));
    assert_eq!(rows(&mut root, "SELECT v FROM d.t WHERE id < 3"), ["c", "c"]);
    ok(&mut root, &format!("UPDATE d.t SET v = 'z' WHERE id IN ({numbers})"));
    ok(&mut root, &format!("DELETE FROM d.t WHERE id IN ({numbers}, 0) AND v <> 'z'"));
    assert_eq!(rows(&mut root, "SELECT COUNT(*), MIN(v) FROM d.t"), ["70000|z"]);
    world.stop();
}

#[test]
fn long_lists_hold_what_short_ones_do() {
    let world = World::start();
    let mut root = world.root();
    ok(
        &mut root,
        "CREATE TABLE d.t (i INT, u BIGINT UNSIGNED, s VARCHAR(9) COLLATE utf8mb4_bin, g VARCHAR(9), f DOUBLE)",
    );
    ok(
        &mut root,
        "INSERT INTO d.t VALUES (5, 18446744073709551615, 'a', 'A ', 5), (NULL, NULL, NULL, NULL, NULL), (-1, 7, 'Q', 'x', 0.5)",
    );
    let numbers: Vec<String> = (0..100).map(|number| (number * 5).to_string()).collect();
    let texts: Vec<String> = (0..100).map(|number| format!("'t{number}'")).collect();
    let long = [
        (numbers.join(", "), ["i", "u", "s", "g", "f", "i + 0", "-i"]),
        (
            format!("{}, NULL, -1, 18446744073709551615", numbers.join(", ")),
            ["i", "u", "s", "g", "f", "u - 0", "i"],
        ),
        (format!("{}, 'a', 'q'", texts.join(", ")), ["s", "g", "i", "u", "f", "CONCAT(g)", "LOWER(s)"]),
        (format!("{}, NULL, 'a'", texts.join(", ")), ["s", "g", "i", "u", "f", "CONCAT(s)", "UPPER(g)"]),
        (format!("{}, 'a', 5, i", texts.join(", ")), ["s", "g", "i", "u", "f", "s", "f"]),
    ];
    for (list, values) in &long {
        for value in values {
            // Equal to each element: what is compared one after another.
            let each =
                list.split(", ").map(|item| format!("{value} = {item}")).collect::<Vec<_>>().join(" OR ");
            for (is_in, is) in [
                (format!("{value} IN ({list})"), each.clone()),
                (format!("{value} NOT IN ({list})"), format!("NOT ({each})")),
            ] {
                let [found, wanted] =
                    [is_in, is].map(|condition| rows(&mut root, &format!("SELECT {condition} FROM d.t")));
                assert_eq!(found, wanted, "{value} IN ({})", &list[list.len() - 30..]);
            }
        }
    }
    // Of each execution its own.
    ok(
        &mut root,
        &format!("PREPARE s FROM 'SELECT COUNT(*) FROM d.t WHERE i + 0 IN ({}, ?)'", numbers[2..].join(", ")),
    );
    ok(&mut root, "SET @five = 5, @six = 6, @minus = -1");
    assert_eq!(rows(&mut root, "EXECUTE s USING @five"), ["1"]);
    assert_eq!(rows(&mut root, "EXECUTE s USING @six"), ["0"]);
    assert_eq!(rows(&mut root, "EXECUTE s USING @minus"), ["1"]);
    world.stop();
}

#[test]
fn a_set_that_fails_half_way_leaves_no_plan_of_another_meaning() {
    let world = World::start();
    let (mut root, mut nobody) = (world.root(), world.client("nobody"));
    ok(&mut root, "GRANT SELECT ON d.* TO nobody");
    ok(&mut root, "CREATE TABLE d.t (a INT, b INT)");
    ok(&mut root, "INSERT INTO d.t VALUES (3, 0)");
    let set = "SET sql_mode = 'PIPES_AS_CONCAT', PASSWORD FOR root@localhost = 'x'";
    assert_eq!(nobody.query(set).unwrap_err().code(), 1044);
    let either = "SELECT a || b FROM d.t";
    assert_eq!(rows(&mut nobody, either), ["30"]);
    assert_eq!(rows(&mut root, either), ["1"]);
    world.stop();
}

#[test]
fn autocommit_stays_off_if_its_commit_fails() {
    let world = World::start();
    let (mut root, mut other) = (world.root(), world.root());
    ok(&mut root, "CREATE TABLE d.t (a INT)");
    ok(&mut root, "SET autocommit = 0, lock_wait_timeout = 1");
    ok(&mut root, "INSERT INTO d.t VALUES (1)");
    ok(&mut other, "FLUSH TABLES WITH READ LOCK");
    let set = "SET foreign_key_checks = 0, autocommit = 1";
    assert_eq!(root.query(set).unwrap_err().code(), 1205);
    ok(&mut other, "UNLOCK TABLES");
    assert_eq!(rows(&mut root, "SELECT @@autocommit, @@foreign_key_checks"), ["0|0"]);
    ok(&mut root, "INSERT INTO d.t VALUES (2)");
    ok(&mut root, "ROLLBACK");
    assert_eq!(rows(&mut root, "SELECT COUNT(*) FROM d.t"), ["0"]);
    world.stop();
}

#[test]
fn conditions_are_kept_as_the_session_says() {
    let world = World::start();
    let mut root = world.root();
    let mut kept = |set: &str, sql: &str| {
        ok(&mut root, set);
        // Two areas take turns.
        let mut twice = [0, 0].map(|_| {
            ok(&mut root, sql);
            let count = rows(&mut root, "SHOW COUNT(*) WARNINGS").concat();
            (count, rows(&mut root, "SHOW WARNINGS").len())
        });
        assert_eq!(twice[0], twice[1], "{set}");
        std::mem::take(&mut twice[0])
    };
    let (warns, notes) = ("DO CAST('a' AS SIGNED), CAST('b' AS SIGNED)", "DROP TABLE IF EXISTS d.x");
    assert_eq!(kept("DO 1", warns), ("2".to_owned(), 2));
    for limit in [1, 0, 2] {
        assert_eq!(kept(&format!("SET max_error_count = {limit}"), warns), ("2".to_owned(), limit));
    }
    assert_eq!(kept("DO 1", notes), ("1".to_owned(), 1));
    assert_eq!(kept("SET sql_notes = 0", notes), ("0".to_owned(), 0));
    assert_eq!(kept("DO 1", warns), ("2".to_owned(), 2));
    assert_eq!(kept("SET sql_notes = 1", notes), ("1".to_owned(), 1));
    world.stop();
}
