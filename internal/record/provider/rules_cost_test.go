package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// A check costs what its body warrants: twice the calls and results make about twice the allocations, wherever
// the results stand and whatever is wrong with them.
func TestCostOfACheckIsLinear(t *testing.T) {
	testrun.CountsAllocations(t)
	list := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	const use = `{"type":"tool_use","id":"a%[1]d","name":"f","input":{}}`
	const answer = `{"type":"tool_result","tool_use_id":"a%[1]d","content":"r"}`
	const chatCall = `{"id":"a%[1]d","type":"function","function":{"name":"f","arguments":"{}"}}`
	const chatResult = `{"role":"tool","tool_call_id":"a%[1]d","content":"r"}`
	const item = `{"type":"function_call","call_id":"a%[1]d","name":"f","arguments":"{}"}`
	const output = `{"type":"function_call_output","call_id":"a%[1]d","output":"r"}`
	messages := func(rest ...string) string {
		return `{"model":"claude-opus-5","max_tokens":1,"messages":[{"role":"user","content":"q"},` + strings.Join(rest, ",") + `]}`
	}
	chat := func(rest ...string) string {
		return `{"model":"gpt-5","messages":[{"role":"user","content":"q"},` + strings.Join(rest, ",") + `]}`
	}
	input := func(rest ...string) string {
		return `{"model":"gpt-5","store":false,"input":[` + strings.Join(rest, ",") + `]}`
	}
	says := func(role, content string) string { return `{"role":"` + role + `","content":[` + content + `]}` }
	calls := func(content string) string { return `{"role":"assistant","tool_calls":[` + content + `]}` }
	const user = `{"role":"user","content":"q"}`
	for name, c := range map[string]struct {
		api  provider.API
		body func(n int) string
	}{
		"chat, calls answered": {provider.Chat, func(n int) string { return chat(calls(list(n, chatCall)), list(n, chatResult)) }},
		"chat, answered late":  {provider.Chat, func(n int) string { return chat(calls(list(n, chatCall)), user, list(n, chatResult)) }},
		"messages, answered late, one by one": {provider.Messages, func(n int) string {
			return messages(says("assistant", list(n, use)), user, list(n, says("user", answer)))
		}},
		"messages, ids with a dot": {provider.Messages, func(n int) string {
			return strings.ReplaceAll(messages(says("assistant", list(n, use)), says("user", list(n, answer))), `"a`, `"a.`)
		}},
		"responses, answered": {provider.Responses, func(n int) string { return input(list(n, item), list(n, output)) }},
		"gemini, answered in reverse": {provider.Gemini, func(n int) string {
			answers := strings.Split(list(n, `{"functionResponse":{"name":"f","id":"%d","response":{}}}`), ",{\"functionR")
			for i := range answers {
				answers[i] = `{"functionR` + strings.TrimPrefix(answers[i], `{"functionR`)
			}
			slices.Reverse(answers)
			return `{"contents":[{"role":"model","parts":[` + list(n, `{"functionCall":{"name":"f","id":"%d"}}`) +
				`]},{"role":"user","parts":[` + strings.Join(answers, ",") + `]}]}`
		}},
	} {
		var allocs []float64
		for _, n := range []int{400, 800} {
			q := &provider.CheckRequest{API: c.api, Body: []byte(c.body(n))}
			allocs = append(allocs, testing.AllocsPerRun(1, func() {
				if _, err := provider.Check(q); err != nil {
					t.Fatal(name, err)
				}
			}))
		}
		t.Logf("%-36s %8.0f %8.0f", name, allocs[0], allocs[1])
		if allocs[1] > 2.3*allocs[0] {
			t.Errorf("%s: %.0f allocations for 400, %.0f for 800", name, allocs[0], allocs[1])
		}
	}
}
