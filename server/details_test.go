package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
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
	thread := r.must(nil, "GET", "/v1/contexts/weather/thread", "")
	_, last := c.Cycles()
	if weather.Bytes != int64(len(thread.body)) || len(weather.Cuts) != int(last) || weather.Cuts[0] != 0 ||
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

// TestAListOpensNoContext lists contexts with their details, and a family, from a store that opens none.
func TestAListOpensNoContext(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := dbtest.Engine(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	c := weather(t, &running{t: t, store: dbtest.Of(file)})
	if _, err := c.Fork(t.Context(), pact.Latest(), "fork", nil); err != nil {
		t.Fatal(err)
	}
	r := serve(t, dbtest.Of(closedContexts{file}), server.Options{}, before)
	var list struct {
		Items []struct {
			Name   string
			Calls  int64
			Bytes  int64
			Cuts   []float64
			Forked *struct{ Name string } `json:"forked_from"`
		}
	}
	r.must(&list, "GET", "/v1/contexts?details=true", "")
	first, last := c.Cycles()
	if len(list.Items) != 2 || list.Items[0].Forked.Name != "weather" {
		t.Fatalf("%+v", list)
	}
	for _, i := range list.Items {
		if i.Calls != last-first+1 || i.Bytes == 0 || len(i.Cuts) != int(i.Calls) {
			t.Errorf("%+v", i)
		}
	}
	list.Items = nil
	if r.must(&list, "GET", "/v1/contexts?family=fork", ""); len(list.Items) != 2 {
		t.Errorf("%+v", list)
	}
	r.call("GET", "/v1/contexts/weather/thread", "").refused(t, 503, "E_STORE")
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
	var got struct{ Forms []string }
	r.must(&got, "GET", "/v1/contexts/weather/forms", "")
	if len(got.Forms) != 7 { // no recorder made it, so nothing was sent that verbatim could return
		t.Errorf("%v", got.Forms)
	}
	for _, form := range got.Forms {
		r.must(nil, "GET", "/v1/contexts/weather/thread?as="+form, "")
		var whole map[string]any
		if form != "canonical" && form != "text" && form != "markdown" {
			r.must(&whole, "GET", "/v1/contexts/weather/thread?whole=true&as="+form, "")
		}
		if form == "openai" && whole["messages"] == nil {
			t.Errorf("%v", whole)
		}
	}
	r.call("GET", "/v1/contexts/weather/thread?as=verbatim", "").refused(t, 404, "E_ATTEMPT_NOT_FOUND")
}

// TestAThreadIsReadAsTextAndAsMarkdown reads a call with its result in both forms for people.
func TestAThreadIsReadAsTextAndAsMarkdown(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	long := strings.Repeat("a line\n", 40)
	r.must(nil, "POST", "/v1/contexts/a/commits", `{"cycle":0,"edits":[
		{"op":"add","into":"^ah","node":{"id":"q","role":"user","content":"Is it `+"`dry`"+`?\u202e"}},
		{"op":"add","into":"^ah","node":{"id":"c","role":"assistant","kind":"call",
			"content":{"name":"weather","arguments":{"at":"Ulm"}}}},
		{"op":"result","id":"c","node":{"id":"r","content":`+strconv.Quote(long)+`}}]}`)
	for form, want := range map[string]struct{ kind, text string }{
		"text": {"text/plain; charset=utf-8", "user\n  Is it `dry`?\ufffd\n\nassistant\n  ▸ weather { \"at\": \"Ulm\" }\n" +
			strings.Repeat("    a line\n", 40)},
		"markdown": {"text/markdown; charset=utf-8", "## user\n\nIs it `dry`?\u202e\n\n## assistant\n\n" +
			"calls `weather` (`c`):\n\n```\n{\n  \"at\": \"Ulm\"\n}\n```\n\nresult (`r`):\n\n```\n" + long + "```\n"},
	} {
		got := r.must(nil, "GET", "/v1/contexts/a/thread?as="+form, "")
		if string(got.body) != want.text || got.Header.Get("Content-Type") != want.kind {
			t.Errorf("%s is %s\n%s\nwant\n%s", form, got.Header.Get("Content-Type"), got.body, want.text)
		}
		part := r.call("GET", "/v1/contexts/a/thread?as="+form, "", "Range", "bytes=3-6")
		if part.StatusCode != http.StatusPartialContent || string(part.body) != want.text[3:7] ||
			part.Header.Get("ETag") != got.Header.Get("ETag") {
			t.Errorf("bytes 3 to 6 of %s are %q", form, part.body)
		}
	}
}
