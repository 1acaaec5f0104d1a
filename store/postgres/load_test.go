//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
)

const writers = 8 // half of them on one context, each other on its own

// load has writers commit turns, each with a request token, while trouble lasts.
// A writer that gets an error repeats the call with the same token. Afterwards every
// token that was acknowledged is in the log of its context once, every history is
// one line, and nothing is damaged.
func load(t *testing.T, open func() *engine.Engine, trouble func()) {
	t.Helper()
	stores := []*engine.Engine{open(), open()} // as two processes have them
	names := make([]string, writers)
	for i := range names {
		names[i] = "shared"
		if i%2 == 0 {
			names[i] = fmt.Sprint("own ", i)
		}
	}
	for _, name := range append(names[:0:0], "shared", names[0], names[2], names[4], names[6]) {
		_, err := pact.Create(t.Context(), dbtest.Of(stores[0]), name, nil)
		must(t, err)
	}
	w := &work{acknowledged: make(map[string][]string)}
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() { w.write(ctx, t, stores[i/2%2], name, i) })
	}
	trouble()
	stop()
	wait.Wait()
	t.Logf("%d acknowledged, %d conflicts, errors: %v", w.count, w.conflicts.Load(), w.errors)
	if w.count < 2*writers {
		t.Error("few commits came through")
	}
	for name, tokens := range w.acknowledged {
		sound(t, stores[0], name, tokens)
	}
	damage, err := stores[0].CheckAll(t.Context())
	if damage != nil || err != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}

// work counts what the writers did.
type work struct {
	mu           sync.Mutex
	acknowledged map[string][]string // tokens by context
	count        int
	errors       map[fault.Code]int
	conflicts    atomic.Int64
}

// write commits turns until the context ends.
func (w *work) write(ctx context.Context, t *testing.T, s *engine.Engine, name string, writer int) {
	var c *pact.Context
	var err error
	for n := 0; ctx.Err() == nil; {
		token := fmt.Sprint(writer, "-", n)
		if c == nil {
			c, err = pact.Open(t.Context(), dbtest.Of(s), name, nil)
		}
		if err == nil {
			_, err = put(t, c, token, "turn "+token)
		}
		switch {
		case err == nil:
			w.mu.Lock()
			w.acknowledged[name], w.count = append(w.acknowledged[name], token), w.count+1
			w.mu.Unlock()
			n++
		case errors.Is(err, fault.Conflict):
			w.conflicts.Add(1)
			err = c.Refresh(t.Context())
		default:
			w.mu.Lock()
			if w.errors == nil {
				w.errors = make(map[fault.Code]int)
			}
			if w.errors[fault.CodeOf(err)]++; fault.CodeOf(err) == "" {
				t.Errorf("an error without a code: %v", err)
			}
			w.mu.Unlock()
			c, err = nil, nil
		}
	}
}

// sound holds the log of a context to what was acknowledged.
func sound(t *testing.T, s *engine.Engine, name string, tokens []string) {
	t.Helper()
	info, err := s.Find(t.Context(), name)
	must(t, err)
	entries, err := s.Log(t.Context(), info.Key, 1, info.Revision)
	must(t, err)
	times, cycle := make(map[string]int), int64(0)
	for i, e := range entries {
		if e.Revision != int64(i)+1 {
			t.Errorf("%s: revision %d stands at %d", name, e.Revision, i+1)
		}
		if e.Kind == history.Commit {
			if cycle++; e.Cycle != cycle {
				t.Errorf("%s: commit %d published cycle %d", name, cycle, e.Cycle)
			}
			times[e.Request]++
		}
	}
	for _, token := range tokens {
		if times[token] != 1 {
			t.Errorf("%s: the acknowledged commit %s is there %d times", name, token, times[token])
		}
	}
	for token, n := range times {
		if n != 1 {
			t.Errorf("%s: commit %s was carried out %d times", name, token, n)
		}
	}
	if damage, err := s.Check(t.Context(), info.Key); damage != nil || err != nil {
		t.Errorf("%s: %+v, %v", name, damage, err)
	}
	trees, err := engine.Collect(s.History(t.Context(), info.Key, info.First, info.Cycle))
	if err != nil || int64(len(trees)) != cycle {
		t.Errorf("%s: %d snapshots of %d, %v", name, len(trees), cycle, err)
	}
}

// Nothing that was acknowledged is lost when the server is killed, and after it is
// there again writers go on.
func TestServerKilled(t *testing.T) {
	s := server(t)
	address := databaseOf(t, s)
	load(t, func() *engine.Engine { return open(t, address) }, func() {
		for range 4 {
			time.Sleep(500 * time.Millisecond)
			s.Kill()
			if err := s.Run(); err != nil {
				t.Error(err)
				return
			}
		}
		time.Sleep(500 * time.Millisecond)
	})
}

// A change whose connection is cut, at any moment, is made once or not at all.
func TestConnectionsCut(t *testing.T) {
	s := server(t)
	p := intercept(t, s.Socket())
	address := postgrestest.Address("127.0.0.1", p.port, databaseName(t, databaseOf(t, s)))
	load(t, func() *engine.Engine { return open(t, address) }, func() {
		for range 100 {
			time.Sleep(20 * time.Millisecond)
			p.cut()
		}
		time.Sleep(500 * time.Millisecond)
	})
	t.Logf("%d connections were cut", p.cuts)
}

// Where the server asks for a transaction to be repeated, it is: in the middle of
// one and at its end.
func TestSerializationFailures(t *testing.T) {
	address := postgrestest.Database(t)
	name := databaseName(t, address)
	postgrestest.Exec(t, address, "ALTER DATABASE "+name+" SET default_transaction_isolation = 'serializable'")
	must(t, open(t, address).Close())
	postgrestest.Exec(t, address, `CREATE SEQUENCE thrown;
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF random() < 0.2 THEN
				PERFORM nextval('thrown');
				RAISE EXCEPTION USING ERRCODE = '40001';
			END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER within BEFORE INSERT ON pair FOR EACH STATEMENT EXECUTE FUNCTION fail();
		CREATE CONSTRAINT TRIGGER finally AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	load(t, func() *engine.Engine { return open(t, address) }, func() { time.Sleep(2 * time.Second) })
	thrown := postgrestest.Exec(t, address, "SELECT last_value FROM thrown")
	t.Logf("thrown: %s", thrown[0][0])
	if len(thrown[0][0]) < 2 {
		t.Error("few transactions were refused")
	}
}
