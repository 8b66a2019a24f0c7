-- A table of every type, with the ends of each range, changed in every way that the binlog knows.
SET time_zone = '+00:00';

CREATE TABLE integers (
  id INT PRIMARY KEY AUTO_INCREMENT,
  t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, su SMALLINT UNSIGNED, m MEDIUMINT, mu MEDIUMINT UNSIGNED,
  i INT, iu INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED, flag BOOLEAN NOT NULL DEFAULT TRUE,
  KEY (b), UNIQUE KEY u (bu)
);
INSERT INTO integers (t, tu, s, su, m, mu, i, iu, b, bu) VALUES
  (-128, 0, -32768, 0, -8388608, 0, -2147483648, 0, -9223372036854775808, 0),
  (127, 255, 32767, 65535, 8388607, 16777215, 2147483647, 4294967295, 9223372036854775807, 18446744073709551615),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (-1, 1, -1, 1, -1, 1, -1, 1, -1, 1);

CREATE TABLE numbers (
  id INT PRIMARY KEY, d0 DECIMAL(1,0), d2 DECIMAL(10,2), du DECIMAL(10,2) UNSIGNED, d30 DECIMAL(65,30), f FLOAT, d DOUBLE,
  KEY (d30), KEY (d)
);
INSERT INTO numbers VALUES
  (1, -9, -99999999.99, 0, -99999999999999999999999999999999999.999999999999999999999999999999, -3.40282e38, -1.7976931348623157e308),
  (2, 9, 99999999.99, 99999999.99, 99999999999999999999999999999999999.999999999999999999999999999999, 3.40282e38, 1.7976931348623157e308),
  (3, 0, 0.01, 0.01, 0.000000000000000000000000000001, 1.17549e-38, 2.2250738585072014e-308),
  (4, 0, 0, 0, 0, 0, 0), (5, NULL, NULL, NULL, NULL, NULL, NULL), (6, 1, 1.5, 2.5, 3.5, 0.25, 0.1), (7, 1, -1.5, 2.5, -3.5, -0.25, -1e22);

CREATE TABLE texts (
  id INT PRIMARY KEY,
  c CHAR(10), v VARCHAR(20) NOT NULL DEFAULT 'it''s "so"', v400 VARCHAR(400), tt TINYTEXT, tx TEXT, mt MEDIUMTEXT, lt LONGTEXT,
  bin VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  lat VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin,
  asc_ VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin,
  KEY (v), KEY (tx(10)), KEY (bin, lat)
) DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_general_ci;
INSERT INTO texts (id, c, v400, tt, tx, mt, lt, bin, lat, asc_) VALUES
  (1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'), (2, '', '', '', '', '', '', '', '', ''),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 'döner 🥙', REPEAT('ä', 400), REPEAT('x', 255), REPEAT('y', 65535), REPEAT('z', 100000), REPEAT('ö', 50000), 'ÄÖÜ', 'ÄÖÜß', '~'),
  (5, 'tab\t', 'line\nbreak', 'nul\0', 'back\\slash', 'quote''', '%_', '  blank ', 'x ', '`');

CREATE TABLE bytes (
  id INT PRIMARY KEY,
  b BINARY(8), vb VARBINARY(20), vb400 VARBINARY(400), tb TINYBLOB, bl BLOB, mb MEDIUMBLOB, lb LONGBLOB,
  cb VARCHAR(20) CHARACTER SET binary, KEY (b), KEY (vb), KEY (bl(5))
);
INSERT INTO bytes VALUES
  (1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), (2, '', '', '', '', '', '', '', ''),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, X'00FF10275C220A00', X'0001FEFF', REPEAT(X'00', 400), REPEAT(X'FF', 255), REPEAT(X'27', 65535), REPEAT(X'5C', 100000), REPEAT(X'0A', 70000), X'C3'),
  (5, X'20', X'2020', X'00', X'0000', X'1A', X'08', X'0D', X'22');

CREATE TABLE times (
  id INT PRIMARY KEY, d DATE,
  t0 TIME, t1 TIME(1), t3 TIME(3), t6 TIME(6),
  dt0 DATETIME, dt2 DATETIME(2), dt4 DATETIME(4), dt6 DATETIME(6),
  ts0 TIMESTAMP NULL, ts3 TIMESTAMP(3) NULL, ts6 TIMESTAMP(6) NOT NULL DEFAULT '2001-02-03 04:05:06.000007',
  KEY (d), KEY (t6), KEY (dt6), KEY (ts0)
);
INSERT INTO times VALUES
  (1, '1000-01-01', '-838:59:59', '-0:00:00.1', '-1:00:00.001', '-838:59:58.999999', '1000-01-01 00:00:00',
   '1000-01-01 00:00:00.01', '1000-01-01 00:00:00.0001', '1000-01-01 00:00:00.000001', '1970-01-01 00:00:01', '1970-01-01 00:00:01.001', '1970-01-01 00:00:01.000001'),
  (2, '9999-12-31', '838:59:59', '838:59:58.9', '838:59:58.999', '838:59:58.999999', '9999-12-31 23:59:59',
   '9999-12-31 23:59:59.99', '9999-12-31 23:59:59.9999', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07', '2038-01-19 03:14:07.999', '2038-01-19 03:14:07.999999'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2024-02-29 00:00:00'),
  (4, '2024-02-29', '00:00:00', '00:00:00', '00:00:00', '00:00:00', '2024-02-29 12:34:56', '2024-02-29 12:34:56.78', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012');

-- No primary key; equal rows.
CREATE TABLE heap (a INT, b VARCHAR(10));
INSERT INTO heap VALUES (1, 'x'), (1, 'x'), (2, NULL), (NULL, 'y'), (3, 'z'), (3, 'z');
UPDATE heap SET b = 'w' WHERE a = 1;
DELETE FROM heap WHERE a = 3 LIMIT 1;

-- Changes of rows: images before and after, several tables in one transaction, a savepoint, a rollback.
BEGIN;
UPDATE integers SET t = 1, i = i - 1 WHERE id = 4;
UPDATE texts SET v = CONCAT(v, '!'), lt = REPEAT('l', 300) WHERE id IN (1, 4);
SAVEPOINT here;
DELETE FROM bytes;
ROLLBACK TO SAVEPOINT here;
UPDATE bytes SET mb = NULL WHERE id = 1;
DELETE FROM times WHERE id = 4;
COMMIT;
BEGIN; DELETE FROM numbers; ROLLBACK;
UPDATE numbers SET d30 = d30 / 3, d = d / 3 WHERE id >= 4;

-- Changes of tables.
CREATE TABLE altered (id INT PRIMARY KEY, a INT, b VARCHAR(10)) COMMENT = 'it''s';
INSERT INTO altered VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c');
ALTER TABLE altered ADD COLUMN c DATETIME(3) NULL AFTER a, ADD INDEX ia (a);
CREATE UNIQUE INDEX ub ON altered (b);
UPDATE altered SET c = '2020-01-01 00:00:00.5' WHERE id = 2;
ALTER TABLE altered DROP COLUMN b, ADD COLUMN d DECIMAL(5,1) NOT NULL DEFAULT 7.5;
DROP INDEX ia ON altered;
INSERT INTO altered (id, a) VALUES (4, 4);
CREATE TABLE emptied LIKE integers;
INSERT INTO emptied (t) VALUES (1), (2);
TRUNCATE TABLE emptied;
INSERT INTO emptied (t) VALUES (3);
CREATE TABLE gone (id INT); DROP TABLE gone;

CREATE TABLE choices (
  id INT PRIMARY KEY,
  e ENUM('small', 'it''s', 'größer', '') NOT NULL DEFAULT 'it''s', lat ENUM('ä', 'b') CHARACTER SET latin1 COLLATE latin1_bin,
  s SET('r', 'g', 'b', 'ö'), s9 SET('1', '2', '3', '4', '5', '6', '7', '8', '9') NOT NULL DEFAULT '2,9',
  y YEAR, b1 BIT, b12 BIT(12) DEFAULT b'101', b64 BIT(64),
  KEY (e), KEY (lat, y), KEY (s), KEY (b12), UNIQUE KEY (y, b64)
);
INSERT INTO choices (id, e, lat, s, y, b1, b64) VALUES
  (1, 'small', 'ä', 'r,b', 1901, 0, 0), (2, 'größer', 'b', '', 2155, 1, 18446744073709551615),
  (3, '', NULL, NULL, NULL, NULL, NULL), (4, 2, 1, 15, 0, b'1', b'1010'), (5, 3, 2, 'ö,r', '70', 1, 258);
INSERT INTO choices (id) VALUES (6);
UPDATE choices SET e = 'small', s = CONCAT(s, ',g'), s9 = '1,9', y = y + 1, b12 = b12 << 1 WHERE id IN (1, 4, 6);
UPDATE choices SET b64 = b64 - 1 WHERE e = 'größer' AND b64 > 300;
DELETE FROM choices WHERE lat = 'b' AND y = 1970;
ALTER TABLE choices MODIFY e ENUM('small', 'it''s', 'größer', '', 'new') NOT NULL DEFAULT 'new', ADD COLUMN z ENUM('p', 'q') AFTER y;
INSERT INTO choices (id, z) VALUES (7, 'q');
ALTER TABLE choices MODIFY s VARCHAR(20), MODIFY z ENUM('q', 'p');
