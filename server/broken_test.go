package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/server"

	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// failingStore fails while it reads a history, after so many snapshots.
type failingStore struct {
	engine.Contexts
	after atomic.Int64 // snapshots; negative for no failure
}

func (s *failingStore) History(ctx context.Context, key history.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		n := int64(0)
		for t, err := range s.Contexts.History(ctx, key, from, to) {
			if after := s.after.Load(); after >= 0 && n >= after {
				t, err = nil, fault.New(fault.Store, "the disk is gone", "")
			}
			if n++; !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// mebibyte is a content that fills a part of a connection.
var mebibyte = strings.Repeat("0123456789abcdef", 1<<16)

// slides makes a context of several calls that all have a title, and each has a large block in
// place of the one before. So an answer about all calls is never as a whole on its way to a client
// that does not read it.
func slides(t *testing.T, s *pact.DB, calls int) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), s, "slides", nil)
	must(t, err)
	for call := range calls {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			if call > 0 {
				b.Remove(fmt.Sprint("slide", call-1))
			} else {
				b.Add("^sys", pact.Spec{ID: "title", Content: "Jane Doe"})
			}
			b.Add("^sys", pact.Spec{ID: fmt.Sprint("slide", call), Content: mebibyte})
			return nil
		}})
		must(t, err)
	}
	return c
}

// begin asks for something and reads the first bytes of the answer. The system takes little of the rest, so that the server
// waits with it.
func (r *running) begin(path string) (first []byte, rest io.Reader) {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), "GET", r.url+path, nil)
	must(r.t, err)
	q.Header.Set("Authorization", "Bearer "+r.Token())
	little := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(1 << 16)
		}
		return c, err
	}
	answer, err := (&http.Transport{DialContext: little, DisableKeepAlives: true}).RoundTrip(q)
	must(r.t, err)
	r.t.Cleanup(func() { answer.Body.Close() })
	first = make([]byte, 100)
	if _, err := io.ReadFull(answer.Body, first); err != nil || answer.StatusCode != http.StatusOK {
		r.t.Fatalf("%s: %s %q, %v", path, answer.Status, first, err)
	}
	return first, answer.Body
}

// A store that fails before the answer has begun is an error with its code; one that fails
// later breaks the connection, so that no client takes the part for the whole.
func TestAStoreThatFailsInTheMiddleOfAnAnswerIsSeen(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := dbtest.Engine(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	s := &failingStore{Contexts: file}
	s.after.Store(-1)
	r := serve(t, dbtest.Of(s), server.Options{}, before)
	slides(t, dbtest.Of(s), 12)
	path := "/v1/contexts/slides/export?form=snapshots"
	s.after.Store(0)
	r.call("GET", path, "").refused(t, http.StatusServiceUnavailable, "E_STORE")
	if got := r.call("GET", "/v1/contexts/slides/select?edition=1.0&q=%40t-3+.block", ""); got.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(string(got.body), `{"error":{"code":"INTERNAL_ERROR"`) { // 1.0 04 §11
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	var found struct {
		Items, Failed []struct{ Context, Error string }
	}
	if r.must(&found, "GET", "/v1/grep?q=a", ""); len(found.Failed) != 1 || found.Failed[0].Context != "slides" || found.Failed[0].Error == "" {
		t.Errorf("a search of a context that cannot be read answers %+v", found)
	}
	s.after.Store(8)
	_, rest := r.begin(path)
	text, err := io.ReadAll(rest)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(text) < len(mebibyte) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	s.after.Store(-1)
	if whole := r.must(nil, "GET", path, "").body; len(whole) <= len(text) {
		t.Errorf("%d bytes afterwards", len(whole))
	}
}

// TestADatabaseThatGoesEndsAnswersWithAnErrorThatClientsSee takes a real database away while
// answers are on their way, and gives it back.
func TestADatabaseThatGoesEndsAnswersWithAnErrorThatClientsSee(t *testing.T) {
	address := postgrestest.Database(t)
	before := runtime.NumGoroutine()
	s, err := dbtest.Open(postgres.Open(t.Context(), address))
	must(t, err)
	r := serve(t, s, server.Options{}, before)
	slides(t, s, 20)
	whole := r.must(nil, "GET", "/v1/contexts/slides/export", "").body
	var begun []io.Reader
	var lengths []int64 // of the whole answers
	for _, form := range []string{"compact", "snapshots"} {
		path := "/v1/contexts/slides/export?form=" + form
		lengths = append(lengths, int64(len(r.must(nil, "GET", path, "").body)))
		_, rest := r.begin(path)
		begun = append(begun, rest)
	}
	live := r.follow(t, "slides", "20")
	live.expect("21 commit")
	at, err := url.Parse(address)
	must(t, err)
	name := at.Path[1:]
	at.Path = "/postgres"
	allow := "ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS "
	postgrestest.Exec(t, at.String(), allow+"false")
	postgrestest.Exec(t, at.String(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname='"+name+"'")
	for i, rest := range begun {
		if n, err := io.Copy(io.Discard, rest); !errors.Is(err, io.ErrUnexpectedEOF) || n >= lengths[i] {
			t.Errorf("answer %d: %d bytes of about %d, then %v", i, n, lengths[i], err)
		}
	}
	if what, data := live.next(); what != "failed" || !strings.Contains(data, `"E_STORE"`) {
		t.Errorf("%s %s", what, data)
	}
	live.expect("")
	r.call("GET", "/v1/contexts", "").refused(t, http.StatusServiceUnavailable, "E_STORE")
	r.call("GET", "/readyz", "").refused(t, http.StatusServiceUnavailable, "E_STORE")
	if n := strings.Count(r.log.String(), "broken=true"); n != len(begun) {
		t.Errorf("the log tells of %d broken answers:\n%s", n, r.log)
	}
	postgrestest.Exec(t, at.String(), allow+"true")
	if again := r.must(nil, "GET", "/v1/contexts/slides/export", "").body; !bytes.Equal(again, whole) {
		t.Error("the export is another one now that the database is back")
	}
}

// TestAContextThatGoesWhileItIsSent deletes a context, or erases a node that all its calls have,
// while its history is sent. The client gets what was there when it asked, or sees that the answer
// broke off. Afterwards nothing of it is given any more.
func TestAContextThatGoesWhileItIsSent(t *testing.T) {
	for _, what := range []string{"delete", "erase"} {
		for _, form := range []string{"compact", "snapshots"} {
			t.Run(what+" "+form, func(t *testing.T) {
				r := start(t, server.Options{})
				c := slides(t, r.store, 20)
				path := "/v1/contexts/slides/export?form=" + form
				whole := r.must(nil, "GET", path, "").body
				live := r.follow(t, "slides", "20")
				live.expect("21 commit")
				first, rest := r.begin(path)
				if what == "delete" {
					r.must(nil, "DELETE", "/v1/contexts/slides", "")
				} else {
					erasure := pact.Erasure{IDs: []string{"title"}, Reason: "asked for", Random: rand.Reader}
					_, err := c.Erase(t.Context(), erasure)
					must(t, err)
				}
				more, err := io.ReadAll(rest)
				switch got := append(first, more...); {
				case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
					t.Error(err)
				case err == nil && !bytes.Equal(got, whole):
					t.Errorf("%d bytes that never were a history end well", len(got))
				}
				if what == "delete" {
					live.expect("deleted", "")
					r.call("GET", path, "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
					return
				}
				live.expect("22 erase")
				for _, path := range []string{"export?form=compact", "export?form=snapshots", "thread?at=@c1", "export?form=document"} {
					if got := r.must(nil, "GET", "/v1/contexts/slides/"+path, "").body; bytes.Contains(got, []byte("Jane Doe")) {
						t.Errorf("%s still has what was erased", path)
					}
				}
			})
		}
	}
}
