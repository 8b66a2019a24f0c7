"""PyMySQL against a server: SOCKET PORT USER PASSWORD. Prints ok."""
import datetime
import decimal
import sys

import pymysql

socket, port, user, password = sys.argv[1:5]


def work(**way):
    conn = pymysql.connect(user=user, password=password, database=user, charset="utf8mb4", **way)
    with conn.cursor() as cursor:
        cursor.execute("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50), b BLOB, d DECIMAL(20,5), at DATETIME(6))")
        row = (1, "döner 🥙 '\\", b"\x00\xff'", decimal.Decimal("-12345.67890"), datetime.datetime(2024, 2, 29, 1, 2, 3, 4))
        cursor.execute("INSERT INTO t VALUES (%s, %s, %s, %s, %s)", row)
        assert cursor.rowcount == 1
        cursor.executemany("INSERT INTO t (id) VALUES (%s)", [(n,) for n in range(2, 1000)])
        conn.commit()
        cursor.execute("UPDATE t SET v = 'x' WHERE id > 10")
        assert cursor.rowcount == 989, cursor.rowcount
        conn.rollback()
        cursor.execute("SELECT * FROM t WHERE id = 1")
        assert cursor.fetchone() == row
        cursor.execute("SELECT COUNT(*), SUM(id), MAX(v) FROM t")
        assert cursor.fetchone() == (999, 499500, row[1])
        try:
            cursor.execute("INSERT INTO t (id) VALUES (1)")
            raise AssertionError("a duplicate was accepted")
        except pymysql.err.IntegrityError as error:
            assert error.args[0] == 1062
        conn.rollback()
        cursor.execute("DROP TABLE t")
    conn.ping()
    conn.close()


work(host="127.0.0.1", port=int(port))
work(unix_socket=socket)
print("ok")
