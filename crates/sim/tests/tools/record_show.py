"""Records what MySQL answers to the statements of tests/data/show.sql.

Usage: record_show.py PORT < ../data/show.sql > ../data/show-8.0.46.txt   (root without a password, PyMySQL)

A statement behind `h ` is recorded by the names of its columns alone. Rows of what has no ORDER BY and differs in order
are sorted where the line begins with `s `.
"""

import sys

import pymysql


def shown(cell):
    return "NULL" if cell is None else str(cell).replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\p")


def main():
    connection = pymysql.connect(host="127.0.0.1", port=int(sys.argv[1]), user="root", autocommit=True,
                                 conv={}, charset="utf8mb4", collation="utf8mb4_general_ci")
    cursor = connection.cursor()
    cursor.execute("select @@version")
    print("#", cursor.fetchone()[0])
    for line in sys.stdin:
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        print(">", line)
        mode, sql = (line[0], line[2:]) if line[:2] in ("h ", "s ") else ("", line)
        try:
            cursor.execute(sql)
        except pymysql.MySQLError as error:
            print("!", error.args[0], error.args[1])
            continue
        if cursor.description is None:
            continue
        print("|".join(column[0] for column in cursor.description))
        rows = ["|".join(map(shown, row)) for row in cursor.fetchall()]
        for row in [] if mode == "h" else sorted(rows) if mode == "s" else rows:
            print("=", row)


main()
