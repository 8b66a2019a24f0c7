// Command canal follows a server with go-mysql's canal: PORT FILE gtid|position.
//
// It appends a line of JSON to FILE for each change of the database cdc: trx, op, database, table, before, after;
// values as text, see interop/values.rs. A transaction is written whole when its end has come, so it may be killed at
// any time: when it starts, it cuts the last transaction of FILE, which may be half, and goes on behind the one before.
package main

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-mysql-org/go-mysql/canal"
	"github.com/go-mysql-org/go-mysql/mysql"
	pingcap "github.com/pingcap/errors"
)

const database = "cdc"

func main() {
	port, path, gtids := os.Args[1], os.Args[2], os.Args[3] == "gtid"
	for {
		err := follow(port, path, gtids)
		if !away(err) {
			slog.Error("ended", "error", pingcap.ErrorStack(err))
			os.Exit(1)
		}
		slog.Info("away", "error", err)
		time.Sleep(200 * time.Millisecond)
	}
}

// follow returns when the server is lost, or at an error.
func follow(port, path string, gtids bool) error {
	out, last, err := open(path)
	if err != nil {
		return err
	}
	defer out.Close()
	config := canal.NewDefaultConfig()
	config.Addr = "127.0.0.1:" + port
	config.User = "cdc"
	config.Charset = mysql.DEFAULT_CHARSET
	config.ServerID = 4002
	config.IncludeTableRegex = []string{"^" + database + `\..*`}
	config.Dump.ExecutionPath = ""
	config.TimestampStringLocation = time.UTC
	config.HeartbeatPeriod = time.Second
	config.ReadTimeout = 30 * time.Second
	// By itself it goes on within a transaction, without the table maps that came before; with GTIDs at its begin.
	config.DisableRetrySync = !gtids
	it, err := canal.NewCanal(config)
	if err != nil {
		return err
	}
	defer it.Close()
	it.SetEventHandler(&writer{out: out, gtids: gtids})
	if last == "" {
		file, err := oldest(it)
		if err != nil {
			return err
		}
		if gtids {
			// The empty set would mean the place, so say which other server's transactions are known.
			set, err := mysql.ParseGTIDSet(mysql.MySQLFlavor, "00000000-0000-0000-0000-000000000001:1")
			if err != nil {
				return err
			}
			return it.StartFromGTID(set)
		}
		return it.RunFrom(mysql.Position{Name: file, Pos: 4})
	}
	colon := strings.LastIndexByte(last, ':')
	number, err := strconv.ParseUint(last[colon+1:], 10, 64)
	if err != nil {
		return err
	}
	if gtids {
		set, err := mysql.ParseGTIDSet(mysql.MySQLFlavor, last[:colon]+":1-"+strconv.FormatUint(number, 10))
		if err != nil {
			return err
		}
		return it.StartFromGTID(set)
	}
	return it.RunFrom(mysql.Position{Name: last[:colon], Pos: uint32(number)})
}

// oldest names the first binlog file.
func oldest(it *canal.Canal) (string, error) {
	files, err := it.Execute("SHOW BINARY LOGS")
	if err != nil {
		return "", err
	}
	return files.GetString(0, 0)
}

// away says whether an error means that the server is not there, or was lost.
func away(err error) bool {
	for _, known := range []error{io.EOF, io.ErrUnexpectedEOF, mysql.ErrBadConn, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, known) || errors.Is(pingcap.Cause(err), known) {
			return true
		}
	}
	return false
}
