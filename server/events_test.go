package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/server"

	"github.com/contexttree/pact/store/sqlite"
)

// stream is an open stream of events.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
	end   context.CancelFunc
}

// follow opens a stream; last is the id of the last event that the client has, "" for none.
func (r *running) follow(t *testing.T, name, last string) *stream {
	t.Helper()
	return r.followAs(t, name, last, "Bearer "+r.Token())
}

// followAs is follow with another token.
func (r *running) followAs(t *testing.T, name, last, authorization string) *stream {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	path := r.url + "/v1/events"
	if name != "" {
		path += "?context=" + name
	}
	req, err := http.NewRequestWithContext(ctx, "GET", path, nil)
	must(t, err)
	req.Header.Set("Authorization", authorization)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(res.Body)
		t.Fatalf("%s: %s", res.Status, text)
	}
	t.Cleanup(func() {
		end()
		res.Body.Close()
	})
	return &stream{t, bufio.NewScanner(res.Body), end}
}

// next returns the id and the kind of the next event, and its data; "" at the end.
func (s *stream) next() (what, data string) {
	id := ""
	for s.lines.Scan() {
		switch name, value, _ := strings.Cut(s.lines.Text(), ": "); name {
		case "id":
			id = value + " "
		case "event":
			what = id + value
		case "data":
			data = value
		case "":
			if what != "" {
				return what, data
			}
		}
	}
	return "", ""
}

// expect fails unless the next events are these.
func (s *stream) expect(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if what, data := s.next(); what != w {
			s.t.Fatalf("the event %q %s, want %q", what, data, w)
		}
	}
}

func TestEventsFollowTheLogAndTheAttempts(t *testing.T) {
	r := start(t, server.Options{})
	c, err := pact.Create(t.Context(), r.store, "a", nil)
	must(t, err)
	live := r.follow(t, "a", "")
	add := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Content: "x"})
		return nil
	}
	must(t, c.Edit(t.Context(), add, nil))
	live.expect("2 edit")
	attempt, err := c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
	must(t, err)
	if what, data := live.next(); what != "attempt" || !strings.Contains(data, `"running"`) {
		t.Errorf("%s %s", what, data)
	}
	_, err = c.Commit(t.Context(), nil)
	must(t, err)
	live.expect("3 commit")
	_, err = c.EndAttempt(t.Context(), pact.Outcome{ID: attempt.ID, Status: history.Completed})
	must(t, err)
	if what, data := live.next(); what != "attempt" || !strings.Contains(data, `"completed"`) {
		t.Errorf("%s %s", what, data)
	}
	r.follow(t, "a", "1").expect("2 edit", "3 commit")
	r.follow(t, "a", "0").expect("1 create", "2 edit", "3 commit")
	future := r.follow(t, "a", "99")
	if what, data := future.next(); what != "gap" || data != `{"after":3}` {
		t.Errorf("%s %s", what, data)
	}
	must(t, c.Edit(t.Context(), add, nil))
	live.expect("4 edit")
	future.expect("4 edit")
}

func TestAStreamSaysWhenItsContextIsReplacedOrDeleted(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	for cycle := range 2 {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, cycle, hello))
	}
	live := r.follow(t, "a", "3")
	r.must(nil, "POST", "/v1/contexts/a/undo", `{}`)
	for what := ""; what != "replaced"; { // an entry that sets the old line aside may come first
		var data string
		if what, data = live.next(); what == "replaced" && data != `{"after":2}` {
			t.Errorf("replaced %s", data)
		} else if what == "" {
			t.Fatal("the stream ended")
		}
	}
	live.expect("3 fork")
	r.must(nil, "DELETE", "/v1/contexts/a", "")
	live.expect("deleted", "")
}

// vanishing deletes a context at the first question for its attempts.
type vanishing struct {
	engine.Contexts
	gone atomic.Bool
}

func (s *vanishing) Attempts(ctx context.Context, key history.Key, from, to int64) ([]history.Attempt, error) {
	if s.gone.CompareAndSwap(false, true) {
		if err := pact.Delete(ctx, dbtest.Of(s.Contexts), "a"); err != nil {
			return nil, err
		}
	}
	return s.Contexts.Attempts(ctx, key, from, to)
}

// TestADeletionWhileAStreamLooksIsADeletion deletes a context after the stream has found it and
// before it has read what is new.
func TestADeletionWhileAStreamLooksIsADeletion(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := dbtest.Engine(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	r := serve(t, dbtest.Of(&vanishing{Contexts: file}), server.Options{}, before)
	_, err = pact.Create(t.Context(), r.store, "a", nil)
	must(t, err)
	r.follow(t, "a", "1").expect("deleted", "")
}

func TestEventStreamsAreRefusedBeyondTheirNumberAndEndWithTheServer(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	var open []*stream
	for range server.MaxStreams {
		open = append(open, r.follow(t, "a", ""))
	}
	r.call("GET", "/v1/events?context=a", "").refused(t, http.StatusTooManyRequests, "E_TOO_MANY")
	r.must(nil, "GET", "/v1/contexts", "") // other requests go on
	open[0].end()
	r.followedAgain("a", "Bearer "+r.Token())
	r.Close()
	for _, s := range open[1:] {
		s.expect("")
	}
	r.call("GET", "/v1/events?context=a", "").refused(t, http.StatusServiceUnavailable, "E_STOPPING")
	r.call("GET", "/readyz", "").refused(t, http.StatusServiceUnavailable, "E_STOPPING")
}

// followedAgain waits until the place of a stream that ended is free again.
func (r *running) followedAgain(name, authorization string) {
	r.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got := r.try(tried{"GET", "/v1/events?context=" + name, "", nil}, []string{"Authorization", authorization})
		if got.StatusCode == http.StatusOK {
			return
		}
		if got.refused(r.t, http.StatusTooManyRequests, "E_TOO_MANY"); time.Now().After(deadline) {
			r.t.Fatal("a stream that ended still counts")
		}
	}
}

func TestEventRequestsThatAreWrongAreRefused(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	r.call("GET", "/v1/events?context=nobody", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
	r.call("GET", "/v1/events", "", "Last-Event-ID", "1").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	for _, id := range []string{"soon", strings.Repeat("9", 30)} {
		r.call("GET", "/v1/events?context=a", "", "Last-Event-ID", id).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	}
}

// said returns the next event of a stream of all contexts as its kind, its context and its revision.
func (s *stream) said() string {
	what, data := s.next()
	var of struct {
		Context, Before string
		Revision        int
	}
	if err := json.Unmarshal([]byte(data), &of); err != nil {
		s.t.Fatalf("%q %q: %v", what, data, err)
	}
	return strings.TrimSpace(fmt.Sprint(what, " ", of.Context, of.Revision, " ", of.Before))
}

// TestOneStreamTellsOfAllContextsOfAToken makes, changes, forks, renames, takes back and deletes contexts
// while one stream is open with a token for all of them, and one with a token for some.
func TestOneStreamTellsOfAllContextsOfAToken(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"my-old"}`)
	some := r.token("some", false, "my-*")
	all, mine := r.follow(t, "", ""), r.followAs(t, "", "", some[1])
	expect := func(s *stream, want ...string) {
		t.Helper()
		for _, w := range want {
			if got := s.said(); got != w {
				t.Fatalf("%q, want %q", got, w)
			}
		}
	}
	r.must(nil, "POST", "/v1/contexts", `{"name":"their"}`)
	expect(all, "create their1")
	r.must(nil, "POST", "/v1/contexts/their/commits", `{"cycle":0,"edits":[`+hello+`]}`)
	r.must(nil, "POST", "/v1/contexts/their/commits", `{"cycle":1}`)
	expect(all, "commit their2", "commit their3")
	r.must(nil, "POST", "/v1/contexts/my-old/commits", `{"cycle":0}`)
	expect(all, "commit my-old2")
	expect(mine, "commit my-old2")
	r.must(nil, "POST", "/v1/contexts/their/fork", `{"name":"my-fork","at":"@c1"}`)
	expect(all, "fork my-fork3")
	expect(mine, "fork my-fork3")
	r.must(nil, "PATCH", "/v1/contexts/my-fork", `{"name":"other"}`)
	expect(all, "renamed other0 my-fork")
	expect(mine, "deleted my-fork0")
	r.must(nil, "DELETE", "/v1/contexts/my-old", "")
	expect(all, "deleted my-old0")
	expect(mine, "deleted my-old0")
	must(t, server.RevokeToken(t.Context(), r.store, "some"))
	if what, _ := mine.next(); what != "failed" {
		t.Errorf("the stream of a revoked token said %q", what)
	}
}

func TestOneTokenCannotHaveAllStreams(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	greedy, other := r.token("greedy", false, ""), r.token("other", false, "")
	var open []*stream
	for range server.MaxShare {
		open = append(open, r.followAs(t, "a", "", greedy[1]))
	}
	r.call("GET", "/v1/events?context=a", "", greedy...).refused(t, http.StatusTooManyRequests, "E_TOO_MANY")
	r.call("GET", "/v1/events", "", greedy...).refused(t, http.StatusTooManyRequests, "E_TOO_MANY")
	r.followAs(t, "a", "", other[1])
	open[0].end()
	r.followedAgain("a", greedy[1])
}
