//go:build unix

package postgres_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/postgres"

	"github.com/jackc/pgx/v5/pgconn"
)

const secret = "Jane Doe of 4 Privet Drive"

// onDisk reports whether a text is in any file of a database, such as its tables and what the planner
// knows of them.
func onDisk(t *testing.T, address, text string) bool {
	t.Helper()
	postgrestest.Exec(t, address, "CHECKPOINT")
	dir := postgrestest.Exec(t, address, `SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database
		WHERE datname = current_database()`)[0][0]
	found := false
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	}))
	return found
}

// session runs SQL on a connection that stays open until the test ends, or the caller closes it.
func session(t *testing.T, address, sql string) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), sql).ReadAll()
	must(t, err)
	return conn
}

// While somebody has the server keep deleted rows, an erasure says who, and stays to be finished; what says that
// nothing is left is right. No file of the database has the text then.
func TestAttackWhoKeepsErasedRowsIsNamed(t *testing.T) {
	testrun.Door(t, "erased rows that PostgreSQL keeps for somebody")
	s := server(t)
	postgrestest.Exec(t, s.URL("postgres"), "ALTER SYSTEM SET max_prepared_transactions = 4")
	s.Kill()
	must(t, s.Run())
	postgrestest.Exec(t, s.URL("postgres"), "CREATE ROLE app LOGIN")
	standby, err := s.Standby()
	must(t, err)
	t.Cleanup(func() { must(t, standby.Stop()) })
	end := func(t *testing.T, address, before, after string) func() {
		conn := session(t, address, before)
		return func() {
			_, err := conn.Exec(t.Context(), after).ReadAll()
			must(t, err)
		}
	}
	feedback := func(t *testing.T, address string) func() {
		for _, set := range [...]string{"hot_standby_feedback = on", "wal_receiver_status_interval = '1s'"} {
			postgrestest.Exec(t, standby.URL("postgres"), "ALTER SYSTEM SET "+set)
		}
		postgrestest.Exec(t, standby.URL("postgres"), "SELECT pg_reload_conf()")
		name := databaseName(t, address)
		for postgrestest.Exec(t, standby.URL("postgres"), "SELECT count(*) FROM pg_database WHERE datname = '"+name+"'")[0][0] == "0" {
			time.Sleep(50 * time.Millisecond)
		}
		there := standby.URL(name)
		release := end(t, there, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", "COMMIT")
		for postgrestest.Exec(t, address, "SELECT count(backend_xmin) FROM pg_stat_replication")[0][0] == "0" {
			time.Sleep(50 * time.Millisecond)
		}
		const holds = "SELECT backend_xmin FROM pg_stat_replication"
		held := fmt.Sprint(postgrestest.Exec(t, address, holds))
		return func() {
			release()
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				if fmt.Sprint(postgrestest.Exec(t, address, holds)) != held { // the standby told
					return
				}
			}
			t.Error("the standby did not tell that it lets go")
		}
	}
	for _, c := range []struct {
		name, as, says string
		hold           func(t *testing.T, address string) (release func())
	}{
		{"nobody", "pact", "", func(t *testing.T, address string) func() { return func() {} }},
		{"owner", "app", "belong to pact", func(t *testing.T, address string) func() {
			postgrestest.Exec(t, address, "GRANT ALL ON ALL TABLES IN SCHEMA public TO app")
			return func() { postgrestest.Exec(t, address, "GRANT pact TO app") }
		}},
		{"snapshot", "pact", "of pact, pg_dump, in a transaction", func(t *testing.T, address string) func() {
			return end(t, address, "SET application_name = pg_dump; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", "COMMIT")
		}},
		{"lock", "pact", "locks the table log", func(t *testing.T, address string) func() {
			return end(t, address, "BEGIN; SELECT count(*) FROM log", "COMMIT")
		}},
		{"prepared", "pact", "the prepared transaction 'forgotten'", func(t *testing.T, address string) func() {
			return end(t, address, "BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'forgotten'", "ROLLBACK PREPARED 'forgotten'")
		}},
		{"standby", "pact", "hot_standby_feedback", feedback},
		{"standby of a role that the user may not look at", "app", "has an older snapshot", feedback},
	} {
		t.Run(c.name, func(t *testing.T) {
			owned := databaseOf(t, s)
			must(t, open(t, owned).Close())
			release := func() {}
			switch {
			case c.name == "owner":
				release = c.hold(t, owned)
			case c.as == "app":
				postgrestest.Exec(t, owned, "ALTER TABLE pair OWNER TO app; ALTER TABLE log OWNER TO app; ALTER TABLE pact_store OWNER TO app")
			}
			address := strings.Replace(owned, "user=pact", "user="+c.as, 1)
			opened, err := postgres.OpenImpatient(t.Context(), address, 15*time.Second, 500*time.Millisecond)
			must(t, err)
			db := dbtest.Of(engine.Open(opened))
			t.Cleanup(func() { must(t, db.Close()) })
			ctx, err := pact.Create(t.Context(), db, "chat", nil)
			must(t, err)
			_, err = ctx.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{Role: "user", Content: "I am " + secret})
				return nil
			}})
			must(t, err)
			postgrestest.Exec(t, owned, "ANALYZE")
			if !onDisk(t, owned, secret) {
				t.Fatal("the search does not find what is there")
			}
			if c.name != "owner" {
				release = c.hold(t, owned)
			}
			done, err := ctx.Erase(t.Context(), pact.Erasure{Texts: []string{secret}, Reason: "asked for", Random: rand.Reader})
			must(t, err)
			for range 2 {
				if c.says == "" && done.Remains != "" || !strings.Contains(done.Remains, c.says) {
					t.Fatalf("%q remains, want %q", done.Remains, c.says)
				}
				t.Log(done.Remains)
				if there := onDisk(t, owned, secret); there != (c.says != "") {
					t.Errorf("the text is there: %v", there)
				}
				done, err = ctx.Erase(t.Context(), pact.Erasure{})
				must(t, err)
			}
			if left, err := pact.Verify(t.Context(), db, "chat", nil); err != nil || (left.Remains == "") != (c.says == "") {
				t.Errorf("verify says %+v, %v", left, err)
			}
			release()
			done, err = ctx.Erase(t.Context(), pact.Erasure{})
			if must(t, err); done.Remains != "" || onDisk(t, owned, secret) {
				t.Errorf("%q remains after the other one ended, the text is there: %v", done.Remains, onDisk(t, owned, secret))
			}
		})
	}
}

// A user who may not write at all is told what to ask the owner for.
func TestMissingPermission(t *testing.T) {
	s := server(t)
	address := databaseOf(t, s)
	must(t, open(t, address).Close())
	postgrestest.Exec(t, address, "CREATE ROLE app LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO app")
	db := dbtest.Of(open(t, strings.Replace(address, "user=pact", "user=app", 1)))
	_, err := pact.Create(t.Context(), db, "chat", nil)
	if e := (*fault.Error)(nil); !errors.As(err, &e) || strings.Contains(e.Remedy, "GRANT ALL") || !strings.Contains(e.Remedy, "owner") {
		t.Errorf("%v", err)
	}
}
