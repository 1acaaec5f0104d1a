package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/server"
)

func TestDetailsOfContexts(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	if _, err := c.Fork(t.Context(), pact.Cycle(2), "branch", nil); err != nil {
		t.Fatal(err)
	}
	begun := map[string]any{"wire:begun-by": map[string]any{"context": "weather", "block": "block:2-1"}}
	if _, err := pact.Create(t.Context(), r.store, "empty", &pact.CreateOptions{Attrs: begun}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{Role: "system", Content: "All of it is new."})
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Contexts []struct {
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
	for _, c := range list.Contexts {
		if c.Calls != nil || c.Cuts != nil || c.Changed != "" {
			t.Errorf("%+v has details that nobody asked for", c)
		}
	}
	r.must(&list, "GET", "/v1/contexts?details=true", "")
	branch, none, weather := list.Contexts[0], list.Contexts[1], list.Contexts[2]
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
	thread := r.must(nil, "GET", "/v1/contexts/weather/thread", "")
	_, last := c.Cycles()
	if weather.Bytes != int64(len(thread.body)) || len(weather.Cuts) != int(last) || weather.Cuts[0] != 0 ||
		weather.Cuts[last-1] < 0.5 || weather.Forked != nil {
		t.Errorf("%+v", weather)
	}
}

func TestVerifyTellsHowFarItIs(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	_, last := c.Cycles()
	got := r.must(nil, "GET", "/v1/contexts/weather/verify", "")
	var lines []map[string]any
	for s := bufio.NewScanner(bytes.NewReader(got.body)); s.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	end := lines[len(lines)-1]
	want, err := pact.Verify(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
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
	var got struct{ Forms []string }
	r.must(&got, "GET", "/v1/contexts/weather/forms", "")
	if len(got.Forms) != 5 { // no recorder made it, so nothing was sent that verbatim could return
		t.Errorf("%v", got.Forms)
	}
	for _, form := range got.Forms {
		r.must(nil, "GET", "/v1/contexts/weather/thread?as="+form, "")
		var whole map[string]any
		if form != "canonical" {
			r.must(&whole, "GET", "/v1/contexts/weather/thread?whole=true&as="+form, "")
		}
		if form == "openai" && whole["messages"] == nil {
			t.Errorf("%v", whole)
		}
	}
	r.call("GET", "/v1/contexts/weather/thread?as=verbatim", "").refused(t, 404, "E_ATTEMPT_NOT_FOUND")
}
