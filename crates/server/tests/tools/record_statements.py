#!/usr/bin/env python3
"""Records what a real server answers to the statements in files of tests/data such as checks-9.7.4.txt.

    record_statements.py PORT FILE...

Each FILE is its own input and is rewritten: a line that ends with `;` is a statement and stays, the line behind it, which
begins with `  -> `, is answered anew. A new case is a statement alone. `#` begins a comment. An answer is `ok`, the rows
(values between tabs, rows between bars, NULL as None), or an error's number and message.
"""
import sys

import pymysql


def answer(cursor, statement):
    try:
        cursor.execute(statement)
        if not cursor.description:
            return "ok"
        rows = ("\t".join(str(value) for value in row) for row in cursor.fetchall())
        return "|".join(rows).replace("\n", "\\n")
    except pymysql.err.MySQLError as error:
        return f"{error.args[0]} {error.args[1]}"


def main():
    port, *files = sys.argv[1:]
    connection = pymysql.connect(host="127.0.0.1", port=int(port), user="root", charset="utf8mb4", autocommit=True)
    cursor = connection.cursor()
    for file in files:
        lines = [line.rstrip("\n") for line in open(file, encoding="utf-8") if not line.startswith("  -> ")]
        with open(file, "w", encoding="utf-8") as out:
            for line in lines:
                print(line, file=out)
                if line.endswith(";") and not line.startswith("#"):
                    print("  -> " + answer(cursor, line[:-1]), file=out)


if __name__ == "__main__":
    main()
