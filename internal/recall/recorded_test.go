package recall_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/recall"
	"github.com/contexttree/pact/record"
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
	for api, c := range map[string]struct{ body, answer string }{
		"openai.chat": {`{"model":"m","messages":[{"role":"user","content":"go"}]}`,
			`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":` +
				`{"name":"pact_note","arguments":"{\"text\":\"use make\",\"key\":\"k\"}"}}]},"finish_reason":"tool_calls"}]}`},
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
		for _, no := range []map[string]any{{"text": "use make", "ttl": 2}, {"text": "another"}} {
			if text, failed := ask(t, s, "note", no); !failed || !strings.Contains(text, "would change nothing") {
				t.Errorf("%s, %v: %s", api, no, text)
			}
		}
	}
}
