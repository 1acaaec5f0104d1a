package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/sqlstore"
	"github.com/contexttree/pact/store/sqlite"
)

// spy is a driver that counts the queries that go through it, and their rows.
type spy struct {
	inner driver.Driver
	path  string

	mu            sync.Mutex
	queries, rows map[string]int
}

func (s *spy) Connect(context.Context) (driver.Conn, error) {
	c, err := s.inner.Open(s.path)
	return spyConn{c, s}, err
}

func (s *spy) Driver() driver.Driver { return s.inner }

func (s *spy) count(of map[string]int, query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of[query]++
}

// matching is the sum of what was counted for the queries with a text in them.
func (s *spy) matching(of map[string]int, text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for query, k := range of {
		if strings.Contains(query, text) {
			n += k
		}
	}
	return n
}

type spyConn struct {
	driver.Conn
	spy *spy
}

func (c spyConn) Prepare(query string) (driver.Stmt, error) {
	st, err := c.Conn.Prepare(query)
	return spyStmt{st, c.spy, query}, err
}

func (c spyConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

type spyStmt struct {
	driver.Stmt
	spy   *spy
	query string
}

func (s spyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.spy.count(s.spy.queries, s.query)
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	return spyRows{rows, s}, err
}

type spyRows struct {
	driver.Rows
	of spyStmt
}

func (r spyRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == nil {
		r.of.spy.count(r.of.spy.rows, r.of.query)
	}
	return err
}

// watched opens the file of a store so that its queries are counted.
func watched(t *testing.T, path string) (*sqlstore.Store, *spy) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	s := &spy{inner: db.Driver(), path: path, queries: map[string]int{}, rows: map[string]int{}}
	must(t, db.Close())
	db = sql.OpenDB(s)
	db.SetMaxOpenConns(2)
	st, err := sqlstore.New(t.Context(), db, db, sqlstore.Dialect{
		IsConstraint: func(error) bool { return false },
		Explain:      func(error) (fault.Code, string, string) { return fault.Store, "", "" },
		BeginWrite:   func(_ context.Context, begin func() error) error { return begin() },
		CheckFiles:   func() error { return nil },
		AfterCommit:  func(context.Context, *sql.Conn) error { return nil },
	})
	must(t, err)
	t.Cleanup(func() { st.Close() })
	return st, s
}

const (
	lookUpOne  = "birth = ? AND id = ?" // reads through what was born in a cycle
	lookUpAll  = "birth = ? AND id IS NOT NULL"
	lookUpName = "AND named = 1 AND birth <= ?"
)

// A process that opens a file and changes thousands of nodes that were born in
// one cycle reads through that cycle a few times, not once for each of them,
// whether they are drafts or published, and changed at once or one by one.
func TestManyNodesOfOneCycleAreLookedUpTogether(t *testing.T) {
	testrun.OneGoroutine(t)
	for _, published := range []bool{false, true} {
		for _, oneByOne := range []bool{false, true} {
			for _, n := range []int{150, 600} {
				name := fmt.Sprintf("published %v, one by one %v, %d nodes", published, oneByOne, n)
				path := filepath.Join(t.TempDir(), "pact.db")
				first, err := sqlite.Open(t.Context(), path)
				must(t, err)
				c, err := pact.Create(t.Context(), first, "c", nil)
				must(t, err)
				var ids []string
				must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
					for range n {
						id := b.Add("^sys", pact.Spec{Content: "old"})
						ids = append(ids, id)
					}
					return nil
				}, nil))
				if published {
					_, err = c.Commit(t.Context(), nil)
					must(t, err)
				}
				must(t, first.Close())

				s, spy := watched(t, path)
				c, err = pact.Open(t.Context(), s, "c", nil)
				must(t, err)
				update := func(ids ...string) {
					must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
						for _, id := range ids {
							b.Update(id, map[string]any{"content": "new " + id})
						}
						return nil
					}, nil))
				}
				if oneByOne {
					for _, id := range ids {
						update(id)
					}
				} else {
					update(ids...)
				}
				scans, read := spy.matching(spy.queries, lookUpOne)+spy.matching(spy.queries, lookUpAll),
					spy.matching(spy.rows, lookUpAll)
				if names := spy.matching(spy.queries, lookUpName); scans > 12 || read > n+8 || names > n+8 {
					t.Errorf("%s: the cycle was read through %d times, %d of its rows taken, %d names looked up", name, scans, read,
						names)
				}
				want := c.Working().Digest()
				reread, err := pact.Open(t.Context(), store.Complete(s), "c", nil)
				must(t, err)
				if got := reread.Working().Digest(); got != want {
					t.Errorf("%s: read again it has the digest %s, want %s", name, got, want)
				}
			}
		}
	}
}

// What was learned of a cycle stays right over commits, removals, new drafts
// and in a fork, which finds the same nodes in the rows of its origin.
func TestWhatWasLearnedOfACycleStaysRight(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db"))
	must(t, err)
	defer s.Close()
	c, err := pact.Create(t.Context(), s, "c", nil)
	must(t, err)
	const n = 40
	id := func(i int) string { return fmt.Sprintf("block:1-%d", i) }
	edit := func(c *pact.Context, f func(b *pact.Batch) error) {
		t.Helper()
		must(t, c.Edit(t.Context(), f, nil))
		again, err := pact.Open(t.Context(), s, c.Name(), nil)
		must(t, err)
		if got, want := again.Working().Digest(), c.Working().Digest(); got != want {
			t.Fatalf("cycle %d of %s, read again: %s, want %s", c.Working().Cycle(), c.Name(), got, want)
		}
	}
	edit(c, func(b *pact.Batch) error {
		for range n {
			b.Add("^sys", pact.Spec{Content: "old"})
		}
		return nil
	})
	_, err = c.Commit(t.Context(), nil)
	must(t, err)
	fork, err := c.Fork(t.Context(), pact.Latest, "f", nil)
	must(t, err)
	for _, c := range []*pact.Context{c, fork} {
		for round := range 3 {
			edit(c, func(b *pact.Batch) error {
				for i := range n {
					if !b.Has(id(i)) {
						continue
					}
					if i%7 == round {
						b.Remove(id(i))
						continue
					}
					b.Update(id(i), map[string]any{"content": fmt.Sprint(round, i)})
				}
				b.Add("^sys", pact.Spec{Content: "more"})
				return nil
			})
			edit(c, func(b *pact.Batch) error {
				b.Update(id(5), map[string]any{"content": fmt.Sprint("again", round)})
				return nil
			})
			_, err := c.Commit(t.Context(), nil)
			must(t, err)
		}
	}
}
