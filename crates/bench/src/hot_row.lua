-- All clients update one row, each in a transaction of its own: what row locks that are held across a sync cost.

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt = con:prepare("UPDATE counter SET n = n + 1 WHERE id = 1")
end

function thread_done()
   stmt:close()
   con:disconnect()
end

function event()
   stmt:execute()
end

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE counter (id INT NOT NULL PRIMARY KEY, n BIGINT NOT NULL) ENGINE = InnoDB")
   con:query("INSERT INTO counter VALUES (1, 0)")
   con:disconnect()
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS counter")
   con:disconnect()
end
