package transcript

import (
	"testing"
)

// The rules find what they are for.
func TestPairingRules(t *testing.T) {
	call := func(ids ...string) string {
		s := `{"role":"assistant","content":null,"tool_calls":[`
		for i, id := range ids {
			if i > 0 {
				s += ","
			}
			s += `{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{}"}}`
		}
		return s + `]}`
	}
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }
	const user, said = `{"role":"user","content":"u"}`, `{"role":"assistant","content":"t"}`
	for _, c := range []struct {
		name              string
		messages          []string
		openAI, anthropic int // faults
	}{
		{"nothing to pair", []string{user, said, user}, 0, 0},
		{"a pair", []string{user, call("a"), result("a"), user}, 0, 0},
		{"two, answered in another order", []string{call("a", "b"), result("b"), result("a"), said}, 0, 0},
		{"no result", []string{call("a"), user}, 1, 1},
		{"no result at the end", []string{user, call("a")}, 1, 1},
		{"one of two", []string{call("a", "b"), result("b"), user}, 1, 1},
		{"no call", []string{user, result("a"), user}, 1, 1},
		{"a call further up", []string{call("a"), result("a"), said, result("a")}, 1, 1},
		{"words of the assistant between", []string{call("a"), said, result("a")}, 2, 0},
		{"words of the user between", []string{call("a"), user, result("a")}, 2, 1},
		{"two messages with calls", []string{call("a"), call("b"), result("a"), result("b")}, 2, 0},
		{"two results of one call", []string{call("a"), result("a"), result("a")}, 1, 1},
		{"a call twice", []string{call("a", "a"), result("a"), result("a")}, 1, 1},
		{"nothing said", []string{`{"role":"assistant","content":null}`}, 1, 0},
		{"calls of the user", []string{`{"role":"user","content":"u","tool_calls":[{"id":"a"}]}`, result("a")}, 1, 1},
		{"an unknown role", []string{`{"role":"other","content":"u"}`}, 1, 0},
	} {
		text := "["
		for i, m := range c.messages {
			if i > 0 {
				text += ","
			}
			text += m
		}
		list := chatMessages(t, []byte(text+"]"))
		if o, a := openAIFaults(list), anthropicFaults(modelSides(list)); len(o) != c.openAI || len(a) != c.anthropic {
			t.Errorf("%s: got %q and %q, want %d and %d", c.name, o, a, c.openAI, c.anthropic)
		}
	}
}
