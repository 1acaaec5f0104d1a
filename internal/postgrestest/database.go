package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// one is the server that the tests of a package share.
var one struct {
	once   sync.Once
	server *Server // nil where PACT_TEST_POSTGRES names one
	admin  string  // address of a database of it
	err    error   // why there is none
	made   atomic.Int64
	left   atomic.Int64
}

// Run runs the tests of a package and ends the server that they used. TestMain
// calls it and exits with what it returns. It says how many tests were left out
// because there is no server; where PACT_REQUIRE_POSTGRES is set, that is a
// failure.
func Run(m *testing.M) int {
	code := m.Run()
	if one.server != nil {
		if err := one.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if n := one.left.Load(); n > 0 {
		fmt.Fprintf(os.Stderr, "%d tests left out: %v\n", n, one.err)
	}
	return code
}

// LeaveOut leaves a test out that cannot be run here, and counts it.
func LeaveOut(t testing.TB, why error) {
	t.Helper()
	if os.Getenv("PACT_REQUIRE_POSTGRES") != "" {
		t.Fatal(why)
	}
	one.left.Add(1)
	t.Skip(why)
}

func start() {
	if one.admin = os.Getenv("PACT_TEST_POSTGRES"); one.admin != "" {
		return
	}
	if one.server, one.err = Start(); one.err == nil {
		one.admin = one.server.URL("postgres")
	}
}

// Database makes an empty database for a test, which is removed when the test
// ends, and returns its address.
func Database(t testing.TB) string {
	t.Helper()
	one.once.Do(start)
	if one.err != nil {
		LeaveOut(t, one.err)
	}
	name := fmt.Sprintf("pact_test_%d_%d", os.Getpid(), one.made.Add(1))
	Exec(t, one.admin, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	t.Cleanup(func() { Exec(t, one.admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(one.admin)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// Exec runs SQL in a database, as somebody else would.
func Exec(t testing.TB, address, sql string) [][]string {
	t.Helper()
	ctx := context.Background() // also after the test
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, r := range results {
		for _, row := range r.Rows {
			texts := make([]string, len(row))
			for i, v := range row {
				texts[i] = string(v)
			}
			rows = append(rows, texts)
		}
	}
	return rows
}
