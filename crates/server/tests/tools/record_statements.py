#!/usr/bin/env python3
"""Records what a real server answers to the statements in files of tests/data such as checks-9.7.4.txt.

    record_statements.py PORT FILE...

Each FILE is its own input and is rewritten: a line that ends with `;` is a statement and stays, the line behind it, which
begins with `  -> `, is answered anew. A new case is a statement alone. `#` begins a comment. An answer is `ok`, the rows
(values between tabs, rows between bars, NULL as None), or an error's number and message; of LOAD DATA `ok`, the number of
rows that it changed, and what it says of them.

A line `FILE name: text` writes a file into the directory that $DIR stands for in statements: the environment's DIR, which
the server and this client must both see. `READ name;` is answered with the bytes of a file there.
"""
import os
import re
import sys

import pymysql


DIR = os.environ.get("DIR", "")


def write_file(line):
    name, text = line.removeprefix("FILE ").split(":", 1)
    known = {"n": b"\n", "t": b"\t", "r": b"\r", "0": b"\0", "\\": b"\\"}
    unescape = lambda found: bytes.fromhex(found[0].decode()[2:]) if found[0][1:2] == b"x" else known[found[0][1:].decode()]
    with open(os.path.join(DIR, name), "wb") as out:
        out.write(re.sub(rb"\\(x[0-9a-f]{2}|.)", unescape, text.removeprefix(" ").encode()))


def read_file(name):
    with open(os.path.join(DIR, name), "rb") as file:
        shown = lambda byte: chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}"
        return "".join(map(shown, file.read()))


def answer(cursor, statement):
    if statement.startswith("READ "):
        return read_file(statement.removeprefix("READ "))
    try:
        cursor.execute(statement.replace("$DIR", DIR))
        if statement.startswith("LOAD"):
            return f"ok {cursor.rowcount} {(cursor._result.message or b'')[1:].decode()}"
        if not cursor.description:
            return "ok"
        rows = ("\t".join(str(value) for value in row) for row in cursor.fetchall())
        return "|".join(rows).replace("\n", "\\n")
    except pymysql.err.MySQLError as error:
        return f"{error.args[0]} {error.args[1]}".replace(DIR or "$DIR", "$DIR")


def main():
    port, *files = sys.argv[1:]
    connection = pymysql.connect(host="127.0.0.1", port=int(port), user="root", charset="utf8mb4", autocommit=True, local_infile=True)
    cursor = connection.cursor()
    for file in files:
        lines = [line.rstrip("\n") for line in open(file, encoding="utf-8") if not line.startswith("  -> ")]
        with open(file, "w", encoding="utf-8") as out:
            for line in lines:
                print(line, file=out)
                if line.startswith("FILE "):
                    write_file(line)
                if line.endswith(";") and not line.startswith("#"):
                    print("  -> " + answer(cursor, line[:-1]), file=out)


if __name__ == "__main__":
    main()
