package record_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A check, a title and summaries get names that say what they are and whose, and leave the plain
// names to the work, whichever comes first. A later recorder goes on counting.
func TestQuestionsAsideAreNamed(t *testing.T) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"fine"}],`+
			`"stop_reason":"end_turn"}`)
	}))
	defer provider.Close()
	const tools = `"tools":[{"name":"ls","input_schema":{"type":"object"}}],`
	const said = `{"role":"user","content":"mend it"},{"role":"assistant","content":[{"type":"text","text":"fine"}]},`
	requests := []string{
		`{"max_tokens":1,"messages":[{"role":"user","content":"quota"}]}`,
		`{"system":"Write a short Title for what the user says.","messages":[{"role":"user","content":"The user says: mend it"}]}`,
		`{` + tools + `"messages":[{"role":"user","content":"mend it"}]}`,
		`{` + tools + `"messages":[` + said + `{"role":"user","content":"and now?"}]}`,
		`{` + tools + `"messages":[{"role":"user","content":"another one, of its own"}]}`,
		`{"messages":[` + said + `{"role":"user","content":"and now?"},{"role":"user","content":"Write a summary."}]}`,
		`{"messages":[` + said + `{"role":"user","content":"and now?"},{"role":"user","content":"Summarize it."}]}`,
	}
	want := []string{"chat/check-1", "chat/title-1", "chat", "chat-2", "chat/summary-1", "chat/summary-2"}
	for _, together := range []bool{true, false} {
		s := pact.NewDB(store.NewMemory())
		var rec *record.Recorder
		for i, body := range requests {
			if rec == nil {
				rec = recorder(t, s, record.Options{Context: "chat", Strict: true})
			}
			client := &http.Client{Transport: rec.Transport(nil)}
			req, err := http.NewRequest(http.MethodPost, provider.URL+"/v1/messages",
				strings.NewReader(strings.Replace(body, "{", `{"model":"m",`, 1)))
			must(t, err)
			req.Header.Set("X-Claude-Code-Session-Id", "one")
			resp, err := client.Do(req)
			must(t, err)
			_, err = io.Copy(io.Discard, resp.Body)
			must(t, err)
			must(t, resp.Body.Close())
			if !together || i == len(requests)-1 {
				rec.Close()
				if names := rec.Contexts(); together && !slices.Equal(names, want) {
					t.Errorf("the contexts are %q, want %q", names, want)
				}
				if work := rec.Work(); together && work != "chat" {
					t.Errorf("the work is in %q", work)
				}
				rec = nil
			}
		}
		list, err := pact.List(t.Context(), s)
		must(t, err)
		var names []string
		for _, i := range list {
			names = append(names, i.Name)
		}
		sorted := slices.Sorted(slices.Values(want))
		if slices.Sort(names); !slices.Equal(names, sorted) {
			t.Errorf("with one recorder %v, the store has %q, want %q", together, names, sorted)
		}
	}
	for name, of := range map[string]string{"chat/summary-3": "chat", "a/b/title-12": "a/b", "chat": "", "chat-2": "",
		"chat/summary-0": "", "chat/summary-x": "", "/check-1": "", "chat/0": ""} {
		if got := record.AsideOf(name); got != of {
			t.Errorf("%s belongs to %q, want %q", name, got, of)
		}
	}
}

// Claude Code asks for the summary of all but the last answer, with its tools, and adds a line break to the
// last question (seen with 2.1.197). The conversation then goes on with the summary and that answer.
func TestTheCompactionOfClaudeCodeBelongsToItsConversation(t *testing.T) {
	t.Run("one recorder", func(t *testing.T) { compacts(t, false) })
	t.Run("a recorder for each call", func(t *testing.T) { compacts(t, true) })
}

func compacts(t *testing.T, again bool) {
	answers := []string{"It is 4711.", "<summary>4711 was printed.</summary>", "Fine."}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"`+answers[0]+
			`"}],"stop_reason":"end_turn"}`)
		answers = answers[1:]
	}))
	defer provider.Close()
	s, o := pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Strict: true}
	rec := record.New(s, o)
	for _, messages := range []string{
		`{"role":"user","content":[{"type":"text","text":"Today is Monday."},{"type":"text","text":"What is it?"}]}`,
		`{"role":"user","content":[{"type":"text","text":"Today is Monday."},{"type":"text","text":"What is it?\n"},` +
			`{"type":"text","text":"CRITICAL: Respond with TEXT ONLY: an <analysis> block followed by a <summary> block."}]}`,
		`{"role":"user","content":[{"type":"text","text":"Today is Monday."},{"type":"text","text":"4711 was printed."}]},` +
			`{"role":"assistant","content":"It is 4711."},{"role":"user","content":"Go on."}`,
	} {
		req, err := http.NewRequest(http.MethodPost, provider.URL+"/v1/messages", strings.NewReader(`{"model":"m",`+
			`"tools":[{"name":"ls","input_schema":{"type":"object"}}],"messages":[`+messages+`]}`))
		must(t, err)
		req.Header.Set("X-Claude-Code-Session-Id", "one")
		resp, err := (&http.Client{Transport: rec.Transport(nil)}).Do(req)
		must(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		must(t, err)
		must(t, resp.Body.Close())
		if again {
			rec.Close()
			rec = record.New(s, o)
		}
	}
	rec.Close()
	list, err := pact.List(t.Context(), s)
	must(t, err)
	if len(list) != 2 || list[0].Name != "chat" || list[1].Name != "chat/summary-1" {
		t.Errorf("the contexts are %v", list)
	}
	c, err := pact.Open(t.Context(), s, "chat", nil)
	must(t, err)
	if _, last := c.Cycles(); last != 2 {
		t.Errorf("the conversation has %d calls, want 2", last)
	}
}

// The originals of a conversation stand aside of it, those of a sub-agent without a context aside of its
// session; originals of no conversation in the list stay in it.
func TestOriginalsAreFolded(t *testing.T) {
	var all []history.Info
	for _, name := range []string{"chat", "chat/originals", "chat/title-1", "hook/s1", "hook/s1/a7/originals", "other/originals",
		"originals", "/originals"} {
		all = append(all, history.Info{Name: name})
	}
	shown, asides := record.FoldAsides(all)
	var names []string
	for _, i := range shown {
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); got != "chat hook/s1 other/originals originals /originals" ||
		!maps.Equal(asides, map[string]int{"chat": 2, "hook/s1": 1}) {
		t.Errorf("%s and %v", got, asides)
	}
}
