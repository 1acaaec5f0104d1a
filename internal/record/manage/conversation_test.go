package manage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

var must = testrun.Must

func compiledRules(t *testing.T, policy string) *Rules {
	t.Helper()
	p, err := lifecycle.ParsePolicy([]byte(policy))
	must(t, err)
	c, err := Compile(&p)
	must(t, err)
	return c
}

// conversation is one whose requests follow a list of decisions, as a recorder that manages sends them.
type conversation struct {
	*testing.T
	api    provider.API
	fields map[string]any // of each request
	said   []any
	now    time.Time

	rules  *Rules
	list   *List
	ledger *Ledger
	memory *Memory
	last   *Request
}

// converse begins a conversation of which no model has a price.
func converse(t *testing.T, policy string, api provider.API, model string) *conversation {
	t.Helper()
	return &conversation{T: t, api: api, fields: map[string]any{"model": model}, now: time.Unix(1e9, 0),
		said: []any{map[string]any{"role": "user", "content": "Look."}}, rules: compiledRules(t, policy), list: NewList(),
		ledger: NewLedger(func(string) (Price, bool) { return Price{}, false }), memory: NewMemory()}
}

// asks has the request follow the list, without a decision.
func (c *conversation) asks(more ...any) *Request {
	c.Helper()
	c.said = append(c.said, more...)
	fields := map[string]any{provider.ListOf(c.api): c.said}
	for name, value := range c.fields {
		fields[name] = value
	}
	body, err := json.Marshal(fields)
	must(c.T, err)
	q, ok := c.memory.Read(c.api, "", body, apart)
	if !ok {
		c.Fatal(string(body))
	}
	must(c.T, q.Follow(c.list))
	c.last = q
	return q
}

// sends sends a request with some more messages, and returns what is decided about it, by the calls.
func (c *conversation) sends(more ...any) string {
	c.Helper()
	q := c.asks(more...)
	c.ledger.Begin(q, c.now)
	list, err := c.rules.Decide(c.Context(), c.list, q, c.ledger, func() bool { return false })
	must(c.T, err)
	var made []string
	for _, d := range list {
		c.list.Add(d)
		made = append(made, string(d.Action)+" "+c.about(d.Key))
	}
	must(c.T, q.Follow(c.list))
	c.ledger.End(q, len(list) > 0)
	return strings.Join(made, ", ")
}

// about names the part with a key.
func (c *conversation) about(key string) string {
	i := slices.IndexFunc(c.last.Parts, func(p Part) bool { return p.Key == key })
	if p := &c.last.Parts[i]; p.Kind == "thinking" {
		return "a thought behind " + c.last.Parts[i-1].Call
	} else {
		return p.Call
	}
}

// formed says in which forms the last request has its parts, but for those that go as they came.
func (c *conversation) formed() string {
	var list []string
	for _, i := range c.last.Formed() {
		p := &c.last.Parts[i]
		list = append(list, string(p.Form().Action)+" "+c.about(p.Key))
	}
	return strings.Join(list, ", ")
}

// text returns the text that the last request has as the result of a call.
func (c *conversation) text(call string) string {
	c.Helper()
	i, has := c.last.results[call]
	if !has || i < 0 {
		c.Fatal("no result of", call)
	}
	return textOf(c.last.Parts[i].Content())
}

// called returns a call with its result; in the API of Anthropic a thought stands before it if it is not "".
func called(api provider.API, id, arguments, thought string, result any) []any {
	if api == provider.Chat {
		return []any{map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": id, "type": "function",
			"function": map[string]any{"name": "read", "arguments": arguments}}}},
			map[string]any{"role": "tool", "tool_call_id": id, "content": result}}
	}
	said := []any{map[string]any{"type": "tool_use", "id": id, "name": "read", "input": json.RawMessage(arguments)}}
	if thought != "" {
		said = append([]any{map[string]any{"type": "thinking", "thinking": thought, "signature": id}}, said...)
	}
	return []any{map[string]any{"role": "assistant", "content": said},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result}}}}
}

// turnOf returns the n-th call, of a file of its own, with its result.
func turnOf(api provider.API, n int, thought string, result any) []any {
	return called(api, fmt.Sprint("c", n), fmt.Sprintf(`{"n":%d}`, n), thought, result)
}

// decisionsOf sends a request after each turn of a conversation and returns what is decided about each.
func decisionsOf(t *testing.T, policy string, api provider.API, model string, turns ...[]any) (all []string) {
	t.Helper()
	c := converse(t, policy, api, model)
	for _, turn := range turns {
		all = append(all, c.sends(turn...))
	}
	return all
}
