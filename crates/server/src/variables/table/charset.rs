//! Character sets and collations.

use types::charset::Charset;
use types::collation::Collation;

use crate::variables::home::{own, sql};
use crate::variables::variable::Extent::{Both, Global};
use crate::variables::variable::{Initial, Variable, row, text};
use crate::variables::{Kind, Val, checks};

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    text("character_set_client", Both, "utf8mb4", "What the client sends.")
        .no_option()
        .check(checks::charset)
        .home(own(|own| Val::text(own.client.name()), |own, val| own.client = named_charset(val))),
    text("character_set_connection", Both, "utf8mb4", "What literals are in.")
        .no_option()
        .check(checks::charset)
        .home(sql(
            |sql| Val::text(sql.collation_connection.charset().name()),
            |sql, val| {
                sql.collation_connection = named_charset(val).default_collation();
            },
        )),
    row(
        "character_set_results",
        Both,
        Kind::Text { nullable: true },
        Initial::Text("utf8mb4"),
        "What results are sent in; NULL = as they are.",
    )
    .no_option()
    .check(checks::charset)
    .home(sql(
        |sql| sql.results.map_or(Val::Null, |set| Val::text(set.name())),
        |sql, val| {
            sql.results = (*val != Val::Null).then(|| named_charset(val));
        },
    )),
    text("character_set_database", Both, "utf8mb4", "That of the default database.")
        .no_option()
        .check(checks::charset)
        .home(own(
            |own| Val::text(own.collation_database.charset().name()),
            |own, val| {
                own.collation_database = named_charset(val).default_collation();
            },
        )),
    text("character_set_filesystem", Both, "binary", "What file names are in.")
        .restricted()
        .check(checks::charset)
        .inert(),
    text("character_set_server", Both, "utf8mb4", "What a new database gets.").check(checks::charset).home(
        own(
            |own| Val::text(own.collation_server.charset().name()),
            |own, val| {
                own.collation_server = named_charset(val).default_collation();
            },
        ),
    ),
    text("character_set_system", Global, "utf8mb3", "What names are in.").told(),
    text("character_sets_dir", Global, "", "Where character sets are described.").fixed().inert(),
    text("collation_connection", Both, "utf8mb4_general_ci", "How literals compare.")
        .no_option()
        .check(checks::collation)
        .home(sql(
            |sql| Val::text(sql.collation_connection.name()),
            |sql, val| {
                sql.collation_connection = named_collation(val);
            },
        )),
    text("collation_database", Both, "utf8mb4_general_ci", "How texts of the default database compare.")
        .no_option()
        .check(checks::collation)
        .home(own(
            |own| Val::text(own.collation_database.name()),
            |own, val| {
                own.collation_database = named_collation(val);
            },
        )),
    text("collation_server", Both, "utf8mb4_general_ci", "How texts of a new database compare.")
        .check(checks::collation)
        .home(own(
            |own| Val::text(own.collation_server.name()),
            |own, val| {
                own.collation_server = named_collation(val);
            },
        )),
    text(
        "default_collation_for_utf8mb4",
        Both,
        "utf8mb4_general_ci",
        "The collation of what names utf8mb4 and no collation.",
    )
    .restricted()
    .check(checks::collation_of_utf8mb4)
    .home(sql(
        |sql| Val::text(sql.default_collation_for_utf8mb4.name()),
        |sql, val| {
            sql.default_collation_for_utf8mb4 = named_collation(val);
        },
    )),
];

/// The set of a name that was checked.
fn named_charset(val: &Val) -> Charset {
    Charset::from_name(val.as_text()).expect("its name was checked")
}

/// The collation of a name that was checked.
fn named_collation(val: &Val) -> Collation {
    Collation::from_name(val.as_text()).expect("its name was checked")
}
