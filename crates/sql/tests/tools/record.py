#!/usr/bin/env python3
"""Records what a real server answers to the expressions in tests/data.

    record.py PORT FILE...
    record.py PORT --other FILE... > mysql80.tsv

Each FILE is its own input and is rewritten: the first field of a line is an expression and stays, the others are
answered anew. A new case is a line with an expression alone. Fields, separated by tabs:

    expression, value(s), column definition, warnings

Values of several rows stand between bars. An error is `!number message`. The definition is `type/length/decimals/
flags/collation`, numbers as the protocol carries them. With `--other`, the files stay, and what this server answers otherwise is
printed: MySQL 8.0 beside 9.7. A line `@sql` is run on the connection (SET ...) and stays;
`#` begins a comment. An expression that names a column (`t.x`) is evaluated for every row of the table in columns.tsv.
"""
import os
import re
import sys

import pymysql

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = os.path.join(HERE, "..", "data", "columns.tsv")
SESSION = [
    "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci",
    "SET time_zone = '+00:00'",
    "SET timestamp = 1577934245.123456",
    "SET sql_mode = DEFAULT",
]
# What MySQL has deprecated is none of our warnings.
DEPRECATIONS = {1287, 1681, 3719, 3778, 4095, 4096}


def connect(port):
    connection = pymysql.connect(
        host="127.0.0.1", port=port, user="root", charset="utf8mb4", autocommit=True, conv={}, use_unicode=False
    )
    run(connection, "CREATE DATABASE IF NOT EXISTS record CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    run(connection, "USE record")
    for sql in SESSION:
        run(connection, sql)
    return connection


def run(connection, sql):
    connection._result = None
    connection.query(sql.encode() if isinstance(sql, str) else sql)
    return connection._result


def field(value):
    """A value as one field: NULL, or its text with what a line cannot hold escaped."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace") if is_text(value) else "0x" + value.hex().upper()
    value = value.replace("\\", "\\\\") if not value.startswith("0x") else value
    return value.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0").replace("|", "\\p")


def is_text(value):
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(ord(c) < 32 and c not in "\t\n\r\0" for c in text)


def shortened(text):
    """Long answers are kept by size and beginning."""
    return text if len(text) <= 300 else f"{text[:40]}...({len(text)})"


def create_table(connection):
    run(connection, "DROP TABLE IF EXISTS t")
    lines = [line.rstrip("\n").split("\t") for line in open(COLUMNS) if line.strip() and not line.startswith("#")]
    definitions = ", ".join(f"`{name}` {ty}" for name, ty, *_ in lines)
    run(connection, "SET sql_mode = ''")
    run(connection, f"CREATE TABLE t (id INT NOT NULL PRIMARY KEY, {definitions}) DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_general_ci")
    for row in range(len(lines[0]) - 2):
        values = ", ".join(line[2 + row] for line in lines)
        run(connection, f"INSERT INTO t VALUES ({row}, {values})")
    run(connection, "SET sql_mode = DEFAULT")


def answer(connection, expression):
    table = " FROM t ORDER BY t.id" if re.search(r"\bt\.\w", expression) else ""
    if re.search(r"(?i)\b(count|sum|avg|min|max|group_concat|bit_and|bit_or|bit_xor|std\w*|var\w*|any_value)\(", expression) and "@@" not in expression:
        table = table.replace(" ORDER BY t.id", "")
    try:
        result = run(connection, f"SELECT {expression}{table}")
    except pymysql.Error as error:
        code, message = error.args
        message = message.decode("utf-8", "backslashreplace") if isinstance(message, bytes) else message
        return [f"!{code} {shortened(field(message))}", "", ""]
    column = result.fields[0]
    values = "|".join(shortened(field(row[0])) for row in result.rows)
    flags = column.flags & ~(4 | 8 | 2 | 4096 | 16384)
    definition = f"{column.type_code}/{column.length}/{column.scale}/{flags}/{column.charsetnr}"
    warnings = []
    for level, code, message in run(connection, "SHOW WARNINGS").rows:
        if int(code) in DEPRECATIONS:
            continue
        text = f"{level.decode()} {code.decode()} {shortened(field(message))}"
        if text not in warnings:
            warnings.append(text)
    return [values, definition, "; ".join(warnings)]


def record(connection, path):
    for sql in SESSION:
        run(connection, sql)
    out = []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            out.append(line)
        elif line.startswith("@"):
            run(connection, line[1:])
            out.append(line)
        else:
            expression = line.split("\t")[0]
            out.append("\t".join([expression, *answer(connection, expression)]))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def print_other(connection, path):
    for sql in SESSION:
        run(connection, sql)
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("@"):
            run(connection, line[1:])
        elif line and not line.startswith("#"):
            expression, *known = line.split("\t")
            other = answer(connection, expression)
            if other != known:
                print("\t".join([expression, *other]))


def main():
    connection = connect(int(sys.argv[1]))
    create_table(connection)
    if sys.argv[2] == "--other":
        print("# What MySQL 8.0.46 answers otherwise than 9.7.4. Fields as in the other files.")
        for path in sys.argv[3:]:
            print_other(connection, path)
        return
    for path in sys.argv[2:]:
        record(connection, path)


main()
