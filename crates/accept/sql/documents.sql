-- JSON, changed in every way that the binlog knows. Apart from the other types, as MariaDB cannot follow it.
CREATE TABLE documents (id INT PRIMARY KEY, j JSON, k JSON NOT NULL, v VARCHAR(10));
INSERT INTO documents VALUES
  (1, '{"b": [1, 2.5, "x", {}], "a": {"ä": null}}', '[]', 'a'), (2, NULL, 'null', NULL), (3, '"text"', '18446744073709551615', 'b'),
  (4, '[true, false, -1, 32768, 70000, 5000000000, 1e300]', '{"": "", "long name": []}', 'c');
UPDATE documents SET j = '{"a": 1}', v = 'd' WHERE id = 3;
UPDATE documents SET k = CONCAT('[', REPEAT('"abcdefgh", ', 9000), '0]') WHERE id = 4;
DELETE FROM documents WHERE id = 1;
ALTER TABLE documents ADD COLUMN l JSON AFTER id;
INSERT INTO documents (id, k) VALUES (5, '0.1');
