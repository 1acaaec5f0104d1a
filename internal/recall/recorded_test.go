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
