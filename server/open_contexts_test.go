package server_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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

// TestAnswersSeeWhatOthersWrote asks between writes that do not go through the server. Whatever
// the server keeps open, each answer is that of the moment.
func TestAnswersSeeWhatOthersWrote(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	ids := func(path string) (list []string) {
		t.Helper()
		var got struct {
			Items []struct{ ID string }
		}
		r.must(&got, "GET", "/v1/contexts/weather/"+path, "")
		for _, i := range got.Items {
			list = append(list, i.ID)
		}
		return list
	}
	calls := func() (n int, last string) {
		t.Helper()
		var got struct{ Items []struct{ Sentence string } }
		r.must(&got, "GET", "/v1/contexts/weather/calls", "")
		return len(got.Items), got.Items[len(got.Items)-1].Sentence
	}
	before, _ := calls()
	blocks := len(ids("blocks"))
	_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "new", Role: "user", Content: "secret"})
		return nil
	}})
	must(t, err)
	if n, sentence := calls(); n != before+1 || !strings.HasPrefix(sentence, fmt.Sprintf("Call %d repeats all of", n)) {
		t.Errorf("%d calls, before %d: %s", n, before, sentence)
	}
	if now := ids("blocks"); len(now) <= blocks || now[len(now)-1] != "new" {
		t.Errorf("%v after %d blocks", now, blocks)
	}
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "draft", Content: "d"})
		return nil
	}, nil))
	if now := ids("blocks?at=working"); now[len(now)-1] != "draft" {
		t.Errorf("%v has no draft", now)
	}
	found := func(rest string) (n int) {
		var got struct{ Items []struct{ Total int } }
		r.must(&got, "GET", "/v1/grep?context=weather&q="+rest, "")
		return got.Items[0].Total
	}
	for rest, want := range map[string]int{"SECRET": 1, "%5Ed$&regexp=true": 0, "%5Ed$&regexp=true&to=working": 1, "%5Ed$&regexp=true&from=working&to=working": 1} {
		if n := found(rest); n != want {
			t.Errorf("%s: %d found, want %d", rest, n, want)
		}
	}
	erasure := pact.Erasure{IDs: []string{"new"}, Reason: "asked for", Random: rand.Reader}
	_, err = c.Erase(t.Context(), erasure)
	must(t, err)
	if n := found("SECRET"); n != 0 {
		t.Errorf("%d found of what is erased", n)
	}
	_, err = c.Undo(t.Context(), nil)
	must(t, err)
	if now := ids("blocks"); len(now) != blocks {
		t.Errorf("%v after an undo", now)
	}
	must(t, pact.Delete(t.Context(), r.store, "weather"))
	r.call("GET", "/v1/contexts/weather/blocks", "").refused(t, 404, "E_CONTEXT_NOT_FOUND")
	_, err = pact.Create(t.Context(), r.store, "weather", nil)
	must(t, err)
	if now := ids("blocks?at=working"); len(now) != 0 {
		t.Errorf("%v in an empty context", now)
	}
	var drawn struct {
		Columns []struct{ Draft bool }
	}
	if r.must(&drawn, "GET", "/v1/contexts/weather/strata", ""); len(drawn.Columns) != 1 || !drawn.Columns[0].Draft {
		t.Errorf("%+v, want the working state", drawn)
	}
}

// TestReadersAndWritersAtOnce reads while another handle commits. Each answer has as many calls
// as some revision had, and never fewer than the answer before it.
func TestReadersAndWritersAtOnce(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	first := c.Info().Cycle
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			seen := int(first)
			for range 15 {
				var calls struct{ Items []struct{ Cycle int } }
				r.must(&calls, "GET", "/v1/contexts/weather/calls", "")
				if len(calls.Items) < seen || calls.Items[len(calls.Items)-1].Cycle != len(calls.Items) {
					t.Errorf("%d calls after %d: %v", len(calls.Items), seen, calls.Items)
				}
				seen = len(calls.Items)
				at := fmt.Sprint("@c", 1+seen/2)
				r.must(nil, "GET", "/v1/contexts/weather/blocks?at="+at, "")
				r.must(nil, "GET", "/v1/contexts/weather/strata?columns=3", "")
			}
		})
	}
	for range 20 {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: "more"})
			return nil
		}})
		must(t, err)
	}
	readers.Wait()
}

// slowStore counts how often a context is loaded, and takes its time.
type slowStore struct {
	engine.Contexts
	loads atomic.Int64
}

func (s *slowStore) Load(ctx context.Context, key history.Key) (*engine.State, error) {
	s.loads.Add(1)
	time.Sleep(50 * time.Millisecond)
	return s.Contexts.Load(ctx, key)
}

// TestRequestsAtOnceOpenAContextOnce asks what a page asks when it opens: all of it at once.
func TestRequestsAtOnceOpenAContextOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := dbtest.Engine(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	s := &slowStore{Contexts: file}
	r := serve(t, dbtest.Of(s), server.Options{}, before)
	weather(t, r)
	s.loads.Store(0)
	var asking sync.WaitGroup
	for range 3 {
		for _, path := range []string{"calls", "strata", "blocks", "tree"} {
			asking.Go(func() { r.must(nil, "GET", "/v1/contexts/weather/"+path, "") })
		}
	}
	asking.Wait()
	if n := s.loads.Load(); n != 1 {
		t.Errorf("the context was opened %d times", n)
	}
	// Who gives up does not keep the others from an answer.
	_, err = pact.Create(t.Context(), dbtest.Of(s), "other", nil)
	must(t, err)
	impatient, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	asking.Go(func() {
		q, err := http.NewRequestWithContext(impatient, "GET", r.url+"/v1/contexts/other/calls", nil)
		if err != nil {
			t.Error(err)
			return
		}
		q.Header.Set("Authorization", "Bearer "+r.Token())
		if answer, err := http.DefaultClient.Do(q); err == nil {
			answer.Body.Close()
		}
	})
	for range 3 {
		asking.Go(func() { r.must(nil, "GET", "/v1/contexts/other/calls", "") })
	}
	asking.Wait()
}
