#!/usr/bin/env python3
"""Records the sessions in this folder: real clients talk to real servers through a proxy that logs packets.

A line of a session file is `> hex` (client to server), `< hex` (server to client), with the 4-byte packet header;
`# text` is a comment, `@ label` names what follows, `! key=value` is a fact that the tests read.
Needs: /work/shared/peers/server start mysql97 (and mariadb1011), pip install pymysql mysql-connector-python
cryptography. Usage: record.py OUT_DIR [SESSION ...]
"""
from importlib.metadata import version
import datetime, decimal, os, socket, subprocess, sys, threading, time

PEERS = os.environ.get("PEERS", "/work/shared/peers")
ROOT = os.environ.get("PEERS_DIR", os.path.expanduser("~/.cache/onelog-peers"))
MYSQL, MARIA = int(os.environ.get("MYSQL_PORT", 13097)), int(os.environ.get("MARIA_PORT", 13011))
MYSQL_SOCKET = os.environ.get("MYSQL_SOCKET", f"{ROOT}/sid/data/mysql97.sock")
ACCOUNTS = [("sha_empty", ""), ("sha_one", "x"), ("sha_word", "secret"), ("sha_umlaut", "pässwörd"), ("sha_32", "0123456789abcdef0123456789abcdef"),
            ("sha_long", "correct horse battery staple " * 4), ("sha_max", "m" * 256)]


class Recorder:
    """A proxy for one connection at a time, and the file that it fills."""

    def __init__(self, path, upstream, note, unix=None):
        self.out, self.upstream, self.lock = open(path, "w"), upstream, threading.Lock()
        self.write("# " + note)
        if unix:
            if os.path.exists(unix):
                os.unlink(unix)
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(unix)
        else:
            self.listener = socket.socket()
            self.listener.bind(("127.0.0.1", 0))
            self.port = self.listener.getsockname()[1]
        self.listener.listen(8)
        self.threads = []
        threading.Thread(target=self.accept, daemon=True).start()

    def write(self, line):
        with self.lock:
            if not self.out.closed:
                self.out.write(line + "\n")
                self.out.flush()

    def label(self, text):
        time.sleep(0.05)  # lets the packets of the step before arrive in the file
        self.write("@ " + text)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if isinstance(self.upstream, int):
                server = socket.create_connection(("127.0.0.1", self.upstream))
            else:
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.upstream)
            for args in ((client, server, ">"), (server, client, "<")):
                t = threading.Thread(target=self.pump, args=args, daemon=True)
                t.start()
                self.threads.append(t)

    def pump(self, source, target, mark):
        pending = b""
        while True:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            if not data:
                break
            pending += data
            while len(pending) >= 4 and len(pending) >= 4 + int.from_bytes(pending[:3], "little"):
                size = 4 + int.from_bytes(pending[:3], "little")
                self.write(mark + " " + pending[:size].hex())
                pending = pending[size:]
            try:
                target.sendall(data)
            except OSError:
                break
        for s in (source, target):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        time.sleep(0.2)
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        with self.lock:
            self.out.close()


def admin(sql, port=MYSQL):
    import pymysql
    with pymysql.connect(host="127.0.0.1", port=port, user="root", autocommit=True) as c:
        with c.cursor() as k:
            for s in sql if isinstance(sql, list) else [sql]:
                k.execute(s)
            return k.fetchall()


def accounts(out):
    """What mysql.user holds for known passwords, and nothing else."""
    import pymysql
    path = f"{out}/accounts.txt"
    with open(path, "w") as f:
        f.write(f"# plugin, password (hex), authentication_string (hex), as CREATE USER stored it\n")
        f.write(f"# MySQL {admin('select version()')[0][0]}\n")
        for n, (user, password) in enumerate(ACCOUNTS):
            admin(f"set global caching_sha2_password_digest_rounds={10000 if n % 2 else 5000}")
            admin([f"drop user if exists {user}@'%'", f"create user {user}@'%' identified with caching_sha2_password by '{password}'", f"grant all on *.* to {user}@'%'"])
            (plugin, stored), = admin(f"select plugin, hex(authentication_string) from mysql.user where user='{user}'")
            f.write(f"{plugin} {password.encode().hex() or '-'} {stored.lower() or '-'}\n")
        f.write(f"# {admin('select version()', MARIA)[0][0]}\n")
        for user, password in ACCOUNTS:
            user = user.replace("sha", "nat")
            admin([f"create or replace user {user}@'%' identified via mysql_native_password using password('{password}')", f"grant all on *.* to {user}@'%'"], MARIA)
            (plugin, stored), = admin(f"select plugin, hex(authentication_string) from mysql.user where user='{user}'", MARIA)
            f.write(f"{plugin} {password.encode().hex() or '-'} {stored.lower() or '-'}\n")


TABLE = ["drop database if exists wire", "create database wire character set utf8mb4", """create table wire.t (
    id bigint unsigned not null auto_increment primary key, ti tinyint, su smallint unsigned, mi mediumint, i int, f float, d double, de decimal(12,3),
    vc varchar(40), c char(5) character set latin1, bi binary(4), vb varbinary(10), bl blob, tx text, da date, dt datetime(6), ts timestamp null,
    tm time(3), y year, en enum('a','b'), se set('x','y'), bt bit(10), js json, key(i))""",
    """insert into wire.t values (1,-5,65535,-70000,123456789,1.5,-2.25,'-123.450','Grüße','abc','ab',x'00ff','blob','text','2024-02-29',
    '2024-02-29 12:34:56.000789','2024-02-29 12:34:56','-26:01:02.500','2024','b','x,y',b'1000000001','{"k": [1, null]}')""",
    "insert into wire.t (id) values (2)"]


def pymysql_text(out):
    import pymysql
    admin(TABLE)
    r = Recorder(f"{out}/pymysql_text.txt", MYSQL, f"PyMySQL {version('pymysql')} to MySQL 9.7, root without a password, TCP without TLS")
    r.label("connect")
    c = pymysql.connect(host="127.0.0.1", port=r.port, user="root", autocommit=None, ssl_disabled=True, client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS)
    k = c.cursor()

    def run(label, sql):
        r.label(label)
        try:
            k.execute(sql)
            while k.nextset():
                pass
        except pymysql.Error:
            pass
    run("select_1", "select 1")
    r.label("init_db")
    c.select_db("wire")
    run("select_all_types", "select * from t order by id")
    run("insert", "insert into t (vc) values ('a'), ('b')")
    run("update", "update t set vc='c' where id > 2")
    run("begin", "begin")
    run("commit", "commit")
    run("error", "select nope from t")
    run("multi", "select 1 as a; update t set i=1 where id=2; select 2 as b")
    run("expression_types", "select 1+1, 1.5, 1e0, 'x', null, cast('2024-01-01' as date), cast(1 as unsigned)")
    run("warning", "select cast('1x' as signed)")
    r.label("ping")
    c.ping()
    r.label("kill")
    try:
        c.kill(999999)
    except pymysql.Error:
        pass
    r.label("unknown_command")
    try:
        c._execute_command(0x7F, "")
        c._read_ok_packet()
    except pymysql.Error:
        pass
    r.label("field_list")
    c._execute_command(0x04, b"t\x00%")
    for _ in range(24):
        try:
            if c._read_packet().is_eof_packet():
                break
        except pymysql.Error:
            break
    r.label("quit")
    c.close()
    r.close()


def pymysql_auth(out):
    import pymysql
    admin(TABLE)
    r = Recorder(f"{out}/pymysql_auth.txt", MYSQL, f"PyMySQL {version('pymysql')} to MySQL 9.7, TCP without TLS, caching_sha2_password")
    admin("flush privileges")
    for user, password in ACCOUNTS[:-1]:  # the last is too long for RSA
        for n in ("full", "fast"):
            r.label(f"{n} {user}")
            r.write(f"! password={password.encode().hex()}")
            pymysql.connect(host="127.0.0.1", port=r.port, user=user, password=password.encode(), ssl_disabled=True, database="wire" if n == "fast" else None).close()
    r.label("wrong sha_word")
    for user in ("sha_word", "nobody"):
        r.label(f"wrong {user}")
        try:
            pymysql.connect(host="127.0.0.1", port=r.port, user=user, password="wrong", ssl_disabled=True)
        except pymysql.Error:
            pass
    r.close()
    r = Recorder(f"{out}/pymysql_auth_socket.txt", MYSQL_SOCKET, f"PyMySQL {version('pymysql')} to MySQL 9.7, unix socket, caching_sha2_password", unix="/tmp/protocol-record.sock")
    admin("flush privileges")
    for user, password in ACCOUNTS:
        for n in ("full", "fast"):
            r.label(f"{n} {user}")
            r.write(f"! password={password.encode().hex()}")
            pymysql.connect(unix_socket="/tmp/protocol-record.sock", user=user, password=password.encode(), ssl_disabled=True).close()
    r.close()
    r = Recorder(f"{out}/pymysql_auth_native.txt", MARIA, f"PyMySQL {version('pymysql')} to MariaDB 10.11, TCP without TLS, mysql_native_password")
    for user, password in ACCOUNTS:
        user = user.replace("sha", "nat")
        r.label(f"native {user}")
        r.write(f"! password={password.encode().hex()}")
        pymysql.connect(host="127.0.0.1", port=r.port, user=user, password=password.encode(), ssl_disabled=True).close()
    r.close()


def cli(out):
    shell = [f"{PEERS}/mysqlbinlog", "--no-defaults"]
    env = {**os.environ, "BIN": "mysql"}
    version = subprocess.run(shell + ["--version"], env=env, capture_output=True, text=True).stdout.split("Ver")[1].split()[0]
    sql = "select 1; use wire; set names utf8mb4; set time_zone='+01:00'; begin; update t set i=7 where id=1; rollback; select id, vc from t where id < 3; select nope; select id from t where id=-1;"
    r = Recorder(f"{out}/mysql_cli.txt", MYSQL, f"Oracle's mysql client {version} to MySQL 9.7, TCP without TLS: DEPRECATE_EOF, SESSION_TRACK, QUERY_ATTRIBUTES")
    args = ["-h127.0.0.1", f"-P{r.port}", "--protocol=tcp", "--ssl-mode=DISABLED", "--get-server-public-key", "--force"]
    for user, password in (("root", ""), ("sha_word", "secret")):
        r.label(f"session {user}")
        r.write(f"! password={password.encode().hex()}")
        subprocess.run(shell + args + [f"-u{user}"] + ([f"-p{password}"] if password else []), env=env, input=sql, text=True, capture_output=True)
    r.label("attributes")
    subprocess.run(shell + args + ["-uroot"], env=env, input="query_attributes n1 v1 name2 'value two'\nselect 42;\n", text=True, capture_output=True)
    r.label("session_track")
    subprocess.run(shell + args + ["-uroot"], env=env, input="set session_track_schema=1; set session_track_state_change=1; set session_track_system_variables='*'; set session_track_gtids=off;"
                   "set session_track_transaction_info='CHARACTERISTICS'; use wire; set autocommit=0; update t set i=8 where id=1; commit; set autocommit=1; set @x=1;", text=True, capture_output=True)
    r.close()
    r = Recorder(f"{out}/mysqladmin.txt", MYSQL, f"Oracle's mysqladmin {version} to MySQL 9.7: PING, STATISTICS, PROCESS_INFO or its successor, DEBUG, KILL, REFRESH or its successor")
    env["BIN"] = "mysqladmin"
    for command in (["ping"], ["status"], ["processlist"], ["debug"], ["kill", "999999"], ["refresh"]):
        r.label(command[0])
        subprocess.run(shell + args[:1] + [f"-P{r.port}"] + args[2:5] + ["-uroot"] + command, env=env, capture_output=True, timeout=10)
    r.close()
    r = Recorder(f"{out}/mariadb_cli.txt", MYSQL, "MariaDB's mariadb client 10.11 to MySQL 9.7, TCP without TLS: EOF packets")
    args = ["mariadb", "--no-defaults", "-h127.0.0.1", f"-P{r.port}", "--protocol=tcp", "--skip-ssl", "--force"]
    r.label("session root")
    subprocess.run(args + ["-uroot", "wire"], input=sql, text=True, capture_output=True)
    r.close()
    r = Recorder(f"{out}/mariadb_cli_native.txt", MARIA, "MariaDB's mariadb client 10.11 to MariaDB 10.11, TCP without TLS, mysql_native_password; the last one is switched from another plugin")
    args[3] = f"-P{r.port}"
    for extra, user, password in ([], "nat_word", "secret"), (["--default-auth=caching_sha2_password"], "nat_word", "secret"), ([], "nat_empty", ""):
        r.label(f"session {user}")
        r.write(f"! password={password.encode().hex()}")
        subprocess.run(args + extra + [f"-u{user}"] + ([f"-p{password}"] if password else []), input="select 1;", text=True, capture_output=True)
    r.close()


def connector(out):
    import mysql.connector, pymysql
    admin(TABLE)
    pymysql.connect(host="127.0.0.1", port=MYSQL, user="sha_word", password=b"secret", ssl_disabled=True).close()  # fills the cache
    r = Recorder(f"{out}/connector_python.txt", MYSQL, f"MySQL Connector/Python {mysql.connector.__version__} (pure) to MySQL 9.7, TCP without TLS: prepared statements, attributes, change user, reset")
    r.label("connect")
    c = mysql.connector.connect(host="127.0.0.1", port=r.port, user="root", database="wire", use_pure=True, ssl_disabled=True)
    k = c.cursor(prepared=True)
    r.label("execute_params")
    sql = "select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
    values = (1, -1, 2 ** 63, 1.5, "text", b"bytes", None, datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 34, 56, 789), datetime.timedelta(hours=-26, minutes=-1), decimal.Decimal("-1.25"))
    k.execute(sql, values)
    k.fetchall()
    r.label("execute_again")
    k.execute(sql, values)
    k.fetchall()
    r.label("long_data")
    import io
    k.execute("select length(?), ?", (io.BytesIO(b"L" * 3000), 5))
    k.fetchall()
    r.label("execute_attributes")
    k.add_attribute("trace", "abc")
    k.add_attribute("number", 77)
    k.execute("select ?", (9,))
    k.fetchall()
    k.close()
    k = c.cursor()
    r.label("query_attributes")
    k.add_attribute("trace", "abc")
    k.add_attribute("number", -77)
    k.execute("select 'sql'")
    k.fetchall()
    k.close()
    r.label("reset")
    c.cmd_reset_connection()
    r.label("change_user")
    r.write(f"! password={b'secret'.hex()}")
    c.cmd_change_user("sha_word", "secret", "wire")
    r.label("change_user_wrong")
    try:
        c.cmd_change_user("sha_word", "wrong", "wire")
    except mysql.connector.Error:
        pass
    r.close()


def prepared(out):
    """Statements that no client library sends as it stands: the commands are made here, the answers are the server's."""
    import pymysql
    admin(TABLE)
    for name, flag in ("prepared_eof", 0), ("prepared_no_eof", 1 << 24):
        r = Recorder(f"{out}/{name}.txt", MYSQL, f"PyMySQL {version('pymysql')}'s raw commands to MySQL 9.7: binary rows of every type, {'with' if flag else 'without'} DEPRECATE_EOF")
        r.label("connect")
        c = pymysql.connect(host="127.0.0.1", port=r.port, user="root", database="wire", ssl_disabled=True, client_flag=flag)

        def command(label, code, body):
            r.label(label)
            c._execute_command(code, body)
            time.sleep(0.1)
            c._sock.settimeout(0.2)
            try:
                while True:
                    c._rfile.read1(65536) or sys.exit("closed")
            except OSError:
                c._rfile = c._sock.makefile("rb")
            c._sock.settimeout(None)

        i4 = lambda n: n.to_bytes(4, "little")
        command("prepare_select", 0x16, b"select * from t where id < ? order by id")
        command("execute_select", 0x17, i4(1) + b"\0" + i4(1) + b"\0\1\x08\x80" + (9).to_bytes(8, "little"))
        command("prepare_update", 0x16, b"update t set i = i + 1, vc = ? where id = ?")
        command("long_data", 0x18, i4(2) + b"\0\0" + b"long")
        command("execute_update", 0x17, i4(2) + b"\0" + i4(1) + b"\0\1\xfc\0\x03\0" + i4(1))
        command("reset_stmt", 0x1A, i4(2))
        command("execute_cursor", 0x17, i4(1) + b"\1" + i4(1) + b"\0\1\x08\x80" + (9).to_bytes(8, "little"))
        command("fetch", 0x1C, i4(1) + i4(1))
        command("fetch_end", 0x1C, i4(1) + i4(5))
        command("close", 0x19, i4(2))
        command("unknown_statement", 0x17, i4(77) + b"\0" + i4(1))
        command("prepare_none", 0x16, b"begin")
        command("prepare_error", 0x16, b"select nope")
        command("set_option", 0x1B, b"\0\0")
        command("init_db", 0x02, b"mysql")
        command("statistics", 0x09, b"")
        command("reset_connection", 0x1F, b"")
        command("select_empty", 0x03, b"select id from wire.t where id = -1")
        r.close()


def replica(out):
    """A real replica at REPLICA_PORT, with semi-sync; only its own packets and the first answers are of interest."""
    port = int(os.environ["REPLICA_PORT"])
    admin(["create user if not exists repl@'%' identified by ''", "grant replication slave on *.* to repl@'%'", "set global rpl_semi_sync_source_enabled=1", "drop database if exists wire2"])
    r = Recorder(f"{out}/replica.txt", MYSQL, "MySQL 9.7 as a replica of MySQL 9.7, semi-synchronous, GTID auto-position and file position")
    for label, auto in ("auto_position", 1), ("file_position", 0):
        r.label(label)
        name, position = admin("show binary log status")[0][:2]
        where = "source_auto_position=1" if auto else f"source_auto_position=0, source_log_file='{name}', source_log_pos={position}"
        if auto:
            admin(f"set global gtid_purged='+{admin('select @@global.gtid_executed')[0][0]}'".replace(chr(10), ""), port) if not admin("select @@global.gtid_executed", port)[0][0] else None
        admin(["set global rpl_semi_sync_replica_enabled=1", f"change replication source to source_host='127.0.0.1', source_port={r.port}, source_user='repl', source_ssl=0, {where}", "start replica"], port)
        time.sleep(2)
        admin(["create database wire2", "drop database wire2"])
        time.sleep(1)
        admin(["stop replica"], port)
    r.close()


def binlog(out):
    env = dict(os.environ)
    r = Recorder(f"{out}/mysqlbinlog.txt", MYSQL, "Oracle's mysqlbinlog 9.7 to MySQL 9.7: REGISTER_SLAVE, BINLOG_DUMP, BINLOG_DUMP_GTID; only the first event packets are kept")
    base = [f"{PEERS}/mysqlbinlog", "--no-defaults", "-h127.0.0.1", f"-P{r.port}", "-uroot", "--ssl-mode=DISABLED"]
    logs = admin("show binary logs")
    for label, extra in (("dump", ["--read-from-remote-source=BINLOG-DUMP-NON-GTIDS"]),
                         ("dump_gtid", ["--read-from-remote-source=BINLOG-DUMP-GTIDS", "--exclude-gtids=11111111-2222-3333-4444-555555555555:1-5:7-9,aaaaaaaa-2222-3333-4444-555555555555:3"])):
        r.label(label)
        subprocess.run(base + extra + [logs[-1][0]], env=env, capture_output=True, timeout=20)
    r.close()
    kept, events = [], 0
    with open(f"{out}/mysqlbinlog.txt") as f:
        for line in f:
            events = 0 if line[0] != "<" else events + 1
            if events <= 8:
                kept.append(line)
    with open(f"{out}/mysqlbinlog.txt", "w") as f:
        f.writelines(kept)


if __name__ == "__main__":
    chosen = sys.argv[2:] or ["accounts", "pymysql_text", "pymysql_auth", "cli", "connector", "prepared", "binlog"]
    for name in chosen:
        globals()[name](sys.argv[1])
