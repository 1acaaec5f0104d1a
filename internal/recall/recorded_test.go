package recall_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/recall"
	"github.com/contexttree/pact/record"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// In a recorded context a result is pinned for the recorder that manages it, and let go; where none manages, and of what
// is no result, the tool says so.
func TestPinInARecordedContext(t *testing.T) {
	db := memory(t)
	importer, err := record.NewImporter(t.Context(), db, record.ImportOptions{Context: "chat"})
	must(t, err)
	_, err = importer.Add(t.Context(), record.PastCall{API: "openai.chat", Body: []byte(`{"model":"m","messages":[{"role":"user","content":"go"},
		{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"` + strings.Repeat("a line, ", 100) + `"}]}`), Status: 200,
		Answer: []byte(`{"choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}`)})
	must(t, err)
	c, err := pact.Open(t.Context(), db, "chat", nil)
	must(t, err)
	ids, err := c.Working().Select(t.Context(), ".cb[kind='result']", nil)
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	s := connect(t, db, recall.Options{Pin: true, Note: true, Actor: "agent"})
	pin := func(id string, off bool) (string, bool) {
		return ask(t, s, "pin", map[string]any{"id": id, "off": off, "context": "chat"})
	}
	if text, failed := pin(ids[0], false); !failed || !strings.Contains(text, "no recorder manages") {
		t.Error(text)
	}
	_, err = pact.Create(t.Context(), db, "chat/originals", nil) // as a recorder that manages does
	must(t, err)
	for _, off := range []bool{false, true} {
		text, failed := pin(ids[0], off)
		if failed {
			t.Fatal(text)
		}
		has(t, text, ids[0], map[bool]string{false: "stays in what is sent", true: "may take it again"}[off])
	}
	kept, err := pact.Open(t.Context(), db, "chat/originals", nil)
	must(t, err)
	thread, err := kept.Working().Thread(t.Context())
	must(t, err)
	has(t, string(thread), `"pinned: by hand"`, `"by hand"`)
	others, err := c.Working().Select(t.Context(), ".cb[kind='call']", nil)
	must(t, err)
	if text, failed := pin(others[0], false); !failed {
		t.Error(text)
	}
}

// A note in a recorded context is the call of note itself, which its program sends again: of the last answer, by the text.
func TestANoteInARecordedContextIsItsCall(t *testing.T) {
	synctest.Test(t, noteIsItsCall) // waits
}

func noteIsItsCall(t *testing.T) {
	for api, c := range map[string]struct{ body, answer string }{
		"openai.chat": {`{"model":"m","messages":[{"role":"user","content":"go"}]}`,
			`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":` +
				`{"name":"pact_note","arguments":"{\"text\":\"use make\"}"}}]},"finish_reason":"tool_calls"}]}`},
		"anthropic.messages": {`{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"go"}]}`,
			`{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"c1",` +
				`"name":"mcp__pact__note","input":{"text":"use make"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`},
	} {
		db := memory(t)
		importer, err := record.NewImporter(t.Context(), db, record.ImportOptions{Context: "chat"})
		must(t, err)
		_, err = importer.Add(t.Context(), record.PastCall{API: api, Body: []byte(c.body), Status: 200, Answer: []byte(c.answer)})
		must(t, err)
		chat, err := pact.Open(t.Context(), db, "chat", nil)
		must(t, err)
		ids, err := chat.Working().Select(t.Context(), ".cb[kind='call']", nil)
		if err != nil || len(ids) != 1 {
			t.Fatal(api, ids, err)
		}
		s := connect(t, db, recall.Options{Note: true})
		text, failed := ask(t, s, "note", map[string]any{"text": "use make"})
		if failed {
			t.Errorf("%s: %s", api, text)
		}
		has(t, text, ids[0]+", this call with its text, is the note")
		for _, no := range []map[string]any{{"text": "use make", "ttl": 2}, {"text": "use make", "key": "k"}, {"text": "another"}} {
			if text, failed := ask(t, s, "note", no); !failed || !strings.Contains(text, "would change nothing") {
				t.Errorf("%s, %v: %s", api, no, text)
			}
		}
	}
}

// answered records a call in a context, whose answer calls note with some texts, and returns the ids of these calls.
func answered(t *testing.T, db *pact.DB, name string, o record.ImportOptions, texts ...string) []string {
	t.Helper()
	var calls []string
	for i, text := range texts {
		arguments, err := json.Marshal(map[string]string{"text": text})
		must(t, err)
		calls = append(calls, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"pact_note","arguments":%q}}`, i, arguments))
	}
	o.Context = name
	importer, err := record.NewImporter(t.Context(), db, o)
	must(t, err)
	_, err = importer.Add(t.Context(), record.PastCall{API: "openai.chat", Status: 200, Ended: time.Now().UnixNano(),
		Body: []byte(`{"model":"m","messages":[{"role":"user","content":"go on in ` + name + `"}]}`),
		Answer: []byte(`{"choices":[{"message":{"role":"assistant","content":"so","tool_calls":[` + strings.Join(calls, ",") +
			`]},"finish_reason":"tool_calls"}]}`)})
	must(t, err)
	c, err := pact.Open(t.Context(), db, name, nil)
	must(t, err)
	ids, err := c.Working().Select(t.Context(), ".cb[kind='call']", nil)
	if err != nil || len(ids) != len(texts) {
		t.Fatal(ids, err)
	}
	return ids
}

// The call is found where it is, whichever context changed last, and also where an answer, or the first of all, is recorded
// after the tool was called. A server that looks at one context finds it there alone.
func TestANoteIsFoundWhereItsCallIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memory(t)
		all, one := connect(t, db, recall.Options{Note: true}), connect(t, db, recall.Options{Note: true, Context: "aside"})
		var ids []string
		var recorded sync.WaitGroup
		later := func(record func()) {
			recorded.Go(func() { time.Sleep(250 * time.Millisecond); record() })
		}
		finds := func(s *mcp.ClientSession, text string) {
			t.Helper()
			got, failed := ask(t, s, "note", map[string]any{"text": text})
			recorded.Wait()
			if failed || !strings.Contains(got, ids[0]+", this call") {
				t.Errorf("%s is %v: %s", text, ids, got)
			}
		}
		later(func() { ids = answered(t, db, "chat", record.ImportOptions{}, "first") })
		finds(all, "first")
		answered(t, db, "of an agent that is gone", record.ImportOptions{}, "else", "again")
		time.Sleep(time.Second)
		all = connect(t, db, recall.Options{Note: true})
		later(func() { ids = answered(t, db, "of this one", record.ImportOptions{}, "again") })
		finds(all, "again")
		later(func() {
			ids = answered(t, db, "again", record.ImportOptions{}, "second")
			answered(t, db, "aside", record.ImportOptions{})
		})
		finds(all, "second")
		if got, failed := ask(t, one, "note", map[string]any{"text": "second"}); !failed || !strings.Contains(got, "aside, and its last answer") {
			t.Error(got)
		}
		begin(t, db, "by hand", "")
		later(func() { ids = answered(t, db, "third", record.ImportOptions{}, "third") })
		begin(t, db, "by hand, too", "")
		finds(all, "third")
		begin(t, db, "by hand, last", "")
		if got, failed := ask(t, all, "note", map[string]any{"text": "nobody said it", "ttl": 2}); failed {
			t.Error(got)
		}
	})
}

// Two calls with one text are two notes, and a client that asks again is told the same; a text that is recorded without
// its secret is found by the rest.
func TestEachNoteIsItsOwnCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memory(t)
		s := connect(t, db, recall.Options{Note: true})
		note := func(text string, parts ...string) {
			t.Helper()
			got, failed := ask(t, s, "note", map[string]any{"text": text})
			if failed {
				t.Error(got)
			}
			has(t, got, parts...)
		}
		ids := answered(t, db, "chat", record.ImportOptions{}, "twice", "twice", "else")
		note("twice", ids[0])
		note("twice", ids[1])
		note("twice", ids[0])
		token := "ghp_" + strings.Repeat("aB3dE5gH9", 4)
		ids = answered(t, db, "secret", record.ImportOptions{Redact: []*regexp.Regexp{regexp.MustCompile("ghp_[0-9A-Za-z]+")}}, "else", "the token is "+token+", keep it")
		note("the token is "+token+", keep it", ids[1], "but for what the record has as [redacted]")
		for _, other := range []string{"the token is short", "a token is " + token + ", keep it", "the token is, keep it"} {
			if got, failed := ask(t, s, "note", map[string]any{"text": other}); !failed {
				t.Errorf("%s: %s", other, got)
			}
		}
	})
}
