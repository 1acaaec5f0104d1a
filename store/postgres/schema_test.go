package postgres_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// Both stores have the same columns, but for the key of a content: a migration of
// one needs one of the other.
func TestSameColumns(t *testing.T) {
	address, path := postgrestest.Database(t), filepath.Join(t.TempDir(), "pact.db")
	open(t, address)
	s, err := sqlite.Open(t.Context(), path)
	must(t, err)
	must(t, s.Close())
	var here []string
	for _, row := range postgrestest.Exec(t, address, `SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name <> 'pact_schema'`) {
		here = append(here, strings.Join(row, "."))
	}
	there := []string{"content.branch"}
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT GLOB 'sqlite_*'`)
	must(t, err)
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		there = append(there, name)
	}
	must(t, rows.Err())
	slices.Sort(here)
	slices.Sort(there)
	if !slices.Equal(here, there) {
		t.Errorf("PostgreSQL has %v\nSQLite has %v", here, there)
	}
}

// Of several that open a database at once, one makes the tables.
func TestOpenedAtOnce(t *testing.T) {
	address := postgrestest.Database(t)
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			s, err := postgres.Open(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.Contexts(t.Context()); err != nil {
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
	other, newer := postgrestest.Database(t), postgrestest.Database(t)
	postgrestest.Exec(t, other, "CREATE TABLE content (mine TEXT)")
	must(t, open(t, newer).Close())
	postgrestest.Exec(t, newer, "INSERT INTO pact_schema VALUES (1000)")
	for _, address := range []string{other, newer, "postgres:///none?host=/nowhere", "postgres://%%"} {
		s, err := postgres.Open(t.Context(), address)
		if err == nil {
			s.Close()
		}
		if fault.CodeOf(err) != fault.Store {
			t.Errorf("%s: %v", address, err)
		}
	}
	if made := postgrestest.Exec(t, other, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"); len(made) != 1 {
		t.Errorf("there are %v", made)
	}
}
