package pact_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"testing"
)

// tamper replaces a text by another of the same length in every value of a file, and returns how
// many values that changes. If forged, the sums of records are made to fit, as an attacker does.
func tamper(t testing.TB, path, old, new string, forged bool) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	for _, table := range []string{"pair", "log"} {
		rows, err := db.Query("SELECT rowid, value FROM " + table)
		must(t, err)
		changed := make(map[int64][]byte)
		for rows.Next() {
			var id int64
			var value []byte
			must(t, rows.Scan(&id, &value))
			if to := bytes.ReplaceAll(value, []byte(old), []byte(new)); !bytes.Equal(to, value) {
				if forged && table == "log" {
					forge(to)
				}
				changed[id] = to
			}
		}
		must(t, rows.Err())
		for id, value := range changed {
			_, err := db.Exec("UPDATE "+table+" SET value = ? WHERE rowid = ?", value, id)
			must(t, err)
		}
		n += len(changed)
	}
	return n
}

// forge makes the sums of a record fit what it says: one of its entry with the nodes, whose length
// is written before them, and one of its contents.
func forge(record []byte) {
	const sum = 16
	sign := func(b []byte) {
		s := sha256.Sum256(b[:len(b)-sum])
		copy(b[len(b)-sum:], s[:sum])
	}
	head := 5 + int(binary.BigEndian.Uint32(record[1:])) + sum
	if sign(record[:head]); len(record) > head {
		sign(record[head:])
	}
}
