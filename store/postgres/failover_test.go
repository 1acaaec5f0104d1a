//go:build unix

package postgres_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/postgres"
)

// TestStandbyTakesOver kills a primary under load and promotes its synchronous standby. The writers
// go on with the address that they have, which names both servers; what was acknowledged is
// there once.
func TestStandbyTakesOver(t *testing.T) {
	for range testrun.Size(t, 1, 2, 10) {
		primary := server(t)
		address := databaseOf(t, primary)
		standby, err := primary.Standby()
		if err != nil {
			postgrestest.LeaveOut(t, err)
		}
		t.Cleanup(func() { must(t, standby.Stop()) })
		name := databaseName(t, address)
		both := eitherOf(t, primary, standby, name)
		load(t, both, both, func() {
			time.Sleep(700 * time.Millisecond)
			primary.Kill()
			time.Sleep(200 * time.Millisecond) // as a watchdog needs to notice
			if err := standby.Promote(); err != nil {
				t.Error(err)
				return
			}
			revisions := "SELECT count(*) FROM log"
			for before := postgrestest.Exec(t, standby.URL(name), revisions)[0][0]; !t.Failed(); time.Sleep(50 * time.Millisecond) {
				if postgrestest.Exec(t, standby.URL(name), revisions)[0][0] != before {
					break // the writers go on
				}
			}
			time.Sleep(500 * time.Millisecond)
		})
	}
}

// A server that takes no changes any more, as one that handed over behind a pooler which keeps its connections, is left:
// the change is made on a new connection, or refused without a doubt.
func TestServerThatTakesNoChanges(t *testing.T) {
	server := server(t)
	address := databaseOf(t, server)
	s := open(t, address)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	commit(t, c, "a", 0)
	set := func(to string) {
		postgrestest.Exec(t, address, "ALTER SYSTEM SET default_transaction_read_only = "+to)
		postgrestest.Exec(t, address, "SELECT pg_reload_conf()")
		time.Sleep(500 * time.Millisecond)
	}
	backends := func() string {
		return fmt.Sprint(postgrestest.Exec(t, address, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
	}
	before := backends()
	set("on")
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Note: pact.Note{Request: "b"}})
	if f := (*fault.Error)(nil); !errors.As(err, &f) || f.Code != fault.Store || !strings.Contains(f.Message, "takes no changes") || f.Remedy == "" {
		t.Errorf("%v", err)
	}
	if after := backends(); after == before {
		t.Errorf("it stays on the connections %s", after)
	}
	set("off")
	commit(t, c, "c", 1)
	sound(t, s, "chat", []string{"a", "c"})
}

// A leader that became a standby, and its pooler kept the connections, is left too: it refuses to begin what writes, with
// another code than a server that is set to read only.
func TestStandbyIsLeft(t *testing.T) {
	primary := server(t)
	address := databaseOf(t, primary)
	c, err := pact.Create(t.Context(), dbtest.Of(open(t, address)), "chat", nil)
	must(t, err)
	commit(t, c, "a", 0)
	standby, err := primary.Standby()
	if err != nil {
		postgrestest.LeaveOut(t, err)
	}
	t.Cleanup(func() { must(t, standby.Stop()) })
	there := standby.URL(databaseName(t, address))
	s := open(t, there)
	c, err = pact.Open(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	backends := func() string {
		return fmt.Sprint(postgrestest.Exec(t, there, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
	}
	before := backends()
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Note: pact.Note{Request: "b"}})
	if f := (*fault.Error)(nil); !errors.As(err, &f) || f.Code != fault.Store || !strings.Contains(f.Message, "takes no changes") || f.Remedy == "" {
		t.Errorf("%v", err)
	}
	if after := backends(); after == before {
		t.Errorf("it stays on the connections %s", after)
	}
	must(t, standby.Promote())
	commit(t, c, "c", 1)
	sound(t, s, "chat", []string{"a", "c"})
}

// A server that takes connections and says nothing, as one that froze, is passed over for the next one of the address.
func TestServerThatSaysNothingIsPassedOver(t *testing.T) {
	frozen, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer frozen.Close()
	s := server(t)
	u, err := url.Parse(databaseOf(t, s))
	must(t, err)
	q := u.Query()
	_, port, _ := net.SplitHostPort(frozen.Addr().String())
	q.Set("host", "127.0.0.1,"+q.Get("host"))
	q.Set("port", port+","+q.Get("port"))
	u.RawQuery = q.Encode()
	c, err := pact.Create(t.Context(), dbtest.Of(open(t, u.String())), "chat", nil)
	must(t, err)
	commit(t, c, "a", 0)
}

// What an address says of the time for each server holds, also where it names several.
func TestTimeForEachServer(t *testing.T) {
	for query, want := range map[string]time.Duration{"": 2 * time.Second, "?connect_timeout=10": 10 * time.Second,
		"?connect_timeout=1": time.Second} {
		if got, err := postgres.TimeOfEach("postgres://pact@one,two/pact" + query); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", query, got, err, want)
		}
	}
}

// eitherOf returns the address of a database on whichever of two servers takes changes.
func eitherOf(t *testing.T, a, b *postgrestest.Server, database string) string {
	t.Helper()
	u, err := url.Parse(a.URL(database))
	must(t, err)
	q := u.Query()
	q.Set("host", q.Get("host")+","+b.Dir)
	q.Set("port", q.Get("port")+","+q.Get("port"))
	q.Set("target_session_attrs", "read-write")
	u.RawQuery = q.Encode()
	return u.String()
}
