#!/usr/bin/env python3
"""Records how a real server stores the expressions of CHECK constraints: ddl/data/checks.tsv.

    checks.py PORT FILE

The FILE is its own input and is rewritten. `#` begins a comment; `@` begins the columns of the table that the
expressions below are about. Any other line's first field, up to a tab, is an expression. Behind it comes the text that SHOW
CREATE TABLE has for it, or an error as `!number message`. A third field, which is ours and stays, is what onelog answers
where that differs.
"""
import re
import sys

import pymysql


def answer(cursor, columns, expression):
    cursor.execute("DROP TABLE IF EXISTS e")
    try:
        cursor.execute(f"CREATE TABLE e ({columns}, CHECK ({expression}))")
    except pymysql.Error as error:
        code, message = error.args
        return f"!{code} {message}"
    cursor.execute("SHOW CREATE TABLE e")
    return re.search(r"CHECK \((.*)\)\n\) ENGINE", cursor.fetchall()[0][1], re.S)[1]


def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    connection = pymysql.connect(host="127.0.0.1", port=port, user="root", charset="utf8mb4")
    cursor = connection.cursor()
    cursor.execute("DROP DATABASE IF EXISTS k")
    cursor.execute("CREATE DATABASE k")
    cursor.execute("USE k")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    columns, out = "", []
    for line in lines:
        if line.startswith("@"):
            columns = line[1:]
        elif not line.startswith("#"):
            expression, *rest = line.split("\t")
            line = "\t".join([expression, answer(cursor, columns, expression), *rest[1:]])
        out.append(line)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
