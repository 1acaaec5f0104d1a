package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

type object = map[string]any

// odd is a number in a spelling that no encoder of Go writes.
const odd = "1.50e2"

// said makes a conversation that a provider takes.
type said struct {
	r     *rand.Rand
	calls int
	lists map[provider.API]func(turns int) object
}

func conversations(r *rand.Rand) *said {
	s := &said{r: r}
	s.lists = map[provider.API]func(int) object{provider.Messages: s.messages, provider.Chat: s.chat,
		provider.Responses: s.responses, provider.Gemini: s.gemini}
	return s
}

func (s *said) call() (id string, arguments json.RawMessage) {
	s.calls++
	return fmt.Sprintf("call_%d", 100+s.calls), json.RawMessage(`{"z":` + odd + `,"a":"` + strings.Repeat("x", s.r.IntN(3)) + `"}`)
}

func (s *said) text() string { return fmt.Sprintf("text %d", s.r.IntN(1000)) }

func (s *said) marked(o object) object {
	if s.r.IntN(8) == 0 {
		o["cache_control"] = object{"type": "ephemeral"}
	}
	return o
}

func (s *said) messages(turns int) object {
	var messages []any
	add := func(role string, content any) { messages = append(messages, object{"role": role, "content": content}) }
	add("user", s.text())
	for range turns {
		var said, results []any
		if s.r.IntN(2) == 0 {
			said = append(said, object{"type": "thinking", "thinking": "", "signature": "s"})
		}
		said = append(said, s.marked(object{"type": "text", "text": s.text()}))
		for range s.r.IntN(3) {
			id, arguments := s.call()
			said = append(said, object{"type": "tool_use", "id": id, "name": "f", "input": arguments})
			results = append(results, object{"type": "tool_result", "tool_use_id": id, "content": s.text()})
		}
		add("assistant", said)
		if s.r.IntN(3) == 0 || len(results) == 0 {
			results = append(results, s.marked(object{"type": "text", "text": s.text()}))
		}
		add("user", results)
		if s.r.IntN(4) == 0 {
			add("system", s.text())
		}
	}
	body := object{"model": []string{"claude-opus-4-8", "claude-3-haiku"}[s.r.IntN(2)], "max_tokens": 10, "messages": messages,
		"tools":  []any{object{"name": "f", "input_schema": object{"type": "object"}}},
		"system": []any{object{"type": "text", "text": "s"}}}
	return body
}

func (s *said) chat(turns int) object {
	messages := []any{object{"role": "user", "content": s.text()}}
	for range turns {
		var calls, results []any
		for range s.r.IntN(3) {
			id, arguments := s.call()
			calls = append(calls, object{"id": id, "type": "function", "function": object{"name": "f",
				"arguments": string(arguments)}})
			results = append(results, object{"role": "tool", "tool_call_id": id, "content": s.text()})
		}
		m := object{"role": "assistant", "content": s.text()}
		if calls != nil {
			m["tool_calls"] = calls
			m["content"] = nil
		}
		messages = append(append(messages, m), results...)
		if s.r.IntN(2) == 0 {
			messages = append(messages, object{"role": "user", "content": s.text()})
		}
	}
	return object{"model": "gpt-5", "messages": messages, "temperature": json.RawMessage(odd),
		"tools": []any{object{"type": "function", "function": object{"name": "f"}}}}
}

func (s *said) responses(turns int) object {
	items := []any{object{"role": "user", "content": s.text()}}
	for range turns {
		if s.r.IntN(2) == 0 {
			items = append(items, object{"type": "reasoning", "id": "rs_1", "summary": []any{}, "encrypted_content": "gAAA"})
		}
		if s.r.IntN(2) == 0 {
			items = append(items, object{"type": "message", "role": "assistant", "content": s.text()})
		} else {
			id, arguments := s.call()
			items = append(items, object{"type": "function_call", "call_id": id, "name": "f", "arguments": string(arguments)},
				object{"type": "function_call_output", "call_id": id, "output": s.text()})
		}
	}
	return object{"model": "gpt-5", "store": false, "input": items, "temperature": json.RawMessage(odd)}
}

func (s *said) gemini(turns int) object {
	var contents []any
	add := func(role string, parts ...any) { contents = append(contents, object{"role": role, "parts": parts}) }
	add("user", object{"text": s.text()})
	for range turns {
		id, arguments := s.call()
		switch s.r.IntN(3) {
		case 0:
			add("model", object{"text": s.text()})
			add("user", object{"text": s.text()})
		case 1:
			add("model", object{"functionCall": object{"name": "f", "args": arguments}, "thoughtSignature": "s"})
			add("user", object{"functionResponse": object{"name": "f", "response": object{}}})
		default:
			add("model", object{"text": s.text(), "thought": true},
				object{"functionCall": object{"id": id, "name": "f", "args": arguments}, "thoughtSignature": "s"},
				object{"functionCall": object{"name": "g", "args": object{}}})
			add("user", object{"functionResponse": object{"id": id, "name": "f", "response": object{}}},
				object{"functionResponse": object{"name": "g", "response": object{}}})
		}
	}
	return object{"contents": contents, "tools": []any{object{"functionDeclarations": []any{object{"name": "f"}}}}}
}

// mutable are the members that mutate looks into.
var mutable = []string{"role", "signature", "thoughtSignature", "encrypted_content", "messages", "messages", "contents",
	"contents", "input", "input", "content", "parts", "text", "id", "tool_use_id", "tool_call_id", "call_id", "tool_calls",
	"cache_control", "name", "functionCall", "functionResponse", "system", "tools"}

// mutate changes a value somewhere below, in a way that may break a rule.
func (s *said) mutate(v any) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 || s.r.IntN(3) > 0 && len(v) > 0 {
			if len(v) > 0 {
				i := s.r.IntN(len(v))
				v[i] = s.mutate(v[i])
			}
			return v
		}
		i := s.r.IntN(len(v))
		switch s.r.IntN(3) {
		case 0:
			return append(append([]any{}, v[:i]...), v[i+1:]...)
		case 1:
			return append(append(append([]any{}, v[:i+1]...), v[i]), v[i+1:]...)
		}
		j := s.r.IntN(len(v))
		v = append([]any{}, v...)
		v[i], v[j] = v[j], v[i]
		return v
	case object:
		var names []string
		for _, name := range mutable {
			if _, there := v[name]; there || name == "cache_control" && v["type"] != nil {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return v
		}
		name := names[s.r.IntN(len(names))]
		switch old := v[name].(type) {
		case nil:
			if name == "cache_control" {
				v[name] = []object{{"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}}[s.r.IntN(2)]
			}
		case string:
			if name != "model" {
				v[name] = []string{"", "user", "assistant", "model", "call_101", "call!", strings.Repeat("n", 200), old}[s.r.IntN(8)]
			}
		default:
			v[name] = s.mutate(old)
		}
	}
	return v
}

// path is where a request to an API goes.
func path(name provider.API) string { return provider.PathOf(name, "gemini-3-pro") }

// takes reports whether the stand-in of a provider takes a request.
func takes(p *providertest.Provider, name provider.API, body []byte) (bool, string) {
	r := httptest.NewRequest(http.MethodPost, path(name), bytes.NewReader(body))
	r.Header = http.Header{"Anthropic-Version": {"2023-06-01"}, "X-Api-Key": {"k"}, "Authorization": {"Bearer k"},
		"X-Goog-Api-Key": {"k"}}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code == http.StatusOK, w.Body.String()
}

// The rules and the stand-in, which another reading of the documents made, agree on what a provider takes, whatever
// happened to a conversation; what Mend mends passes both, and it leaves numbers as they were written.
func TestRulesAgreeWithTheStandIn(t *testing.T) {
	seeds := testrun.Size(t, 40, 150, 5000)
	for seed := range uint64(seeds) {
		s := conversations(rand.New(rand.NewPCG(seed, 26)))
		for _, name := range []provider.API{provider.Messages, provider.Chat, provider.Responses, provider.Gemini} {
			value := s.lists[name](1 + s.r.IntN(4))
			question := &provider.CheckRequest{API: name, Model: map[provider.API]string{provider.Gemini: "gemini-3-pro"}[name],
				Body: encoded(t, value)}
			for range 1 + s.r.IntN(12) {
				agree(t, seed, question)
				var again object
				must(t, json.Unmarshal(question.Body, &again))
				changed, _ := s.mutate(again).(object)
				question.Body = encoded(t, changed)
			}
		}
	}
}

func encoded(t *testing.T, v any) []byte {
	text, err := json.Marshal(v)
	must(t, err)
	return text
}

// agree checks one request.
func agree(t *testing.T, seed uint64, q *provider.CheckRequest) {
	t.Helper()
	found, err := provider.Check(q)
	must(t, err)
	ok, why := takes(providertest.New(), q.API, q.Body)
	if ok != (len(found) == 0) {
		t.Fatalf("seed %d, %s: the stand-in takes it: %v (%s), and the rules find %+v\n%s", seed, q.API, ok, why, found, q.Body)
	}
	body, mended, err := provider.Mend(q)
	if err != nil {
		t.Fatalf("seed %d, %s: %v\n%s", seed, q.API, err, q.Body)
	}
	if len(found) == 0 && (!bytes.Equal(body, q.Body) || len(mended) > 0) {
		t.Fatalf("seed %d, %s: Mend changed a request that breaks no rule: %+v\n%s", seed, q.API, mended, body)
	}
	left, err := provider.Check(&provider.CheckRequest{API: q.API, Model: q.Model, Body: body})
	if err != nil {
		t.Fatalf("seed %d, %s: %v\n%s\n%s", seed, q.API, err, q.Body, body)
	}
	for _, f := range left {
		if f.Mends {
			t.Fatalf("seed %d, %s: Mend left %+v\n%s\n%s", seed, q.API, f, q.Body, body)
		}
	}
	if ok, why := takes(providertest.New(), q.API, body); len(left) == 0 && !ok {
		t.Fatalf("seed %d, %s: mended, and refused: %s\n%s\n%s", seed, q.API, why, q.Body, body)
	}
	if strings.Count(string(body), odd) < 1 && bytes.Contains(q.Body, []byte(`"temperature":`+odd)) {
		t.Fatalf("seed %d, %s: Mend rewrote a number\n%s\n%s", seed, q.API, q.Body, body)
	}
}

var must = testrun.Must
