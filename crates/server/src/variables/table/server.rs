//! What the server is, where it is, and what it does not have.

use crate::variables::home::live;
use crate::variables::variable::Extent::{Both, Global};
use crate::variables::variable::{Initial, Variable, choice, row, text, toggle, uint};
use crate::variables::{Kind, Read as _};

/// The rows.
pub(super) const ROWS: &[Variable] = &[
    text("version", Global, "8.0.46-onelog", "Version of the server.").told(),
    text("version_comment", Global, "onelog", "What this server is.").told(),
    text("version_compile_machine", Global, "x86_64", "What it was built for.").told(),
    text("version_compile_os", Global, "Linux", "What it was built for.").told(),
    text("version_compile_zlib", Global, "", "The zlib that it was built with.").told(),
    uint("protocol_version", Global, (0, 4_294_967_295), 10, "Version of the client protocol.").told(),
    text("license", Global, "Apache-2.0", "Under what it comes.").told(),
    text("hostname", Global, "", "The machine's name.").told(),
    uint("port", Global, (0, 65_535), 3306, "TCP port.").fixed(),
    text("socket", Global, "", "Local socket.").fixed(),
    text("bind_address", Global, "127.0.0.1", "Addresses to listen on.").fixed(),
    toggle("skip_networking", Global, false, "No TCP at all.").fixed(),
    toggle("skip_name_resolve", Global, true, "Hosts are known by address alone.").fixed().only(),
    text("datadir", Global, "/var/lib/onelog/", "Where the data is.").fixed(),
    text("basedir", Global, "/usr/", "Where the server is installed.").fixed(),
    text("tmpdir", Global, "", "Temporary files are in the data directory.").fixed().inert(),
    text("pid_file", Global, "", "No file holds the process' number.").fixed().inert(),
    text("plugin_dir", Global, "", "Where plugins are: there are none.").fixed().inert(),
    text("lc_messages_dir", Global, "", "Where messages are.").fixed().inert(),
    row(
        "secure_file_priv",
        Global,
        Kind::Text { nullable: true },
        Initial::Null,
        "The directory of LOAD DATA's and INTO OUTFILE's files; '' = anywhere, NULL = nowhere.",
    )
    .fixed(),
    toggle("local_infile", Global, false, "Clients may send files: LOAD DATA LOCAL."),
    text("system_time_zone", Global, "UTC", "Time zone of the machine at the start.").told(),
    uint("lower_case_table_names", Global, (0, 2), 0, "0: names of tables are case-sensitive.")
        .fixed()
        .only(),
    toggle("lower_case_file_system", Global, false, "Names of files are not case-sensitive.").told(),
    text("have_ssl", Global, "YES", "TLS.").told(),
    text("have_openssl", Global, "YES", "TLS.").told(),
    text("have_compress", Global, "YES", "Compression.").told(),
    text("have_dynamic_loading", Global, "NO", "Plugins.").told(),
    text("have_geometry", Global, "NO", "Geometry.").told(),
    text("have_profiling", Global, "NO", "Profiling.").told(),
    text("have_query_cache", Global, "NO", "A query cache.").told(),
    text("have_rtree_keys", Global, "NO", "R-trees.").told(),
    text("have_statement_timeout", Global, "YES", "max_execution_time.").told(),
    text("have_symlink", Global, "DISABLED", "Symbolic links.").told(),
    toggle("large_files_support", Global, true, "Files beyond 4 GiB.").told(),
    toggle("large_pages", Global, false, "Large pages of memory.").fixed().only(),
    uint("large_page_size", Global, (0, 4_294_967_295), 0, "Their size.").told(),
    toggle("locked_in_memory", Global, false, "The server is locked in memory.").told(),
    toggle(
        "performance_schema",
        Global,
        false,
        "Statement digests and what clients say of themselves are kept.",
    )
    .fixed()
    .home(live(|live| live.performance_schema.val(), |live, val| live.performance_schema.put(val))),
    uint(
        "performance_schema_digests_size",
        Global,
        (0, 1_048_576),
        10_000,
        "Statement digests that are kept.",
    )
    .fixed()
    .home(live(|live| live.digests_size.val(), |live, val| live.digests_size.put(val))),
    choice("event_scheduler", Global, &["OFF", "ON", "DISABLED"], "OFF", "Events run.").only(),
    toggle("partial_revokes", Global, false, "Privileges of single databases can be revoked.").only(),
    text("authentication_policy", Global, "*,,", "Which plugins accounts may use.").told(),
    text("default_authentication_plugin", Global, "caching_sha2_password", "The plugin of a new account.")
        .fixed(),
    uint(
        "caching_sha2_password_digest_rounds",
        Global,
        (5000, 4_095_000),
        5000,
        "Rounds of a password's digest.",
    )
    .told(),
    uint("default_password_lifetime", Global, (0, 65_535), 0, "Days until passwords expire; 0 = never.")
        .only(),
    toggle(
        "disconnect_on_expired_password",
        Global,
        true,
        "Clients with an expired password are disconnected.",
    )
    .fixed()
    .only(),
    uint("password_history", Global, (0, 4_294_967_295), 0, "Passwords that may not come back.").only(),
    toggle("password_require_current", Global, false, "The old password is asked for.").only(),
    uint("password_reuse_interval", Global, (0, 4_294_967_295), 0, "Days until a password may come back.")
        .only(),
    toggle("require_secure_transport", Global, false, "Only TLS and the socket.").home(live(
        |live| live.require_secure_transport.val(),
        |live, val| live.require_secure_transport.put(val),
    )),
    toggle(
        "caching_sha2_password_auto_generate_rsa_keys",
        Global,
        true,
        "Keys for passwords without TLS are made in the data directory if it has none.",
    )
    .fixed(),
    text(
        "caching_sha2_password_private_key_path",
        Global,
        "private_key.pem",
        "The private RSA key that unseals passwords without TLS, in PEM.",
    )
    .fixed(),
    text(
        "caching_sha2_password_public_key_path",
        Global,
        "public_key.pem",
        "Its public key, in PEM: for clients that do not ask for it.",
    )
    .fixed(),
    toggle(
        "auto_generate_certs",
        Global,
        true,
        "Certificates are made in the data directory if it has none.",
    )
    .fixed(),
    text(
        "ssl_ca",
        Global,
        "",
        "Certificate of who signed ssl_cert, in PEM; ca.pem if none of the three is named.",
    )
    .fixed(),
    text("ssl_cert", Global, "", "The server's certificate, in PEM; server-cert.pem if none is named.")
        .fixed(),
    text("ssl_key", Global, "", "Its private key, in PEM; server-key.pem if none is named.").fixed(),
    text("tls_version", Global, "TLSv1.2,TLSv1.3", "Versions of TLS that clients are offered.").told(),
    text("protocol_compression_algorithms", Global, "zlib,uncompressed", "How packets may be compressed.")
        .told(),
    toggle("check_proxy_users", Global, false, "Proxy users are mapped.").only(),
    toggle("automatic_sp_privileges", Global, true, "Who creates a routine may run it.").inert(),
    toggle("activate_all_roles_on_login", Global, false, "Roles are active from the beginning.").only(),
    row(
        "mandatory_roles",
        Global,
        Kind::Text { nullable: true },
        Initial::Text(""),
        "Roles that everybody has.",
    )
    .only(),
    toggle("skip_show_database", Global, false, "SHOW DATABASES needs its privilege.").fixed().only(),
    toggle("skip_external_locking", Global, true, "Files are not locked for others.").fixed().only(),
    text("disabled_storage_engines", Global, "", "Engines that CREATE TABLE refuses.").fixed().inert(),
    row(
        "init_connect",
        Global,
        Kind::Text { nullable: true },
        Initial::Text(""),
        "Statements that sessions begin with, but those of administrators.",
    ),
    toggle("offline_mode", Global, false, "Only administrators are let in, others are ended.")
        .home(live(|live| live.offline_mode.val(), |live, val| live.offline_mode.put(val))),
    toggle("core_file", Global, false, "A crash leaves a core file.").fixed().only(),
    toggle("flush", Global, false, "Tables are flushed after each statement.").only(),
    uint("flush_time", Global, (0, 31_536_000), 0, "Seconds after which all tables are closed.").only(),
    choice(
        "concurrent_insert",
        Global,
        &["NEVER", "AUTO", "ALWAYS"],
        "AUTO",
        "MyISAM inserts at a table's end.",
    )
    .inert(),
    choice("delay_key_write", Global, &["OFF", "ON", "ALL"], "ON", "MyISAM puts index writes off.").inert(),
    uint("ft_min_word_len", Global, (1, 84), 4, "Letters of the shortest word of a full-text index.")
        .fixed()
        .inert(),
    uint("ft_max_word_len", Global, (10, 84), 84, "Letters of the longest.").fixed().inert(),
    text("ft_boolean_syntax", Global, "+ -><()~*:\"\"&|", "Operators of a full-text search.").told(),
    uint("ft_query_expansion_limit", Global, (0, 1000), 20, "Rows of a full-text expansion.").fixed().inert(),
    text("ft_stopword_file", Global, "(built-in)", "Words that are left out.").fixed().inert(),
    toggle("myisam_recover_options", Global, false, "How MyISAM repairs.").fixed().inert(),
    uint(
        "myisam_sort_buffer_size",
        Both,
        (4096, u64::MAX),
        8_388_608,
        "Bytes of a sort while MyISAM repairs.",
    )
    .inert(),
];
