//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"

	"github.com/contexttree/pact/store/postgres"
)

// deaf is a connection that loses the next answer to a statement, and ends.
type deaf struct {
	net.Conn
	to    string
	next  *atomic.Bool
	asked bool
}

func (c *deaf) Write(data []byte) (int, error) {
	c.asked = bytes.Contains(data, []byte(c.to))
	return c.Conn.Write(data)
}

func (c *deaf) Read(buf []byte) (int, error) {
	n, err := c.Conn.Read(buf)
	if n > 0 && c.asked && c.next.CompareAndSwap(true, false) {
		c.Conn.Close()
		return 0, io.EOF
	}
	return n, err
}

func openDeaf(t *testing.T, to string) (*engine.Engine, *atomic.Bool) {
	t.Helper()
	next := new(atomic.Bool)
	s, err := on(postgres.OpenThrough(t.Context(), postgrestest.Database(t), func(ctx context.Context, network,
		address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &deaf{Conn: c, to: to, next: next}, err
	}))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s, next
}

// A commit whose answer is lost is known again by its request token: it succeeds,
// and is there once.
func TestAnswerLost(t *testing.T) {
	s, lose := openDeaf(t, "COMMIT")
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	for turn, token := range []string{"a", "b", "c"} {
		lose.Store(true)
		commit(t, c, token, turn)
		if lose.Load() {
			t.Fatal("no answer was lost")
		}
	}
	sound(t, s, "chat", []string{"a", "b", "c"})
}

// So is a commit without a token, by the bytes of its revision. Of what writes none nobody can tell,
// and that is what the answer says.
func TestAnswerLostWithoutToken(t *testing.T) {
	s, lose := openDeaf(t, "COMMIT")
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	lose.Store(true)
	commit(t, c, "", 0)
	info, err := s.Find(t.Context(), "chat")
	if err != nil || info.Cycle != 1 {
		t.Errorf("the context is at %d, %v", info.Cycle, err)
	}
	lose.Store(true)
	err = s.Rename(t.Context(), info.Key, "talk")
	if fault.CodeOf(err) != fault.Store || !strings.Contains(err.Error(), "may have been made or not") {
		t.Errorf("got %v", err)
	}
	if _, err := s.Find(t.Context(), "talk"); err != nil {
		t.Error(err)
	}
}

// A reader that loses an answer asks again.
func TestAnswerLostToReader(t *testing.T) {
	s, lose := openDeaf(t, "SELECT")
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	for turn := range 3 {
		commit(t, c, "", turn)
	}
	info, err := s.Find(t.Context(), "chat")
	must(t, err)
	for name, read := range map[string]func() (int, error){
		"Contexts": func() (int, error) { l, err := s.List(t.Context()); return len(l), err },
		"Log":      func() (int, error) { l, err := s.Log(t.Context(), info.Key, 1, 4); return len(l) - 3, err },
		"History": func() (int, error) {
			l, err := engine.Collect(s.History(t.Context(), info.Key, 1, 3))
			return len(l) - 2, err
		},
		"Load": func() (int, error) { st, err := s.Load(t.Context(), info.Key); return int(st.Cycle) - 2, err },
	} {
		lose.Store(true)
		if n, err := read(); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if lose.Swap(false) {
			t.Errorf("%s: no answer was lost", name)
		}
	}
}
