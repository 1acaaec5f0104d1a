package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// one is the server that the tests of a package share.
var one struct {
	once   sync.Once
	server *Server     // nil if PACT_TEST_POSTGRES names a server
	admin  string      // address of a database on the server
	err    error       // why there is no server
	empty  chan string // databases that tests have given back
	made   atomic.Int64
	left   atomic.Int64
}

// How long a server may take to start, and the time between two looks at it.
const (
	starting  = 30 * time.Second
	retryTime = 20 * time.Millisecond
)

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
	one.empty = make(chan string, 32)
	if one.admin = os.Getenv("PACT_TEST_POSTGRES"); one.admin != "" {
		return
	}
	if one.server, one.err = Start(); one.err == nil {
		one.admin = one.server.URL("postgres")
	}
}

// Database returns the address of an empty database for a test. After the test no address
// of the test leads to a database.
func Database(t testing.TB) string {
	t.Helper()
	one.once.Do(start)
	if one.err != nil {
		LeaveOut(t, one.err)
	}
	var name string
	select {
	case name = <-one.empty:
	default:
		name = newName()
		statement := create(name)
		if one.server != nil {
			statement = one.server.Create(name)
		}
		Exec(t, one.admin, statement)
	}
	t.Cleanup(func() { giveBack(t, name) })
	return addressOf(t, name)
}

func newName() string { return fmt.Sprintf("pact_test_%d_%d", os.Getpid(), one.made.Add(1)) }

// addressOf returns the address of a database on the server.
func addressOf(t testing.TB, name string) string {
	t.Helper()
	u, err := url.Parse(one.admin)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// giveBack empties a database under another name and keeps it for the next test: to make one
// and to drop it take fifteen times as much of the processor. On a server that goes on it drops it.
func giveBack(t testing.TB, name string) {
	t.Helper()
	if one.server == nil {
		Exec(t, one.admin, "DROP DATABASE "+name+" WITH (FORCE)")
		return
	}
	other := newName()
	rename := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'; " +
		"ALTER DATABASE " + name + " RENAME TO " + other
	deadline := time.Now().Add(starting)
	for try(one.admin, rename) != nil { // until the connections of the test have ended
		if time.Now().After(deadline) {
			t.Error("the connections of the test do not end")
			return
		}
		time.Sleep(retryTime)
	}
	Exec(t, addressOf(t, other), "ALTER DATABASE "+other+" RESET ALL; "+dropAll)
	select {
	case one.empty <- other:
	default:
		Exec(t, one.admin, "DROP DATABASE "+other)
	}
}

// dropAll drops what tests make in a database. It lists everything first, because a CASCADE takes others along.
const dropAll = `DO $$ DECLARE drop text; BEGIN
	FOREACH drop IN ARRAY array(SELECT format('%s IF EXISTS %s', CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END,
			oid::regclass) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
		UNION ALL SELECT format('ROUTINE IF EXISTS %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'public'::regnamespace) LOOP
		EXECUTE 'DROP ' || drop || ' CASCADE';
	END LOOP;
END $$`

// try runs SQL in a database, as Exec does.
func try(address, sql string) error {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql).ReadAll()
	return err
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
