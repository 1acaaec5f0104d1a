package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/transcript"
)

// weather imports the conversation of the examples into the store of a server.
func weather(t *testing.T, r *running) *pact.Context {
	t.Helper()
	data, err := os.ReadFile("../examples/conversations/weather.json")
	must(t, err)
	list, err := transcript.Read(data)
	must(t, err)
	c, err := transcript.Import(t.Context(), r.store, "weather", list[0], nil)
	must(t, err)
	return c
}

// TestAnswersAgreeWithTheLibrary compares answers with what the library returns for the
// same question, as JSON.
func TestAnswersAgreeWithTheLibrary(t *testing.T) {
	r := start(t, server.Options{})
	c, ctx := weather(t, r), t.Context()
	last := c.Info().Cycle
	if last < 2 {
		t.Fatalf("the example has %d cycles", last)
	}
	question := func(v any, err error) any {
		t.Helper()
		must(t, err)
		return v
	}
	older, newer := pact.Address("latest-1"), pact.Address("latest")
	var entries []any
	for e, err := range c.Log(ctx, 0) {
		entries = append(entries, question(e, err))
	}
	const latest = "@t0 .block"
	ids := question(c.Select(ctx, latest, nil)).([]string)
	calls := question(view.NewReader(c, view.Bytes, nil, nil).Calls(ctx, pact.Cycle(1), newer)).([]view.Call)
	small := view.PictureOptions{Columns: 2, Rows: 10, Unit: view.Bytes}
	policy := lifecycle.Policy{MaxNodes: 1, ProtectTurns: 1}
	for path, want := range map[string]any{
		"select?q=" + url.QueryEscape("@t0 .block"):                map[string]any{"ids": ids},
		"select?limit=2&skip=1&q=" + url.QueryEscape("@t0 .block"): map[string]any{"ids": ids[1:3]},
		"select?explain=true&q=" + url.QueryEscape("@t0 .block"):   map[string]any{"ids": []any{}, "explanation": question(c.Explain(ctx, latest, nil))},
		"diff?select=.block": question(c.RichDiff(ctx, older, newer, &pact.DiffOptions{Select: ".block", ContentMode: diff.Unified, ContextLines: 3})),
		"diff?select=.block&from=@c1&to=working&content_mode=tokens": question(
			c.RichDiff(ctx, pact.Cycle(1), "working", &pact.DiffOptions{Select: ".block", ContentMode: diff.Tokens})),
		"select?q=" + url.QueryEscape("@t-1..@t0 .block"): map[string]any{"ids": []any{},
			"range": question(c.RangeDiffLatest(ctx, "@t-1..@t0 .block", nil))},
		"nodes/" + url.PathEscape(ids[0]) + "/life": question(c.Timeline(ctx, ids[0])),
		"calls":                    map[string]any{"unit": "bytes", "currency": "USD", "as_of": prices.BuiltIn().AsOf, "items": calls},
		"calls?after=1&limit=2":    map[string]any{"unit": "bytes", "currency": "USD", "as_of": prices.BuiltIn().AsOf, "items": calls[1:3], "next": 3},
		"calls?after=4&limit=9":    map[string]any{"unit": "bytes", "currency": "USD", "as_of": prices.BuiltIn().AsOf, "items": calls[4:]},
		"calls?after=99":           map[string]any{"unit": "bytes", "currency": "USD", "as_of": prices.BuiltIn().AsOf, "items": []any{}},
		"calls?from=@c2&to=@c2":    map[string]any{"unit": "bytes", "currency": "USD", "as_of": prices.BuiltIn().AsOf, "items": calls[1:2]},
		"strata?columns=2&rows=10": question(view.Draw(ctx, c, calls, small)),
		"attempts":                 map[string]any{"items": []any{}, "forms": strings.Fields("canonical openai responses anthropic gemini text markdown")},
		"log":                      map[string]any{"items": entries},
		"log?limit=1":              map[string]any{"items": entries[:1], "next": 1},
		"log?after=1&limit=1":      map[string]any{"items": entries[1:2], "next": 2},
		`plan {"policy":{"max_nodes":1,"protect_turns":1}}`:        question(c.PlanPruning(ctx, "working", &pact.Pruning{Policy: policy})),
		`plan?at=@c3 {"policy":{"max_nodes":1,"protect_turns":1}}`: question(c.PlanPruning(ctx, pact.Cycle(3), &pact.Pruning{Policy: policy})),
	} {
		method, body := "GET", ""
		if name, given, ok := strings.Cut(path, " "); ok {
			method, path, body = "POST", name, given
		}
		got := r.must(nil, method, "/v1/contexts/weather/"+path, body).body
		expected, err := json.Marshal(want)
		must(t, err)
		if plain(t, got) != plain(t, expected) {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, expected)
		}
	}
}

// plain writes JSON with sorted names.
func plain(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	must(t, json.Unmarshal(text, &v))
	sorted, err := json.Marshal(v)
	must(t, err)
	return string(sorted)
}

func TestThreadsAndSnapshotsAreTheBytesOfTheLibrary(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	snapshot, err := c.At(t.Context(), "latest")
	must(t, err)
	thread, err := snapshot.Thread(t.Context())
	must(t, err)
	messages, err := transcript.OpenAI(t.Context(), snapshot)
	must(t, err)
	var document bytes.Buffer
	err = snapshot.Export(t.Context(), &document)
	must(t, err)
	for path, want := range map[string][]byte{"thread": thread, "thread?as=openai": messages, "export?form=document": document.Bytes()} {
		if got := r.must(nil, "GET", "/v1/contexts/weather/"+path, "").body; string(got) != string(want) {
			t.Errorf("%s: %.100s, want %.100s", path, got, want)
		}
	}
	const path = "/v1/contexts/weather/thread"
	sum := sha256.Sum256(thread)
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	if got := r.must(nil, "GET", path, "").Header.Get("ETag"); strings.TrimPrefix(got, "W/") != tag {
		t.Errorf("the tag %s, want %s", got, tag)
	}
	got := r.call("GET", path, "", "If-None-Match", tag)
	if got.StatusCode != http.StatusNotModified || len(got.body) > 0 {
		t.Errorf("%s with %d bytes", got.Status, len(got.body))
	}
	got = r.call("GET", path, "", "Range", "bytes=10-19")
	if got.StatusCode != http.StatusPartialContent || string(got.body) != string(thread[10:20]) {
		t.Errorf("%s: %q", got.Status, got.body)
	}
	beyond := r.call("GET", path, "", "Range", fmt.Sprintf("bytes=%d-", len(thread)))
	beyond.refused(t, http.StatusRequestedRangeNotSatisfiable, "E_RANGE")
	if want := fmt.Sprintf("bytes */%d", len(thread)); beyond.Header.Get("Content-Range") != want {
		t.Errorf("Content-Range is %q, want %q", beyond.Header.Get("Content-Range"), want)
	}
	fields, _, err := record.Thread(t.Context(), snapshot, "anthropic")
	must(t, err)
	if got := r.must(nil, "GET", path+"?as=anthropic", "").body; string(got) != string(fields) {
		t.Errorf("as Anthropic's request: %.100s, want %.100s", got, fields)
	}
	r.call("GET", path+"?as=pidgin", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}

// A text that a user still writes is checked without a refusal; what is wrong is what select
// would say.
func TestACheckSaysWhatSelectWouldRefuse(t *testing.T) {
	r := start(t, server.Options{})
	weather(t, r)
	const in = "/v1/contexts/weather/"
	type checked struct {
		Normal string
		Error  failed
	}
	for _, text := range []string{"[ki", ".block[ttl<null]", "^", "@c1 .block[", "\x00", ".block(", "\u202e"} {
		var got checked
		r.must(&got, "GET", in+"select?normal=true&q="+url.QueryEscape(text), "")
		want := r.call("GET", in+"select?q="+url.QueryEscape(text), "").
			refused(t, http.StatusBadRequest, "E_SELECTOR_INVALID")
		if got.Normal != "" || !reflect.DeepEqual(got.Error, want) {
			t.Errorf("%q: %+v, and select says %+v", text, got.Error, want)
		}
	}
	var got checked
	r.must(&got, "GET", in+"select?normal=true&q="+url.QueryEscape(".block(role='user' ttl=5)"), "")
	if got.Error.Code != "" || got.Normal != ".block[role='user'][ttl=5]" {
		t.Errorf("%+v", got)
	}
	r.call("GET", in+"select?normal=true&q=.block&edition=none", "").refused(t, http.StatusBadRequest, "E_SELECTOR_INVALID")
	r.call("GET", "/v1/contexts/none/select?normal=true&q=.block", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

func TestSelectorsAndAddressesThatAreWrongAreRefusedWithTheirPlace(t *testing.T) {
	r := start(t, server.Options{})
	weather(t, r)
	const in = "/v1/contexts/weather/"
	for _, c := range []struct {
		path, code, token string
		status, offset    int
	}{
		{"select?q=" + url.QueryEscape(".block[ttl<null]"), "E_SELECTOR_INVALID", "null", 400, 11},
		{"select?explain=true&q=" + url.QueryEscape(".block ["), "E_SELECTOR_INVALID", "", 400, 8},
		{"select?q=" + url.QueryEscape("@t0..@c1 .block"), "E_SNAPSHOT_RANGE_KIND_MISMATCH", "@c1", 400, 5},
		{"select?q=" + url.QueryEscape("@c99 .block"), "E_SNAPSHOT_NOT_FOUND", "@c99", 404, 0},
	} {
		f := r.call("GET", in+c.path, "").refused(t, c.status, c.code)
		if at := f.Offset; at == nil || *at != c.offset || f.Token != c.token {
			t.Errorf("%s: token %q at %v, want %q at %d", c.path, f.Token, at, c.token, c.offset)
		}
	}
	for path, want := range map[string]string{
		"select":                              "400 E_DOCUMENT_INVALID",
		"tree?at=@c99":                        "404 E_SNAPSHOT_NOT_FOUND",
		"tree?at=nonsense":                    "400 E_SELECTOR_INVALID",
		"select?q=@t-1..@t0%20.block&limit=1": "400 E_DOCUMENT_INVALID",
		"nodes/nobody/life":                   "404 E_NODE_NOT_FOUND",
		"thread?at=@t-99":                     "404 E_SNAPSHOT_NOT_FOUND",
		"diff?from=@c99":                      "404 E_SNAPSHOT_NOT_FOUND",
		"calls?from=@c99":                     "404 E_SNAPSHOT_NOT_FOUND",
		"calls?unit=tokens":                   "400 E_DOCUMENT_INVALID",
		"diff?content_mode=no":                "400 E_DOCUMENT_INVALID",
	} {
		var status int
		var code string
		_, err := fmt.Sscan(want, &status, &code)
		must(t, err)
		r.call("GET", in+path, "").refused(t, status, code)
	}
	r.call("GET", "/v1/contexts/nobody/thread", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

// Each commit seals the active head and begins another, which is no news.
func TestADiffLeavesOutTheHead(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	said := `{"op":"add","into":"^ah","node":{"id":"%s","content":"x"}}`
	for cycle, id := range []string{"one", "two"} {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[`+said+`]}`, cycle, id))
	}
	type component struct {
		ID   string
		Type string `json:"nodeType"`
	}
	var d struct {
		Added   []component         `json:"components_added"`
		Removed []component         `json:"components_removed"`
		New     map[string][]string `json:"children_added"`
		Gone    map[string][]string `json:"children_removed"`
	}
	r.must(&d, "GET", "/v1/contexts/a/diff", "")
	types := []string{}
	for _, c := range d.Added {
		types = append(types, c.Type)
	}
	if fmt.Sprint(types) != "[seg cont block]" || len(d.Removed) != 0 || len(d.Gone) != 0 || d.New["root"] != nil {
		t.Errorf("%+v", d)
	}
}

// A selector of edition 1.0 may have controls of other programs; the answer says that they were ignored.
func TestIgnoredControlsAreReported(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a","edition":"1.0"}`)
	for query, want := range map[string]string{
		".block%20@limit=1": `{"ids":[]}`,
		".block%20@limt=1":  `{"ids":[],"warnings":["@limt=1 means nothing here and is ignored"]}`,
	} {
		if got := strings.TrimSpace(string(r.must(nil, "GET", "/v1/contexts/a/select?q="+query, "").body)); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
}
