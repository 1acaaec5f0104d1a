package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestZZ(t *testing.T) {
	text := write(rand.New(rand.NewPCG(1, 2)))
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	w := begin(t, s)
	for range 130 {
		w.next(t, text)
	}
	db, _ := sql.Open("sqlite", path)
	name := map[int]string{}
	rows, err := db.Query("SELECT name, pageno, pagetype FROM dbstat")
	for err == nil && rows.Next() {
		var n, ty string
		var a int
		rows.Scan(&n, &a, &ty)
		name[a] = n + "/" + ty
	}
	data, _ := os.ReadFile(path + "-wal")
	F := 4096 + 24
	for off := 32; off+F <= len(data); off += F {
		pg := int(data[off])<<24 | int(data[off+1])<<16 | int(data[off+2])<<8 | int(data[off+3])
		cm := int(data[off+4])<<24 | int(data[off+5])<<16 | int(data[off+6])<<8 | int(data[off+7])
		if off > len(data)-F*60 {
			fmt.Print(pg, name[pg], " ")
			if cm != 0 {
				fmt.Println()
			}
		}
	}
}
