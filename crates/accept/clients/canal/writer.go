package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-mysql-org/go-mysql/canal"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

type image map[string]*string

// line is what is written for a change.
type line struct {
	Trx      string `json:"trx"`
	Op       string `json:"op"`
	Database string `json:"database"`
	Table    string `json:"table"`
	Before   image  `json:"before"`
	After    image  `json:"after"`
}

// writer collects the changes of a transaction and writes them when it ends.
type writer struct {
	canal.DummyEventHandler
	out     *os.File
	gtids   bool
	gtid    string
	written string
	changes []line
}

func (w *writer) OnGTID(_ *replication.EventHeader, event mysql.BinlogGTIDEvent) error {
	// A transaction begins; what is left of one that broke off comes again.
	w.changes = w.changes[:0]
	if !w.gtids {
		return nil
	}
	set, err := event.GTIDNext()
	if err != nil {
		return err
	}
	w.gtid = set.String()
	return nil
}

func (w *writer) OnRow(event *canal.RowsEvent) error {
	step := 1
	if event.Action == canal.UpdateAction {
		step = 2
	}
	for at := 0; at < len(event.Rows); at += step {
		change := line{Op: event.Action, Database: event.Table.Schema, Table: event.Table.Name}
		first, err := row(event, at)
		if err != nil {
			return err
		}
		switch event.Action {
		case canal.InsertAction:
			change.After = first
		case canal.DeleteAction:
			change.Before = first
		default:
			change.Before = first
			if change.After, err = row(event, at+1); err != nil {
				return err
			}
		}
		w.changes = append(w.changes, change)
	}
	return nil
}

func row(event *canal.RowsEvent, at int) (image, error) {
	columns, values := event.Table.Columns, event.Rows[at]
	if len(columns) != len(values) {
		return nil, fmt.Errorf("%s has %d columns, the row has %d", event.Table, len(columns), len(values))
	}
	result := image{}
	for nth, value := range values {
		shown, err := text(&columns[nth], value)
		if err != nil {
			return nil, err
		}
		result[columns[nth].Name] = shown
	}
	return result, nil
}

func (w *writer) OnXID(_ *replication.EventHeader, next mysql.Position) error {
	trx := fmt.Sprintf("%s:%d", next.Name, next.Pos)
	if w.gtids {
		trx = w.gtid
	}
	if trx == w.written {
		// When canal connects again by itself, it asks for the last transaction once more.
		return nil
	}
	out := bufio.NewWriterSize(w.out, 1<<20)
	encoder := json.NewEncoder(out)
	for _, change := range w.changes {
		change.Trx = trx
		if err := encoder.Encode(change); err != nil {
			return err
		}
	}
	w.changes = w.changes[:0]
	w.written = trx
	return out.Flush()
}

// open opens a file to append to, and cuts its last transaction; returns the one before that.
func open(path string) (*os.File, string, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, "", err
	}
	var before, last string
	var begin, offset int64
	lines := bufio.NewReader(file)
	for {
		// What has no end is a part of the last transaction, or of the one that would follow.
		data, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var known line
		if err := json.Unmarshal(data, &known); err != nil {
			return nil, "", err
		}
		if known.Trx != last {
			before, last, begin = last, known.Trx, offset
		}
		offset += int64(len(data))
	}
	return file, before, file.Truncate(begin)
}
