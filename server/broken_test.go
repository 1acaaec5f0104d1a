package server_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

// failingStore fails while it reads a history, after so many snapshots.
type failingStore struct {
	store.Complete
	after atomic.Int64 // snapshots; negative for no failure
}

func (s *failingStore) History(ctx context.Context, key store.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		n := int64(0)
		for t, err := range s.Complete.History(ctx, key, from, to) {
			if after := s.after.Load(); after >= 0 && n >= after {
				t, err = nil, fault.New(fault.Store, "the disk is gone", "")
			}
			if n++; !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// grown makes a context of this many calls, each of which adds 40 kB.
func grown(t *testing.T, s store.Store, name string, calls int) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), s, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for call := range calls {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("b", call), Content: strings.Repeat(fmt.Sprint("secret", call, " "), 5000)})
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// export asks for a history and returns the answer before its body is read.
func export(t *testing.T, r *running, name string) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), "GET", r.url+"/v1/contexts/"+name+"/export?form=snapshots", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.Token())
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// A store that fails before the answer has begun is an error with its code; one that fails
// later breaks the connection, so that no client takes the part for the whole.
func TestAStoreThatFailsInTheMiddleOfAnAnswerIsSeen(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db"))
	if err != nil {
		t.Fatal(err)
	}
	s := &failingStore{Complete: file}
	s.after.Store(-1)
	r := serve(t, s, server.Options{}, before)
	grown(t, s, "large", 12)
	s.after.Store(0)
	r.call("GET", "/v1/contexts/large/export?form=snapshots", "").refused(t, http.StatusServiceUnavailable, "E_STORE")
	s.after.Store(8)
	answer := export(t, r, "large")
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) || len(text) < 100_000 {
		t.Errorf("status %d, %d bytes, %v", answer.StatusCode, len(text), err)
	}
	s.after.Store(-1)
	if whole := r.must(nil, "GET", "/v1/contexts/large/export?form=snapshots", "").body; len(whole) <= len(text) {
		t.Errorf("%d bytes afterwards", len(whole))
	}
}

// A context that is erased in while its history is sent: the client gets what was there when it
// asked, or sees that the answer broke off. Afterwards nothing of it is given any more.
func TestAnErasureEndsTheAnswersThatItContradicts(t *testing.T) {
	r := start(t, server.Options{})
	c := grown(t, r.store, "large", 150)
	answer := export(t, r, "large")
	begin := make([]byte, 1000)
	if _, err := io.ReadFull(answer.Body, begin); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 150)
	for call := range texts {
		texts[call] = fmt.Sprint("secret", call, " ")
	}
	if _, err := c.Erase(t.Context(), pact.Erasure{Texts: texts, Reason: "asked for", Random: rand.Reader}); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	lines := strings.Count(string(begin)+string(rest), "\n")
	if err == nil && lines < 150 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d lines, %v", lines, err)
	}
	for _, path := range []string{"export?form=snapshots", "thread", "export?form=compact"} {
		if got := string(r.must(nil, "GET", "/v1/contexts/large/"+path, "").body); strings.Contains(got, "secret1") {
			t.Errorf("%s still has what was erased", path)
		}
	}
}
