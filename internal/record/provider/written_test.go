package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// canonical writes a JSON text as an Any is written.
func canonical(t *testing.T, text string) string {
	t.Helper()
	return string(parsed(t, text).AppendTo(nil))
}

// marks writes M where a cache marker stands.
func marks(text string) string {
	return strings.ReplaceAll(text, "M", `"cache_control":{"type":"ephemeral"}`)
}

// A request for Anthropic's API is marked behind what stays the same: the system prompt, or the tools if there is none, the
// messages that stay and all of them. Without its markers it is as it was.
func TestMarkersOfARequest(t *testing.T) {
	const user, tail = `{"role":"user","content":"q"}`, `{"role":"user","content":[{"type":"text","text":"q",M}]}`
	for _, x := range []struct {
		stay       int
		body, want string
	}{
		{0, `{"messages":[` + user + `]}`, `{"messages":[` + tail + `]}`},
		{1, `{"messages":[` + user + `,` + user + `,` + user + `]}`, `{"messages":[` + tail + `,` + user + `,` + tail + `]}`},
		{3, `{"messages":[` + user + `,` + user + `]}`, `{"messages":[` + user + `,` + tail + `]}`},
		{0, `{"tools":[{"name":"a"},{"name":"b"}],"messages":[]}`, `{"tools":[{"name":"a"},{"name":"b",M}],"messages":[]}`},
		{0, `{"system":[],"tools":[{"name":"a"}],"messages":[]}`, `{"system":[],"tools":[{"name":"a",M}],"messages":[]}`},
		{0, `{"system":"s","tools":[{"name":"a"}],"messages":[]}`, `{"system":"s","tools":[{"name":"a"}],"messages":[]}`},
		{0, `{"system":[{"type":"text","text":"a"},{"type":"text","text":"s"}],"tools":[{"name":"a"}],"messages":[]}`,
			`{"system":[{"type":"text","text":"a"},{"type":"text","text":"s",M}],"tools":[{"name":"a"}],"messages":[]}`},
		{0, `{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":""},{"type":"thinking","thinking":"t"},{"type":"redacted_thinking","data":"d"}]}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a",M},{"type":"text","text":""},{"type":"thinking","thinking":"t"},{"type":"redacted_thinking","data":"d"}]}]}`},
		{0, `{"messages":[{"role":"user","content":""}]}`, `{"messages":[{"role":"user","content":""}]}`},
		{0, `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}]}`},
		{0, `{"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`},
	} {
		if got := string(Mark(Messages, parsed(t, x.body), x.stay).AppendTo(nil)); got != canonical(t, marks(x.want)) {
			t.Errorf("%s, of which %d stay:\n got %s\nwant %s", x.body, x.stay, got, marks(x.want))
		}
		if got := string(Mark(Chat, parsed(t, x.body), x.stay).AppendTo(nil)); got != canonical(t, x.body) {
			t.Errorf("of another API: %s", got)
		}
	}
	const bare = `{"system":[{"type":"text","text":"s"}],"tools":[{"name":"a"}],"other":[{M}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"r"}]}]}]}`
	full := strings.NewReplacer(`"text":"s"`, `"text":"s",M`, `"name":"a"`, `"name":"a",M`, `"text":"r"`, `"text":"r",M`).Replace(bare)
	if got := string(WithoutMarkers(Messages, parsed(t, marks(full))).AppendTo(nil)); got != canonical(t, marks(bare)) {
		t.Errorf("without markers %s, want %s", got, marks(bare))
	}
}

// An answer comes again in the next request as a list of messages of its API.
func TestAnswersComeAgain(t *testing.T) {
	for _, x := range []struct {
		api          API
		answer, want string
	}{
		{Responses, `[{"type":"message"}]`, `[{"type":"message"}]`},
		{Messages, `[{"type":"text","text":"a"}]`, `[{"role":"assistant","content":[{"type":"text","text":"a"}]}]`},
		{Gemini, `{"role":"model","parts":[]}`, `[{"role":"model","parts":[]}]`},
		{Chat, `{"role":"assistant","content":"","refusal":null,"annotations":[],"name":"","audio":{"id":"x","data":"d"},"tool_calls":[{"id":"c"}]}`,
			`[{"role":"assistant","content":"","audio":{"id":"x"},"tool_calls":[{"id":"c"}]}]`},
	} {
		got := string(Repeated(x.api, parsed(t, x.answer)).AppendTo(nil))
		if want := canonical(t, x.want); got != want {
			t.Errorf("%s: %s, want %s", x.api, got, want)
		}
	}
}

// A content takes other texts where both are texts, and nothing else of a body changes.
func TestTextsAreRewritten(t *testing.T) {
	for _, x := range []struct {
		content, with, want string // want "" where it cannot
	}{
		{`"a"`, `"b"`, `"b"`}, {`"a"`, `[]`, ""}, {`[ {"text":"a","n":1.0}, {"text":"b"} ]`, `[{"text":"c"},{"text":"b"}]`, `[ {"text":"c","n":1.0}, {"text":"b"} ]`},
		{`[{"text":"a"}]`, `[{"text":"a"},{"text":"b"}]`, ""}, {`[{"text":1}]`, `[{"text":"b"}]`, `[{"text":1}]`},
		{`[{"text":"a"}]`, `[{"text":2}]`, `[{"text":"a"}]`},
	} {
		body := []byte(`{"x": 1.0, "content":` + x.content + `}`)
		root, ok := splice.Parse(body)
		if !ok {
			t.Fatalf("%s is not read", body)
		}
		var e splice.Edits
		is := Rewrite(&e, root.Get("content"), canon.Value(x.with))
		if is != (x.want != "") {
			t.Errorf("%s with %s: %v", x.content, x.with, is)
		}
		if got := string(e.Apply(body)); is && got != `{"x": 1.0, "content":`+x.want+`}` {
			t.Errorf("%s with %s: %s, want %s", x.content, x.with, got, x.want)
		}
	}
}

// What the provider counted of a request that it has is known when the request is forecast again: of one with markers what
// it read and wrote, which ends at the last of them, of any other all.
func TestCountsOfARequestThatIsCached(t *testing.T) {
	const marked = `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`
	const bare = `{"model":"m","messages":[{"role":"user","content":"a"}]}`
	d := *anthropicCache
	d.Least = nil
	n := func(of int64) *int64 { return &of }
	for name, x := range map[string]struct {
		rules *CacheRules
		api   API
		body  string
		u     Usage
		want  *int64
	}{
		"read and written":      {&d, Messages, marked, Usage{In: n(9), Cached: n(3), Written: n(4)}, n(7)},
		"only written":          {&d, Messages, marked, Usage{In: n(9), Cached: n(0), Written: n(4)}, n(4)},
		"only read":             {&d, Messages, marked, Usage{In: n(9), Cached: n(3), Written: n(0)}, n(3)},
		"neither":               {&d, Messages, marked, Usage{In: n(9), Cached: n(0), Written: n(0)}, nil},
		"without what was read": {&d, Messages, marked, Usage{In: n(9), Written: n(4)}, nil},
		"without markers":       {chatCache, Chat, bare, Usage{In: n(9), Cached: n(3)}, n(9)},
		"not counted":           {chatCache, Chat, bare, Usage{Cached: n(3)}, nil},
	} {
		for _, again := range []bool{false, true} { // the last call, or one before it
			c, at := x.rules.NewCache(), time.Unix(0, 0)
			p := read(t, x.rules, x.api, x.body)
			c.Call(p, at)
			if again {
				c.Call(read(t, x.rules, x.api, strings.Replace(x.body, `"a"`, `"b"`, 1)), at)
			}
			c.SetCounts(p, x.u)
			f := c.Forecast(p, at)
			if f.Blocks != 1 || (f.Tokens == nil) != (x.want == nil) || f.Tokens != nil && *f.Tokens != *x.want {
				t.Errorf("%s, a call later %v: %+v, want %v", name, again, f, x.want)
			}
		}
	}
}
