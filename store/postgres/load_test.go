//go:build unix

package postgres_test

import (
	"testing"
	"time"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
)

// load has eight writers commit turns through two pools while trouble lasts, four on contexts of their own
// and four on one. A writer that gets an error repeats the call with the same token. Afterwards every
// token that was acknowledged is in the log of its context once, every history is one line, and nothing is
// damaged.
func load(t *testing.T, address, direct string, trouble func()) {
	t.Helper()
	soak(t, address, direct, 4, 4, 2, trouble)
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
	load(t, address, address, func() {
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
	direct := databaseOf(t, s)
	load(t, postgrestest.Address("127.0.0.1", p.port, databaseName(t, direct)), direct, func() {
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
	load(t, address, address, func() { time.Sleep(2 * time.Second) })
	thrown := postgrestest.Exec(t, address, "SELECT last_value FROM thrown")
	t.Logf("thrown: %s", thrown[0][0])
	if len(thrown[0][0]) < 2 {
		t.Error("few transactions were refused")
	}
}
