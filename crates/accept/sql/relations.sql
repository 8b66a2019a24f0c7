-- Foreign keys: every action, defined and changed in every way. MariaDB and MySQL before 9.6 do not log what follows.
CREATE TABLE parents (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL, a INT, b INT, UNIQUE KEY code (code), UNIQUE KEY ab (a, b));
CREATE TABLE followers (
  id INT PRIMARY KEY, parent INT NOT NULL, note VARCHAR(20),
  CONSTRAINT by_parent FOREIGN KEY (parent) REFERENCES parents (id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE labels (
  id INT PRIMARY KEY, code VARCHAR(30),
  CONSTRAINT by_code FOREIGN KEY (code) REFERENCES parents (code) ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE grandchildren (
  id INT AUTO_INCREMENT PRIMARY KEY, follower INT, x INT DEFAULT 1,
  FOREIGN KEY (follower) REFERENCES followers (id) ON DELETE CASCADE ON UPDATE SET NULL);
CREATE TABLE pairs (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY (a, b) REFERENCES parents (a, b) ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE strict_ones (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parents (id));
CREATE TABLE tree (id INT PRIMARY KEY, up INT, KEY up (up), CONSTRAINT up FOREIGN KEY (up) REFERENCES tree (id) ON DELETE CASCADE);
CREATE TABLE keyless (parent INT, v INT, FOREIGN KEY (parent) REFERENCES parents (id) ON DELETE CASCADE ON UPDATE SET NULL);
INSERT INTO parents VALUES (1, 'one', 1, 1), (2, 'two', 1, 2), (3, 'three', 2, 1), (4, 'four', 2, 2), (5, 'five', NULL, 3), (6, 'six', 3, 3);
INSERT INTO followers VALUES (10, 1, 'a'), (11, 1, 'b'), (20, 2, 'c'), (30, 3, 'd'), (40, 4, 'e'), (60, 6, 'f');
INSERT INTO labels VALUES (1, 'one'), (2, 'two'), (3, NULL), (4, 'THREE'), (5, 'one'), (6, 'six');
INSERT INTO grandchildren (follower) VALUES (10), (10), (11), (20), (30), (40), (NULL), (60);
INSERT INTO pairs VALUES (1, 1, 1), (2, 1, 2), (3, NULL, 9), (4, 3, 3), (5, 2, 2);
INSERT INTO strict_ones VALUES (1, 5), (2, NULL), (3, 4);
INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 1), (4, 2), (5, 4), (6, 6), (7, 6), (8, NULL), (9, 8);
INSERT INTO keyless VALUES (1, 1), (1, 1), (2, 2), (3, 3), (NULL, 4);
UPDATE parents SET id = 100, code = 'hundred' WHERE id = 1;
UPDATE parents SET a = 9 WHERE id = 2;
UPDATE followers SET id = 31 WHERE id = 30;
DELETE FROM parents WHERE id = 2;
DELETE FROM tree WHERE id = 2;
DELETE FROM tree WHERE id = 6;
DELETE FROM keyless WHERE v = 4;
BEGIN;
INSERT INTO parents VALUES (7, 'seven', 7, 7);
INSERT INTO followers VALUES (70, 7, 'g'), (71, 7, 'h');
INSERT INTO labels VALUES (7, 'seven'), (8, 'six');
INSERT INTO grandchildren (follower) VALUES (70), (71), (71);
DELETE FROM parents WHERE id = 6;
UPDATE parents SET code = 'SEVEN' WHERE id = 7;
COMMIT;
REPLACE INTO labels VALUES (7, 'SEVEN'), (9, 'four');
INSERT INTO parents VALUES (7, 'x', 7, 8) ON DUPLICATE KEY UPDATE b = VALUES(b);
ALTER TABLE grandchildren ADD COLUMN parent INT, ADD CONSTRAINT far FOREIGN KEY (parent) REFERENCES parents (id) ON DELETE SET NULL;
UPDATE grandchildren SET parent = 3 WHERE follower = 31 OR follower IS NULL;
DELETE FROM parents WHERE id = 3;
ALTER TABLE grandchildren DROP FOREIGN KEY far, DROP COLUMN parent;
ALTER TABLE parents CHANGE id number INT NOT NULL;
RENAME TABLE parents TO elders;
UPDATE elders SET number = 101 WHERE number = 100;
ALTER TABLE followers RENAME COLUMN parent TO elder;
ALTER TABLE strict_ones ADD INDEX by_elder (parent, id);
SET foreign_key_checks = 0;
INSERT INTO strict_ones VALUES (9, 999);
DELETE FROM elders WHERE number = 7;
TRUNCATE TABLE tree;
CREATE TABLE early (id INT PRIMARY KEY, late INT, FOREIGN KEY (late) REFERENCES late (id) ON DELETE CASCADE);
INSERT INTO early VALUES (1, 1), (2, NULL);
CREATE TABLE late (id INT PRIMARY KEY);
SET foreign_key_checks = 1;
INSERT INTO late VALUES (1), (2);
INSERT INTO early VALUES (3, 2);
DELETE FROM late WHERE id = 1;
CREATE TABLE gone (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES elders (number) ON DELETE CASCADE);
INSERT INTO gone SELECT number FROM elders;
DROP TABLE gone;

-- Checks.
CREATE TABLE checked (id INT PRIMARY KEY, n INT CHECK (n > 0), s VARCHAR(20), CONSTRAINT low CHECK (n < 100),
  CONSTRAINT s_long CHECK (CHAR_LENGTH(s) < 10 OR s LIKE 'it''s\_%'), CHECK (NOT (n IN (13, 17) AND s IS NULL)));
INSERT INTO checked VALUES (1, 1, 'a'), (2, NULL, NULL), (3, 99, 'it''s_longer_than_ten'), (4, 13, 'b');
ALTER TABLE checked ADD CONSTRAINT later CHECK (n <> 7), DROP CONSTRAINT low;
UPDATE checked SET n = n + 1000 WHERE n > 50;
INSERT IGNORE INTO checked VALUES (5, 7, 'no'), (6, 8, 'yes'), (7, -1, 'no');
-- What is NULL without strictness passes; a replica is as lenient.
CREATE TABLE lenient (id INT PRIMARY KEY, a INT, s VARCHAR(9), CHECK (1 / a > 0), CHECK (s + 0 > 0));
SET sql_mode = '';
INSERT INTO lenient VALUES (1, 0, '1abc');
SET sql_mode = DEFAULT;
