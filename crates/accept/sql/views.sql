-- Views of every kind that servers have in common; dumps make tables of their names first and exchange them at the end.
CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(20) NOT NULL, amount DECIMAL(10,2) NOT NULL, paid DATE);
CREATE TABLE customers (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
INSERT INTO orders VALUES (1, 'ann', 10.5, '2024-01-01'), (2, 'ann', 4, NULL), (3, 'bob', 7.25, '2024-02-29'), (4, 'zoe', 1, NULL);
INSERT INTO customers VALUES ('ann', 'Oslo'), ('bob', 'M''ünchen'), ('cid', NULL);
CREATE VIEW all_orders AS SELECT * FROM orders;
CREATE VIEW due AS SELECT id, customer, amount FROM orders WHERE paid IS NULL;
CREATE VIEW a_total (who, total, number) AS SELECT customer, SUM(amount), COUNT(*) FROM orders GROUP BY customer HAVING SUM(amount) > 1;
CREATE SQL SECURITY INVOKER VIEW towns AS SELECT c.name, UPPER(c.town) AS town, t.total FROM customers c LEFT JOIN a_total t ON t.who = c.name;
CREATE VIEW both_names AS SELECT name, 'customer' AS kind FROM customers UNION SELECT customer, 'order' FROM orders;
CREATE VIEW of_checked AS SELECT id, amount FROM orders WHERE amount > 2 WITH CASCADED CHECK OPTION;
CREATE VIEW `a ``quoted`` name` AS SELECT id AS `an ``id```, "it's" AS text FROM orders WHERE EXISTS (SELECT 1 FROM customers WHERE name = customer);
