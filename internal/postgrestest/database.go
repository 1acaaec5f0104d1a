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
	server *Server // nil if PACT_TEST_POSTGRES names a server
	admin  string  // address of a database on the server
	err    error   // why there is no server
	made   atomic.Int64
	left   atomic.Int64
}

// Run runs the tests of a package and stops the server that they used. TestMain
// calls it and exits with the code it returns. It prints how many tests it left
// out for lack of a server; if PACT_REQUIRE_POSTGRES is set, that is a failure.
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

// LeaveOut skips a test that cannot run on this machine, and counts it.
func LeaveOut(t testing.TB, why error) {
	t.Helper()
	if os.Getenv("PACT_REQUIRE_POSTGRES") != "" {
		t.Fatal(why)
	}
	one.left.Add(1)
	t.Skip(why)
}

// create returns the statement that makes an empty database on any server.
func create(name string) string {
	return "CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8'"
}

func start() {
	if one.admin = os.Getenv("PACT_TEST_POSTGRES"); one.admin != "" {
		return
	}
	if one.server, one.err = Start(); one.err == nil {
		one.admin = one.server.URL("postgres")
	}
}

// Database makes an empty database for a test and returns its address. The end
// of the test removes the database.
func Database(t testing.TB) string {
	t.Helper()
	one.once.Do(start)
	if one.err != nil {
		LeaveOut(t, one.err)
	}
	name := fmt.Sprintf("pact_test_%d_%d", os.Getpid(), one.made.Add(1))
	statement := create(name)
	if one.server != nil {
		statement = one.server.Create(name)
	}
	Exec(t, one.admin, statement)
	t.Cleanup(func() { Exec(t, one.admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(one.admin)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// Exec runs SQL in a database over a connection of its own.
func Exec(t testing.TB, address, sql string) [][]string {
	t.Helper()
	ctx := context.Background() // the context of the test may have ended
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
