//go:build unix

package postgrestest_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Run(m)) }

// A database of a test is empty, and another test has another.
func TestDatabase(t *testing.T) {
	one, other := postgrestest.Database(t), postgrestest.Database(t)
	postgrestest.Exec(t, one, "CREATE TABLE here (n BIGINT); INSERT INTO here VALUES (7)")
	if got := postgrestest.Exec(t, one, "SELECT n FROM here"); len(got) != 1 || got[0][0] != "7" {
		t.Errorf("found %v", got)
	}
	if got := postgrestest.Exec(t, other, "SELECT 1 FROM pg_tables WHERE tablename = 'here'"); len(got) != 0 {
		t.Errorf("the other database has it too: %v", got)
	}
}

// A database that comes from an earlier test has nothing of it, and the address that the test had
// leads nowhere, although a connection of the test was open.
func TestNothingComesFromAnEarlierTest(t *testing.T) {
	var before string
	t.Run("earlier", func(t *testing.T) {
		before = postgrestest.Database(t)
		name := before[strings.LastIndex(before, "/")+1 : strings.Index(before, "?")]
		postgrestest.Exec(t, before, `CREATE TABLE here (n BIGINT PRIMARY KEY); CREATE TABLE other (n BIGINT REFERENCES here);
			CREATE VIEW v AS SELECT n FROM here; CREATE SEQUENCE s; CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
			ALTER DATABASE `+name+` SET default_transaction_isolation = 'serializable'`)
		conn, err := pgconn.Connect(context.Background(), before)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
	})
	later := postgrestest.Database(t)
	if got := postgrestest.Exec(t, later, `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
		UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace`); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	if got := postgrestest.Exec(t, later, "SHOW default_transaction_isolation"); got[0][0] != "read committed" {
		t.Errorf("the setting is %v", got)
	}
	if conn, err := pgconn.Connect(t.Context(), before); err == nil {
		_ = conn.Close(t.Context())
		t.Error("the address of the earlier test leads to a database")
	}
}

// A server that was killed keeps what was committed, and starts again.
func TestKill(t *testing.T) {
	s, err := postgrestest.Start()
	if err != nil {
		postgrestest.LeaveOut(t, err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	postgrestest.Exec(t, s.URL("postgres"), "CREATE TABLE here (n BIGINT); INSERT INTO here VALUES (7)")
	s.Kill()
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if got := postgrestest.Exec(t, s.URL("postgres"), "SELECT n FROM here"); len(got) != 1 || got[0][0] != "7" {
		t.Errorf("found %v", got)
	}
}
