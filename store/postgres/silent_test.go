//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/postgres"
)

// impatient opens a store behind a proxy that gives silence little time. patience is
// how long a new connection may take to answer.
func impatient(t *testing.T, patience time.Duration) (*engine.Engine, *proxy, string) {
	t.Helper()
	s := server(t)
	p := intercept(t, s.Socket())
	direct := databaseOf(t, s)
	address := postgrestest.Address("127.0.0.1", p.port, databaseName(t, direct))
	in, err := on(postgres.OpenImpatient(t.Context(), address, 100*time.Millisecond, patience))
	must(t, err)
	t.Cleanup(func() { in.Close() })
	return in, p, direct
}

// ends fails where a call does not come to its end.
func ends(t *testing.T, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s waits for a server that is silent", what)
		return nil
	}
}

// Where the other end of a connection goes silent, and takes what it is sent,
// every call ends in an error with a code, also one whose context never ends. When
// it answers again, so does the store, and nothing was made twice.
func TestSilentServer(t *testing.T) {
	t.Parallel() // it mostly waits
	s, p, _ := impatient(t, 500*time.Millisecond)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	commit(t, c, "first", 0)
	rounds, want := testrun.Size(t, 1, 2, 2), []string{"first"} // a reader loses eight connections, 0.6 s each
	for round := range rounds {
		token := fmt.Sprint("token ", round)
		want = append(want, token)
		p.mute.Store(true)
		err := ends(t, "a commit", func() error { _, err := put(t, c, token, "turn"); return err })
		if fault.CodeOf(err) != fault.Store {
			t.Errorf("a commit: %v", err)
		}
		err = ends(t, "a reader", func() error { _, err := s.List(context.Background()); return err })
		if fault.CodeOf(err) != fault.Store {
			t.Errorf("a reader: %v", err)
		}
		limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err = ends(t, "a reader with a deadline", func() error { _, err := s.List(limited); return err })
		if cancel(); fault.CodeOf(err) != fault.Store || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a reader with a deadline: %v", err)
		}
		p.mute.Store(false)
		for range 2 * 16 { // connections that the pool still has
			if err = c.Refresh(t.Context()); err == nil {
				break
			}
		}
		must(t, err)
		if _, err := put(t, c, token, "turn"); err != nil {
			t.Errorf("after the silence: %v", err)
		}
	}
	sound(t, s, "chat", want)
}

// A server that is there and takes long is waited for.
func TestSlowServer(t *testing.T) {
	t.Parallel() // it mostly waits
	s, _, direct := impatient(t, 20*time.Second)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	locked, release := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(release)
		close(locked)
		postgrestest.Exec(t, direct, "BEGIN; LOCK TABLE log; SELECT pg_sleep(1); COMMIT")
	}()
	<-locked
	for turn := range 3 {
		time.Sleep(50 * time.Millisecond)
		commit(t, c, "", turn)
	}
	<-release
}
