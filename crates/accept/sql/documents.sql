-- JSON, changed in every way that the binlog knows, and collations. Apart from the other types, as MariaDB does not know
-- them.
CREATE TABLE documents (id INT PRIMARY KEY, j JSON, k JSON NOT NULL, v VARCHAR(10));
INSERT INTO documents VALUES
  (1, '{"b": [1, 2.5, "x", {}], "a": {"ä": null}}', '[]', 'a'), (2, NULL, 'null', NULL), (3, '"text"', '18446744073709551615', 'b'),
  (4, '[true, false, -1, 32768, 70000, 5000000000, 1e300]', '{"": "", "long name": []}', 'c');
UPDATE documents SET j = '{"a": 1}', v = 'd' WHERE id = 3;
UPDATE documents SET k = CONCAT('[', REPEAT('"abcdefgh", ', 9000), '0]') WHERE id = 4;
DELETE FROM documents WHERE id = 1;
ALTER TABLE documents ADD COLUMN l JSON AFTER id;
INSERT INTO documents (id, k) VALUES (5, '0.1');

-- What is a duplicate depends on the collation, which only a variable says: to utf8mb4_general_ci there are three here.
SET default_collation_for_utf8mb4 = utf8mb4_0900_ai_ci;
CREATE TABLE words (w VARCHAR(20) PRIMARY KEY, a VARCHAR(20) COLLATE utf8mb4_0900_as_ci UNIQUE,
  c VARCHAR(20) COLLATE utf8mb4_0900_as_cs UNIQUE, b VARCHAR(20) COLLATE utf8mb4_0900_bin UNIQUE,
  u VARCHAR(20) COLLATE utf8mb4_unicode_ci UNIQUE, v VARCHAR(20) COLLATE utf8mb4_unicode_520_ci UNIQUE)
  CHARACTER SET utf8mb4;
INSERT INTO words VALUES ('s', 'e', 'a', 'x', 's', 's'), ('ß', 'é', 'A', 'x ', 'ß', 'ß'), ('😀', 'ê', 'Á', '', '😀', '😀'),
  ('😁', 'ë', 'á', ' ', '', '😁'), ('x', 'ē', 'ａ', 'X', 'x', 'x'), ('x ', 'ĕ', 'ª', 'ｘ', 'y', 'y');
UPDATE words SET w = UPPER(w) WHERE w IN ('SS', 'X');
DELETE FROM words WHERE w > 'S' AND w < 'SS';
