package runs_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

type object = map[string]any

// asked is a call of the Messages API, with what its provider counted.
type asked struct {
	model            string // "" for claude-opus-4-8
	system           string
	tools            []string
	messages         []object
	in, cached, out_ int    // tokens; of in those that came from the cache
	written          int    // of in, to the cache
	answer           string // the answer, "" for yes
	cleared          int    // tokens that the provider says it cleared
	rewrites         bool   // the log says that the agent rewrote the conversation
	status           int    // 0 for 200; a provider says nothing more of what it refuses
}

func user(text string) object      { return object{"role": "user", "content": text} }
func assistant(text string) object { return object{"role": "assistant", "content": text} }

// called returns the messages of a call of a tool, and of its result. The provider gives the call an id.
func called(id, tool, arguments, result string) []object {
	return []object{
		{"role": "assistant", "content": []object{{"type": "tool_use", "id": id, "name": tool, "input": object{"of": arguments}}}},
		{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id, "content": result}}},
	}
}

// recorded returns the context of some calls in a new store.
func recorded(t *testing.T, name string, calls ...asked) *pact.Context {
	t.Helper()
	db := pact.NewDB(store.NewMemory())
	recordedIn(t, db, record.ImportOptions{Context: name}, calls...)
	return opened(t, db, name)
}

// recordedIn records some calls in a store.
func recordedIn(t *testing.T, db *pact.DB, o record.ImportOptions, calls ...asked) {
	t.Helper()
	importer, err := record.NewImporter(t.Context(), db, o)
	must(t, err)
	for i, c := range calls {
		model := c.model
		if model == "" {
			model = "claude-opus-4-8"
		}
		body := object{"model": model, "max_tokens": 9, "messages": c.messages}
		if c.system != "" {
			body["system"] = c.system
		}
		var tools []object
		for _, tool := range c.tools {
			tools = append(tools, object{"name": tool, "description": "of " + tool, "input_schema": object{"type": "object"}})
		}
		if tools != nil {
			body["tools"] = tools
		}
		answer := object{"type": "message", "role": "assistant", "model": model, "content": []object{{"type": "text", "text": cmp.Or(c.answer, "yes")}}}
		if c.in > 0 {
			answer["usage"] = object{"input_tokens": c.in - c.cached - c.written, "cache_read_input_tokens": c.cached,
				"cache_creation_input_tokens": c.written, "output_tokens": c.out_}
		}
		if c.cleared > 0 {
			answer["context_management"] = object{"applied_edits": []object{{"type": "clear_tool_uses_20250919",
				"cleared_tool_uses": 2, "cleared_input_tokens": c.cleared}}}
		}
		if c.status >= 400 {
			answer = object{"type": "error", "error": object{"type": "invalid_request_error", "message": "no"}}
		}
		p := record.PastCall{API: "anthropic.messages", Path: "/v1/messages", Body: written(t, body), Answer: written(t, answer),
			Status: cmp.Or(c.status, 200), Rewrites: c.rewrites,
			Started: int64(i+1) * 1e9, Ended: int64(i+1)*1e9 + 1}
		_, err = importer.Add(t.Context(), p)
		must(t, err)
	}
}

func written(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return text
}

func opened(t *testing.T, db *pact.DB, name string) *pact.Context {
	t.Helper()
	c, err := pact.Open(t.Context(), db, name, nil)
	must(t, err)
	return c
}

// growing returns the calls of a conversation, one after each pair of messages, of which each sends all before.
func growing(first []object, pairs ...[]object) (calls []asked) {
	all := append([]object{}, first...)
	calls = append(calls, asked{messages: append([]object{}, all...), in: 10, out_: 2})
	for i, pair := range pairs {
		all = append(all, pair...)
		calls = append(calls, asked{messages: append([]object{}, all...), in: 20 + 10*i, cached: 10 + 10*i, out_: 2})
	}
	return calls
}

// shared imports a real session, and leaves the test out where there is none.
func shared(t *testing.T, path string) (db *pact.DB, text []byte) {
	t.Helper()
	text, err := os.ReadFile(testrun.Shared(t, "data", path)[0])
	must(t, err)
	return imported(t, text), text
}

// imported returns a store with the context run, of a log.
func imported(t *testing.T, text []byte) *pact.DB {
	t.Helper()
	log, err := calllog.Read(text)
	must(t, err)
	db := pact.NewDB(store.NewMemory())
	plan, err := intake.PlanLog(t.Context(), log, intake.Options{Name: "run"})
	if err == nil {
		_, err = plan.Import(t.Context(), db, silent)
	}
	must(t, err)
	return db
}

func silent(int, int) {}

func number(n int) string { return fmt.Sprint(n) }

var must = testrun.Must
