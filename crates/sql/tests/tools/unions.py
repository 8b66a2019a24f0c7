#!/usr/bin/env python3
"""Records what a real server answers to the statements in data/unions.tsv, data/subqueries.tsv, data/joins.tsv.

    unions.py PORT FILE

The FILE is its own input and is rewritten. Lines with `@` are run on the connection before and stay; `#` begins a
comment. Any other line's first field, up to a tab, is a query. Behind it come the columns, each as
`name:type/length/decimals/flags/collation`, and the rows: `|` between cells, ` / ` between rows. An error is
`!number message`; of a change there is the number of affected rows.
"""
import sys

import pymysql

# Flags that follow from keys and defaults.
OF_TABLES = 2 | 4 | 8 | 4096 | 16384


def text(value):
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def run(connection, sql):
    connection._result = None
    connection.query(sql.encode())
    return connection._result


def answer(connection, query):
    try:
        result = run(connection, query)
    except pymysql.Error as error:
        code, message = error.args
        return [f"!{code} {text(message)}", ""]
    if result.rows is None:
        return [str(result.affected_rows), ""]
    definition = lambda f: f"{f.name}:{f.type_code}/{f.length}/{f.scale}/{f.flags & ~OF_TABLES}/{f.charsetnr}"
    cell = lambda value: "NULL" if value is None else text(value)
    rows = ["|".join(map(cell, row)) for row in result.rows]
    return [" ".join(map(definition, result.fields)), " / ".join(rows)]


def main():
    connection = pymysql.connect(
        host="127.0.0.1", port=int(sys.argv[1]), user="root", charset="utf8mb4", autocommit=True, conv={}, use_unicode=False
    )
    out = []
    for line in open(sys.argv[2], encoding="utf-8").read().splitlines():
        if line.startswith("@"):
            run(connection, line[1:])
        elif line and not line.startswith("#"):
            query = line.split("\t")[0]
            line = "\t".join([query, *answer(connection, query)])
        out.append(line)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
