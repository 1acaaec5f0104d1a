//go:build unix

package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/postgrestest"
)

const bouncerPort = "6432"

// bouncer starts PgBouncer before a server, in the mode in which a connection is
// the caller's for one transaction, and with fewer connections than there are
// callers.
func bouncer(t *testing.T, s *postgrestest.Server) (address func(database string) string) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			postgrestest.LeaveOut(t, errors.New("no PgBouncer is installed"))
		}
	}
	config := filepath.Join(s.Dir, "bouncer.ini")
	must(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
* = host=%s user=pact
[pgbouncer]
unix_socket_dir = %s
listen_port = %s
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_idle_timeout = 1
logfile = %s
`, s.Dir, s.Dir, bouncerPort, filepath.Join(s.Dir, "bouncer.log")), 0o644))
	cmd := s.Command(program, config)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	socket := filepath.Join(s.Dir, ".s.PGSQL."+bouncerPort)
	for range 500 {
		if _, err := os.Stat(socket); err == nil {
			return func(database string) string { return postgrestest.Address(s.Dir, bouncerPort, database) }
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("PgBouncer does not start")
	return nil
}

// TestBytesThroughPgBouncer holds the store to its contract where each transaction may meet another process of the
// server. The contract of contexts, TestStore, is about the same statements, none of which stays with its session.
func TestBytesThroughPgBouncer(t *testing.T) {
	s := server(t)
	address := bouncer(t, s)
	bytesSuite(t, func(t *testing.T) string { return address(databaseName(t, databaseOf(t, s))) })
}

// server starts one of its own for a test.
func server(t testing.TB) *postgrestest.Server {
	t.Helper()
	s, err := postgrestest.Start()
	if err != nil {
		postgrestest.LeaveOut(t, err)
	}
	t.Cleanup(func() { must(t, s.Stop()) })
	return s
}

// databaseOf makes a database of a server. The server goes with everything in it.
func databaseOf(t testing.TB, s *postgrestest.Server) string {
	t.Helper()
	name := fmt.Sprint("pact_", time.Now().UnixNano())
	postgrestest.Exec(t, s.URL("postgres"), s.Create(name))
	return s.URL(name)
}
