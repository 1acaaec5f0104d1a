package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

// turns commits turn after turn, as a program does: edit and commit in one
// durable step.
type turns struct {
	store store.Store
	state store.State
	clock int64
	text  *rand.Rand
}

func begin(t testing.TB, s store.Store) *turns {
	t.Helper()
	w := &turns{store: s, text: rand.New(rand.NewPCG(3, 7))}
	first, stamps, err := tree.New(w.env(), nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Create(t.Context(), store.Genesis{Name: "turns", Edition: "canonical", Tree: first, Stamps: stamps})
	if err != nil {
		t.Fatal(err)
	}
	w.state = store.State{Info: info, Head: first, Working: first.WithCycle(stamps.Cycle)}
	return w
}

func (w *turns) env() tree.Env {
	return tree.Env{
		Vocabulary: tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
		Clock:      func() int64 { w.clock += 1_000_003; return 1_700_000_000_000_000_000 + w.clock },
		Taken:      func(string) (bool, error) { return false, nil },
	}
}

// next makes one turn with a block of text.
func (w *turns) next(t testing.TB, text string) {
	x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
	if _, err := x.Add("^ah", tree.Spec{Role: "user", Kind: "text", Content: text}); err != nil {
		t.Fatal(err)
	}
	sealed, stamps, _, err := lifecycle.Commit(lifecycle.Input{Working: x.Tree(), Stamps: x.Stamps, Env: w.env()})
	if err != nil {
		t.Fatal(err)
	}
	c := store.Change{Before: w.state.Working, After: sealed.WithCycle(stamps.Cycle), Sealed: sealed, Stamps: stamps,
		Entry: store.Entry{Cycle: sealed.Cycle(), TimeNS: stamps.LastNS, Actor: "bench"}}
	if err := w.store.Apply(t.Context(), w.state.Key, store.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision}, c); err != nil {
		t.Fatal(err)
	}
	w.state.Revision++
	w.state.Cycle, w.state.Stamps, w.state.Head, w.state.Working = sealed.Cycle(), stamps, sealed, c.After
}

const textSize = 3700

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
	text := write(rand.New(rand.NewPCG(1, 2)))
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
	db               *sql.DB
	content, headers *sql.Stmt
	n                int64
}

func plainly(b *testing.B) *plain {
	b.Helper()
	q := url.Values{"_txlock": {"immediate"}, "_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_busy_timeout": {"5000"}}
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
	if p.content, err = db.Prepare(`INSERT INTO content (no, body) VALUES (?, ?)`); err != nil {
		b.Fatal(err)
	}
	const row = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	if p.headers, err = db.Prepare(`INSERT INTO header (parent, id, type, "offset", priority, cycle, created_ns, creation_index,
		expiry, headers, content, size, hash) VALUES ` + row + `,` + row + `,` + row + `,` + row); err != nil {
		b.Fatal(err)
	}
	return p
}

func (p *plain) insert(b *testing.B, text string) {
	p.n++
	tx, err := p.db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tx.Stmt(p.content).Exec(p.n, []byte(text)); err != nil {
		b.Fatal(err)
	}
	var args []any
	for i, kind := range []string{"block", "seg", "cont", "^ah"} {
		args = append(args, p.n*4, fmt.Sprintf("%s:%d-%d", kind, p.n, i), kind, int64(0), int64(0), p.n, 1_700_000_000_000_000_000+p.n, int64(i), nil)
		if i == 0 {
			args = append(args, `{"kind":"text","role":"user"}`, p.n, int64(len(text)), make([]byte, 32))
		} else {
			args = append(args, nil, nil, int64(0), nil)
		}
	}
	if _, err := tx.Stmt(p.headers).Exec(args...); err != nil {
		b.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// TestFileSize holds the file of a long conversation to one and a half times
// its content.
func TestFileSize(t *testing.T) {
	const count = 5000
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := begin(t, s)
	for range count {
		w.next(t, write(w.text))
	}
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
