//go:build unix

package postgres_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
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
