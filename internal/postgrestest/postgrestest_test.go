//go:build unix

package postgrestest_test

import (
	"os"
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
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
