package postgres_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/store/postgres"
)

// Of several that open a database at once, one makes the tables.
func TestOpenedAtOnce(t *testing.T) {
	address := postgrestest.Database(t)
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			s, err := on(postgres.Open(t.Context(), address))
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.List(t.Context()); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// A database of another program, or of a newer version of this one, is refused and
// left as it is.
func TestRefused(t *testing.T) {
	other, newer, empty := postgrestest.Database(t), postgrestest.Database(t), postgrestest.Database(t)
	postgrestest.Exec(t, other, "CREATE TABLE log (mine TEXT)")
	must(t, open(t, newer).Close())
	postgrestest.Exec(t, newer, "INSERT INTO pact_store VALUES (1000)")
	must(t, open(t, empty).Close())
	postgrestest.Exec(t, empty, "DELETE FROM pact_store")
	for _, address := range []string{other, newer, empty, "postgres:///none?host=/nowhere", "postgres://%%"} {
		s, err := on(postgres.Open(t.Context(), address))
		if err == nil {
			s.Close()
		}
		if fault.CodeOf(err) != fault.Store {
			t.Errorf("%s: %v", address, err)
		}
		if address == empty && !strings.Contains(err.Error(), "the table pact_store is empty") {
			t.Error(err)
		}
	}
	if made := postgrestest.Exec(t, other, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"); len(made) != 1 {
		t.Errorf("there are %v", made)
	}
}

// A database with the tables that no release had is refused, and left as it is, with the way to
// take its contexts along.
func TestTablesBeforeTheFirstRelease(t *testing.T) {
	old, oneColumn := postgrestest.Database(t), postgrestest.Database(t)
	postgrestest.Exec(t, old, "CREATE TABLE pact_schema (version BIGINT PRIMARY KEY); INSERT INTO pact_schema VALUES (5)")
	must(t, open(t, oneColumn).Close())
	postgrestest.Exec(t, oneColumn, "ALTER TABLE log DROP COLUMN rest")
	for _, open := range []func() (*engine.Engine, error){
		func() (*engine.Engine, error) { return on(postgres.Open(t.Context(), old)) },
		func() (*engine.Engine, error) { return on(postgres.OpenExisting(t.Context(), old)) },
		func() (*engine.Engine, error) { return on(postgres.OpenExisting(t.Context(), oneColumn)) },
	} {
		_, err := open()
		if fault.CodeOf(err) != fault.Store || !strings.Contains(err.Error(), "export its contexts with that version") {
			t.Errorf("%v", err)
		}
	}
	if made := postgrestest.Exec(t, old, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"); len(made) != 1 {
		t.Errorf("there are %v", made)
	}
}
