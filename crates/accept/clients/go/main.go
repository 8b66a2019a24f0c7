// go-sql-driver against a server: SOCKET PORT USER PASSWORD. Prints ok.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(net, address, user, password string) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = net, address, user, password, user
	config.ParseTime = true
	db, err := sql.Open("mysql", config.FormatDSN())
	must(err)
	defer db.Close()
	must(db.Ping())
	_, err = db.Exec("CREATE TABLE t (id BIGINT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(50), f DOUBLE, at DATETIME(6))")
	must(err)
	at := time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)
	result, err := db.Exec("INSERT INTO t (v, f, at) VALUES (?, ?, ?)", "döner", -0.5, at)
	must(err)
	if id, _ := result.LastInsertId(); id != 1 {
		must(fmt.Errorf("last insert id %d", id))
	}
	trx, err := db.Begin()
	must(err)
	_, err = trx.Exec("DELETE FROM t")
	must(err)
	must(trx.Rollback())
	var v string
	var f float64
	var found time.Time
	must(db.QueryRow("SELECT v, f, at FROM t WHERE id = ?", 1).Scan(&v, &f, &found))
	if v != "döner" || f != -0.5 || !found.Equal(at) {
		must(fmt.Errorf("read %v %v %v", v, f, found))
	}
	_, err = db.Exec("INSERT INTO t (id) VALUES (1)")
	var mysqlError *mysql.MySQLError
	if !errors.As(err, &mysqlError) || mysqlError.Number != 1062 {
		must(fmt.Errorf("a duplicate gives %v", err))
	}
	// The pool opens several connections at once.
	var all sync.WaitGroup
	for client := 0; client < 16; client++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; n < 20; n++ {
				_, err := db.Exec("UPDATE t SET f = f + 1 WHERE id = 1")
				must(err)
			}
		}()
	}
	all.Wait()
	must(db.QueryRow("SELECT f FROM t").Scan(&f))
	if f != 319.5 {
		must(fmt.Errorf("after 320 updates %v", f))
	}
	_, err = db.Exec("DROP TABLE t")
	must(err)
}

func main() {
	socket, port, user, password := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	work("tcp", "127.0.0.1:"+port, user, password)
	work("unix", socket, user, password)
	fmt.Println("ok")
}
