package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/server"

	"github.com/contexttree/pact/store/sqlite"
)

// TestDetailsOfContexts lists contexts with their details, and a family, from a store that opens none.
func TestDetailsOfContexts(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := dbtest.Engine(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	opened := &running{t: t, store: dbtest.Of(file)}
	c := weather(t, opened)
	_, err = c.Fork(t.Context(), pact.Cycle(2), "branch", nil)
	must(t, err)
	begun := map[string]any{"wire:begun-by": map[string]any{"context": "weather", "block": "block:2-1"}}
	_, err = pact.Create(t.Context(), opened.store, "empty", &pact.CreateOptions{Attrs: begun})
	must(t, err)
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{Role: "system", Content: "All of it is new."})
		return nil
	}})
	must(t, err)
	thread, err := c.Working().Thread(t.Context())
	must(t, err)
	r := serve(t, dbtest.Of(closedContexts{file}), server.Options{}, before)
	var list struct {
		Items []struct {
			Name    string
			Calls   *int
			Bytes   int64
			Changed string
			Forked  *struct {
				Name  string
				Cycle int
			} `json:"forked_from"`
			Begun *struct {
				Context, Node string
				Cycle         int
			} `json:"begun_by"`
			Cuts []float64
		}
	}
	r.must(&list, "GET", "/v1/contexts", "")
	for _, c := range list.Items {
		if c.Calls != nil || c.Cuts != nil || c.Changed != "" {
			t.Errorf("%+v has details that nobody asked for", c)
		}
	}
	r.must(&list, "GET", "/v1/contexts?details=true", "")
	branch, none, weather := list.Items[0], list.Items[1], list.Items[2]
	if branch.Forked == nil || branch.Forked.Name != "weather" || branch.Forked.Cycle != 2 || *branch.Calls != 2 {
		t.Errorf("%+v", branch)
	}
	if none.Begun == nil || none.Begun.Context != "weather" || none.Begun.Node != "block:2-1" || none.Begun.Cycle != 2 ||
		weather.Begun != nil {
		t.Errorf("%+v, %+v", none.Begun, weather.Begun)
	}
	if *none.Calls != 0 || none.Cuts != nil || none.Changed == "" {
		t.Errorf("%+v", none)
	}
	r.call("GET", "/v1/contexts/weather/thread", "").refused(t, 503, "E_STORE")
	last := c.Info().Cycle
	if weather.Bytes != int64(len(thread)) || len(weather.Cuts) != int(last) || weather.Cuts[0] != 0 ||
		weather.Cuts[last-1] < 0.5 || weather.Forked != nil {
		t.Errorf("%+v", weather)
	}
}

// closedContexts is a store that opens no context.
type closedContexts struct{ engine.Contexts }

func (closedContexts) Load(context.Context, history.Key) (*engine.State, error) {
	return nil, errOpened
}

func (closedContexts) Log(context.Context, history.Key, int64, int64) ([]history.Entry, error) {
	return nil, errOpened
}

func (closedContexts) History(context.Context, history.Key, int64, int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) { yield(nil, errOpened) }
}

var errOpened = fault.New(fault.Store, "a context was opened", "")

func TestVerifyTellsHowFarItIs(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	last := c.Info().Cycle
	got := r.must(nil, "GET", "/v1/contexts/weather/verify", "")
	var lines []map[string]any
	for s := bufio.NewScanner(bytes.NewReader(got.body)); s.Scan(); {
		var line map[string]any
		must(t, json.Unmarshal(s.Bytes(), &line))
		lines = append(lines, line)
	}
	end := lines[len(lines)-1]
	want, err := pact.Verify(t.Context(), r.store, "weather", nil)
	must(t, err)
	text, err := json.Marshal(want)
	must(t, err)
	result, err := json.Marshal(end["result"])
	if err != nil || plain(t, result) != plain(t, text) {
		t.Errorf("%s, want %s, %v", result, text, err)
	}
	if len(lines) < 2 || end["done"] != float64(last) || lines[0]["result"] != nil {
		t.Errorf("%v", lines)
	}
	r.call("GET", "/v1/contexts/nobody/verify", "").refused(t, 404, "E_CONTEXT_NOT_FOUND")
}

func TestFormsAreThoseThatThreadsHave(t *testing.T) {
	r := start(t, server.Options{})
	weather(t, r)
	for _, form := range []string{"canonical", "openai", "responses", "anthropic", "gemini", "text", "markdown"} {
		r.must(nil, "GET", "/v1/contexts/weather/thread?as="+form, "")
		var whole map[string]any
		if form != "canonical" && form != "text" && form != "markdown" {
			r.must(&whole, "GET", "/v1/contexts/weather/thread?whole=true&as="+form, "")
		}
		if form == "openai" && whole["messages"] == nil {
			t.Errorf("%v", whole)
		}
	}
	// No recorder made it, so nothing was sent that verbatim could return.
	r.call("GET", "/v1/contexts/weather/thread?as=verbatim", "").refused(t, 404, "E_ATTEMPT_NOT_FOUND")
}
