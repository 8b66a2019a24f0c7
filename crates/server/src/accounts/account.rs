//! An account: who somebody is, how that is proved, and what it may do.

use std::collections::BTreeMap;

use protocol::auth::{Plugin, Verifier};

use super::host::{Case, is_like};
use super::privilege::{Dynamic, Privileges};

/// `'user'@'host'`. The host is kept in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// Empty for the anonymous user.
    pub user: String,
    /// A pattern ([`super::host`]).
    pub host: String,
}

impl Name {
    /// A name.
    pub fn new(user: impl Into<String>, host: &str) -> Self {
        Self { user: user.into(), host: host.to_ascii_lowercase() }
    }

    /// The catalog's name of the account: NUL is in neither part.
    pub fn key(&self) -> String {
        format!("{}\0{}", self.user, self.host)
    }

    /// The name that a key stands for.
    pub fn from_key(key: &str) -> Option<Self> {
        let (user, host) = key.split_once('\0')?;
        Some(Self { user: user.to_owned(), host: host.to_owned() })
    }
}

/// As messages show it: `'user'@'host'`.
impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}'@'{}'", self.user, self.host)
    }
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Who.
    pub name: Name,
    /// What a password is checked against.
    pub verifier: Verifier,
    /// Nobody may log in.
    pub is_locked: bool,
    /// REQUIRE SSL: nobody may log in without TLS, by the socket neither.
    pub requires_tls: bool,
    /// When the password was last changed, seconds since 1970.
    pub password_changed_s: u64,
    /// What it may do everywhere.
    pub global: Privileges,
    /// What else it may do.
    pub dynamic: Dynamic,
    /// Which of these it may give to others.
    pub dynamic_grantable: Dynamic,
    /// What it may do in databases, by pattern as it was granted.
    pub databases: BTreeMap<String, Privileges>,
    /// What it may do with tables, by database and table.
    pub tables: BTreeMap<(String, String), Privileges>,
}

impl Account {
    /// An account that may only log in.
    pub fn new(name: Name, verifier: Verifier) -> Self {
        Self {
            name,
            verifier,
            is_locked: false,
            requires_tls: false,
            password_changed_s: 0,
            global: Privileges::NONE,
            dynamic: Dynamic::NONE,
            dynamic_grantable: Dynamic::NONE,
            databases: BTreeMap::new(),
            tables: BTreeMap::new(),
        }
    }

    /// `root@localhost`, without a password and with all privileges.
    pub fn root() -> Self {
        Self {
            global: Privileges::ALL.union(Privileges::GRANT_OPTION),
            dynamic: Dynamic::ALL,
            dynamic_grantable: Dynamic::ALL,
            ..Self::new(Name::new("root", "localhost"), Verifier::Empty(Plugin::CachingSha2))
        }
    }

    /// Whether it has this dynamic privilege itself.
    pub fn has_dynamic(&self, name: &str) -> bool {
        let wanted = Dynamic::from_name(name).unwrap_or(Dynamic::NONE);
        !wanted.is_empty() && self.dynamic.contains(wanted)
    }

    /// What was granted on a database: the pattern that is exactly its name, else the most specific one that matches.
    pub fn on_database(&self, database: &str) -> Privileges {
        let is_exact = |pattern: &str| !pattern.contains(['%', '_']) || unescaped(pattern) == database;
        self.most_specific(is_exact, |pattern| {
            pattern == database
                || unescaped(pattern) == database
                || is_like(database, pattern, Case::Sensitive)
        })
    }

    /// What was granted on all databases that a pattern means, as GRANT has it.
    pub fn on_databases(&self, wanted: &str) -> Privileges {
        self.most_specific(|pattern| pattern == wanted, |pattern| covers(pattern, wanted))
    }

    fn most_specific(&self, is_exact: impl Fn(&str) -> bool, matches: impl Fn(&str) -> bool) -> Privileges {
        let matching = self.databases.iter().filter(|(pattern, _)| matches(pattern));
        let best = matching.max_by_key(|(pattern, _)| {
            (is_exact(pattern), pattern.find(['%', '_']).unwrap_or(pattern.len()))
        });
        best.map_or(Privileges::NONE, |(_, privileges)| *privileges)
    }

    /// What was granted on a table itself.
    pub fn on_table(&self, database: &str, table: &str) -> Privileges {
        let found = self.tables.iter().find(|((db, name), _)| db == database && name == table);
        found.map_or(Privileges::NONE, |(_, privileges)| *privileges)
    }

    /// Whether anything was granted on a table of this database.
    pub fn has_table_in(&self, database: &str) -> bool {
        self.tables.iter().any(|((db, _), privileges)| db == database && !privileges.is_empty())
    }
}

/// Whether each name that is like the one pattern is like the other: wildcards of the latter are not matched by characters.
fn covers(pattern: &str, wanted: &str) -> bool {
    let (pattern, wanted) = (tokens(pattern), tokens(wanted));
    // Whether the rest of the pattern from each place on covers what is left of the other, from its end to its beginning.
    let mut rest: Vec<bool> =
        (0..=pattern.len()).map(|at| pattern[at..].iter().all(|token| *token == Token::Many)).collect();
    for next in wanted.iter().rev() {
        let mut with_next = vec![false; pattern.len() + 1];
        for (at, token) in pattern.iter().enumerate().rev() {
            with_next[at] = match token {
                Token::Many => with_next[at + 1] || rest[at],
                Token::One => *next != Token::Many && rest[at + 1],
                Token::Char(_) => token == next && rest[at + 1],
            };
        }
        rest = with_next;
    }
    rest[0]
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `_`
    One,
    /// `%`
    Many,
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut chars = pattern.chars();
    let mut tokens = Vec::new();
    while let Some(next) = chars.next() {
        tokens.push(match next {
            '%' => Token::Many,
            '_' => Token::One,
            '\\' => Token::Char(chars.next().unwrap_or('\\')),
            other => Token::Char(other),
        });
    }
    tokens
}

/// A pattern whose wildcards are all escaped, without the backslashes.
fn unescaped(pattern: &str) -> String {
    pattern.replace("\\_", "_").replace("\\%", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_pattern_of_a_database_decides() {
        let mut account = Account::new(Name::new("a", "%"), Verifier::Empty(Plugin::Native));
        account.databases.insert("%".into(), Privileges::SELECT);
        account.databases.insert("app%".into(), Privileges::INSERT);
        account.databases.insert("app\\_1".into(), Privileges::UPDATE);
        account.databases.insert("plain".into(), Privileges::DELETE);
        assert_eq!(account.on_database("other"), Privileges::SELECT);
        assert_eq!(account.on_database("app2"), Privileges::INSERT);
        assert_eq!(account.on_database("app_1"), Privileges::UPDATE);
        assert_eq!(account.on_database("appx1"), Privileges::INSERT);
        assert_eq!(account.on_database("plain"), Privileges::DELETE);
        assert_eq!(account.on_database("Plain"), Privileges::SELECT);
    }

    #[test]
    fn a_pattern_covers_what_is_no_wider() {
        for (pattern, wanted) in [
            ("a_1", "a_1"),
            ("a_1", "a\\_1"),
            ("a_1", "ab1"),
            ("a%", "a"),
            ("a%", "a%"),
            ("a%", "a_%b"),
            ("%", "%%"),
            ("%%", "%"),
            ("%a%", "%ba"),
            ("\\%", "\\%"),
            ("", ""),
        ] {
            assert!(covers(pattern, wanted), "{pattern} {wanted}");
        }
        for (pattern, wanted) in [
            ("a_1", "a%1"),
            ("a_1", "a%"),
            ("a\\_1", "a_1"),
            ("a1", "a_"),
            ("a%b", "a%"),
            ("_%", "%"),
            ("%a", "%_"),
            ("", "%"),
            ("a", ""),
        ] {
            assert!(!covers(pattern, wanted), "{pattern} {wanted}");
        }
    }

    #[test]
    fn a_name_survives_its_key() {
        let name = Name::new("a@b", "LocalHost");
        assert_eq!(name.to_string(), "'a@b'@'localhost'");
        assert_eq!(Name::from_key(&name.key()), Some(name));
        assert_eq!(Name::from_key("no separator"), None);
    }
}
