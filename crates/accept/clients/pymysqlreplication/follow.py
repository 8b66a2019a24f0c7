"""python-mysql-replication follows a server: PORT FILE gtid|position.

Appends a line of JSON to FILE for each change of the database `cdc`: trx, op, database, table, before, after; values
as text, see `interop/values.rs`. A transaction is written whole when its end has come, so it may be killed at any
time: when it starts, it cuts the last transaction of FILE, which may be half, and goes on behind the one before it.
"""
import datetime
import decimal
import json
import logging
import os
import struct
import sys
import time
import zlib

import pymysql
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.event import GtidEvent, QueryEvent, XAPrepareEvent, XidEvent
from pymysqlreplication.constants import FIELD_TYPE
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent

DATABASE = "cdc"
WHOLE_MAX = 256
# Errors that a server which is away, or goes away, gives: cannot connect, gone, lost.
AWAY = (2003, 2006, 2013)


class Away(Exception):
    """The server is not there, or was lost."""


def main():
    logging.basicConfig(level=logging.INFO)
    port, path, gtids = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "gtid"
    while True:
        try:
            follow(port, path, gtids)
        except Away as error:
            logging.info("away: %s", error)
            time.sleep(0.2)


def follow(port, path, gtids):
    """Follows until the server is lost."""
    settings = {"host": "127.0.0.1", "port": port, "user": "cdc", "passwd": "", "charset": "utf8mb4", "read_timeout": 30}
    last = cut(path)
    stream = BinLogStreamReader(
        connection_settings=settings,
        server_id=4001,
        blocking=True,
        resume_stream=True,
        slave_heartbeat=1,
        only_schemas=[DATABASE],
        only_events=[
            GtidEvent,
            QueryEvent,
            XidEvent,
            XAPrepareEvent,
            WriteRowsEvent,
            UpdateRowsEvent,
            DeleteRowsEvent,
        ],
        pymysql_wrapper=Connections(),
        **place(settings, last, gtids),
    )
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        copy(stream, file, gtids)
    except pymysql.OperationalError as error:
        if error.args[0] not in AWAY:
            raise
        raise Away(error) from error
    finally:
        stream.close()
        os.close(file)


class Connections:
    """Gives the reader its two connections once. It would replace a lost one by itself, but ask for what it asked for at
    its beginning, if that was by GTIDs, and so read everything again."""

    def __init__(self):
        self.given = set()

    def __call__(self, **settings):
        purpose = settings.get("db")
        if purpose in self.given:
            raise Away("connection lost")
        self.given.add(purpose)
        return pymysql.connect(**settings)


def place(settings, last, gtids):
    """Where to go on, as the reader's arguments: behind a transaction, or with the oldest file."""
    if last is None:
        try:
            connection = pymysql.connect(**settings)
        except pymysql.OperationalError as error:
            raise Away(error) from error
        with connection, connection.cursor() as cursor:
            cursor.execute("SHOW BINARY LOGS")
            return {"log_file": cursor.fetchone()[0], "log_pos": 4}
    before, number = last.rsplit(":", 1)
    if gtids:
        return {"auto_position": f"{before}:1-{number}"}
    return {"log_file": before, "log_pos": int(number)}


def copy(stream, file, gtids):
    """Writes transactions until the stream fails."""
    gtid, changes = None, []
    for event in stream:
        if isinstance(event, GtidEvent):
            gtid, changes = event.gtid, []
        elif isinstance(event, QueryEvent):
            # It begins something, or is something by itself; but this one comes before XA PREPARE.
            changes = changes if event.query.startswith("XA END") else []
        elif isinstance(event, (XidEvent, XAPrepareEvent)):
            trx = gtid if gtids else f"{stream.log_file}:{stream.log_pos}"
            lines = "".join(json.dumps({"trx": trx, **change}) + "\n" for change in changes)
            write(file, lines.encode())
            changes = []
        else:
            changes.extend(rows(event))


def write(file, data):
    while data:
        data = data[os.write(file, data) :]


def rows(event):
    """The changes of an event."""
    columns = {column.name: column for column in event.columns}
    name = {WriteRowsEvent: "insert", UpdateRowsEvent: "update", DeleteRowsEvent: "delete"}[type(event)]
    for row in event.rows:
        before, after = {"insert": (None, "values"), "update": ("before_values", "after_values"), "delete": ("values", None)}[
            name
        ]
        image = lambda key: key and {column: text(columns[column], val) for column, val in row[key].items()}
        yield {
            "op": name,
            "database": event.schema,
            "table": event.table,
            "before": image(before),
            "after": image(after),
        }


def text(column, val):
    """A value as text."""
    if val is None:
        return None
    if val == "" and column.character_set_name == "binary":
        # The reader takes no bytes for text.
        return "x"
    if column.type == FIELD_TYPE.JSON:
        return json.dumps(plain(val), ensure_ascii=False, separators=(",", ":"))
    if column.type == FIELD_TYPE.BIT:
        return str(int(val, 2))
    if isinstance(val, set):
        return ",".join(name for name in column.set_values if name in val)
    if isinstance(val, int):
        return str(val)
    if isinstance(val, decimal.Decimal):
        return f"{val:f}"
    if isinstance(val, float):
        return struct.pack(">f" if column.type == FIELD_TYPE.FLOAT else ">d", val).hex()
    if isinstance(val, bytes):
        return digest(val) if len(val) > WHOLE_MAX else "x" + val.hex()
    if isinstance(val, str):
        return digest(val.encode()) if len(val.encode()) > WHOLE_MAX else val
    if isinstance(val, datetime.datetime):
        return fraction(f"{val.year:04}-{val:%m-%d %H:%M:%S}", val.microsecond)
    if isinstance(val, datetime.date):
        return f"{val.year:04}-{val:%m-%d}"
    if isinstance(val, datetime.timedelta):
        sign, val = ("-", -val) if val < datetime.timedelta() else ("", val)
        seconds = val.days * 86400 + val.seconds
        return fraction(f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}", val.microseconds)
    raise TypeError(f"{val!r} of type {column.type}")


def plain(val):
    """A JSON value with text where the reader has bytes."""
    if isinstance(val, bytes):
        return val.decode()
    if isinstance(val, dict):
        return {plain(name): plain(member) for name, member in val.items()}
    return [plain(item) for item in val] if isinstance(val, list) else val


def fraction(whole, microseconds):
    return f"{whole}.{microseconds:06}".rstrip("0") if microseconds else whole


def digest(val):
    return f"#{len(val)}:{zlib.crc32(val):08x}"


def cut(path):
    """Cuts the last transaction of a file; returns the one before it, if any."""
    before, last, begin, offset = None, None, 0, 0
    if not os.path.exists(path):
        return None
    with open(path, "rb+") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            trx = json.loads(line)["trx"]
            if trx != last:
                before, last, begin = last, trx, offset
            offset += len(line)
        file.truncate(begin)
    return before


main()
