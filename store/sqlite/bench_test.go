package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

const textSize = 3700

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// write returns a text of textSize bytes, another one each time.
func write(r *rand.Rand) string {
	const letters = "abcdefghijklmnop qrstuvwxyz"
	b := make([]byte, textSize)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// BenchmarkCommit compares the durable edit and commit of a turn with what
// anybody would pay to keep the same bytes: content and headers inserted as
// plain rows in one transaction, in a file with the same settings.
func BenchmarkCommit(b *testing.B) {
	text := write(random())
	b.Run("pact", func(b *testing.B) {
		w := begin(b, open(b, filepath.Join(b.TempDir(), "pact.db")))
		w.next(b, text)
		b.SetBytes(textSize)
		b.ReportAllocs()
		for b.Loop() {
			w.next(b, text)
		}
	})
	b.Run("plain", func(b *testing.B) {
		p := plainly(b)
		b.SetBytes(textSize)
		b.ReportAllocs()
		for b.Loop() {
			p.insert(b, text)
		}
	})
	// In turns, so that both meet the same disk: what one costs in the other.
	b.Run("ratio", func(b *testing.B) {
		w := begin(b, open(b, filepath.Join(b.TempDir(), "pact.db")))
		p := plainly(b)
		var pact, plain time.Duration
		for b.Loop() {
			start := time.Now()
			w.next(b, text)
			between := time.Now()
			p.insert(b, text)
			pact, plain = pact+between.Sub(start), plain+time.Since(between)
		}
		b.ReportMetric(float64(pact)/float64(plain), "pact/plain")
	})
}

// plain keeps turns as rows without a history.
type plain struct {
	db                *sql.DB
	contents, headers map[int]*sql.Stmt // by the number of blocks
	n                 int64
}

func plainly(b *testing.B) *plain {
	b.Helper()
	q := url.Values{"_txlock": {"immediate"}, "_journal_mode": {"WAL"}, "_synchronous": {"FULL"},
		"_busy_timeout": {"5000"}}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "plain.db")+"?"+q.Encode())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE content (no INTEGER PRIMARY KEY, body BLOB NOT NULL);
		CREATE TABLE header (no INTEGER PRIMARY KEY, parent INTEGER, id TEXT NOT NULL, type TEXT NOT NULL, "offset" INTEGER NOT NULL,
		priority INTEGER NOT NULL, cycle INTEGER NOT NULL, created_ns INTEGER NOT NULL, creation_index INTEGER NOT NULL,
		expiry INTEGER, headers TEXT, content INTEGER, size INTEGER, hash BLOB)`); err != nil {
		b.Fatal(err)
	}
	p := &plain{db: db}
	const row = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	p.headers = make(map[int]*sql.Stmt)
	p.contents = make(map[int]*sql.Stmt)
	for _, blocks := range []int{1, 4} {
		if p.contents[blocks], err = db.Prepare(`INSERT INTO content (no, body) VALUES (?, ?)` +
			strings.Repeat(`, (?, ?)`, blocks-1)); err != nil {
			b.Fatal(err)
		}
		if p.headers[blocks], err = db.Prepare(`INSERT INTO header (parent, id, type, "offset", priority, cycle, created_ns,
			creation_index, expiry, headers, content, size, hash) VALUES ` + row +
			strings.Repeat(`,`+row, blocks+2)); err != nil {
			b.Fatal(err)
		}
	}
	return p
}

// insert inserts what a turn of a few blocks brings: their contents, and the
// headers of them, the turn, its core and the next active head.
func (p *plain) insert(b *testing.B, texts ...string) {
	p.n++
	tx, err := p.db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	var bodies, args []any
	for i, text := range texts {
		no := p.n*8 + int64(i)
		bodies = append(bodies, no, []byte(text))
		args = append(args, p.n*4, fmt.Sprintf("block:%d-%d", p.n, i), "block", int64(0), int64(0), p.n,
			1_700_000_000_000_000_000+p.n, int64(i), nil, `{"kind":"text","role":"user"}`, no, int64(len(text)),
			make([]byte, 32))
	}
	for i, kind := range []string{"seg", "cont", "^ah"} {
		args = append(args, p.n*4, fmt.Sprintf("%s:%d-%d", kind, p.n, i), kind, int64(0), int64(0), p.n,
			1_700_000_000_000_000_000+p.n, int64(i), nil, nil, nil, int64(0), nil)
	}
	if _, err := tx.Stmt(p.contents[len(texts)]).Exec(bodies...); err != nil {
		b.Fatal(err)
	}
	if _, err := tx.Stmt(p.headers[len(texts)]).Exec(args...); err != nil {
		b.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// long makes a conversation of many turns, of textSize bytes each.
func long(t testing.TB, s engine.Contexts, count int) *turns {
	t.Helper()
	w := begin(t, s)
	text := rand.New(rand.NewPCG(3, 7))
	const step = 50
	for range count / step {
		guard := engine.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision}
		w.collect, w.changes = true, nil
		for range step {
			w.next(t, write(text))
		}
		if err := s.Apply(t.Context(), w.state.Key, guard, w.changes...); err != nil {
			t.Fatal(err)
		}
	}
	w.collect = false
	return w
}

// BenchmarkRead reads a conversation of 5,000 turns without its content.
func BenchmarkRead(b *testing.B) {
	const count = 5000
	s := open(b, filepath.Join(b.TempDir(), "pact.db"))
	key := long(b, s, count).state.Key
	for name, read := range map[string]func() error{
		"load":    func() error { _, err := s.Load(b.Context(), key); return err },
		"history": func() error { _, err := engine.Collect(s.History(b.Context(), key, 1, count)); return err },
		"has":     func() error { _, err := s.Has(b.Context(), key, "block:2500-0"); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestFileSize holds the file of a long conversation to one and a half times
// its content.
func TestFileSize(t *testing.T) {
	testrun.OneGoroutine(t)
	const count = 5000
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	long(t, s, count)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	ratio := float64(info.Size()) / (count * textSize)
	t.Logf("%d turns of %d bytes: %d bytes, %.3f times the content", count, textSize, info.Size(), ratio)
	if ratio > 1.5 {
		t.Errorf("the file is %.3f times its content, more than 1.5", ratio)
	}
}

// BenchmarkErase erases a block of one of the first turns, and next to it lists
// what the same file costs to read whole and to write anew, which no erasure can
// do without.
func BenchmarkErase(b *testing.B) {
	for _, turns := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(turns, " turns"), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "pact.db"))
			w := begin(b, s)
			w.collect = true
			for range turns {
				w.next(b, "a text of some length, different in no turn")
			}
			must(b, s.Apply(b.Context(), w.state.Key, engine.Guard{Revision: 1}, w.changes...))
			must(b, w.load(b.Context(), w.state.Key))
			at := 0
			erase := func(b *testing.B) {
				at++
				_, err := s.Erase(b.Context(), w.state.Key, salted(w, fmt.Sprintf("block:%d-0", at)))
				must(b, err)
				w.state.Revision++
			}
			b.Run("erase", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					erase(b)
				}
			})
			b.Run("read", func(b *testing.B) {
				for b.Loop() {
					_, err := engine.Collect(s.History(b.Context(), w.state.Key, 1, int64(turns)))
					must(b, err)
				}
			})
			b.Run("clean", func(b *testing.B) {
				for b.Loop() {
					_, err := s.Erase(b.Context(), 0, engine.Erase{})
					must(b, err)
				}
			})
		})
	}
}
