package calllog

import "testing"

// What a list of messages has tells whose they are; a list of which one is no message has no form.
func TestFormsOfMessages(t *testing.T) {
	part := func(p string) string { return `[{"role":"user","content":[{"type":"text","text":"a"},` + p + `]}]` }
	for text, want := range map[string][2]bool{ // Anthropic's, of chat completions
		`[]`: {}, `[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"system","content":"c"}]`: {},
		part(`{"type":"tool_use"}`): {true, false}, part(`{"type":"tool_result"}`): {true, false}, part(`{"type":"thinking"}`): {true, false},
		part(`{"type":"redacted_thinking"}`): {true, false}, part(`{"type":"image","source":{}}`): {true, false},
		part(`{"type":"document","source":{}}`): {true, false}, part(`{"type":"image"}`): {}, part(`{"type":"text","source":{}}`): {},
		part(`{"type":"image_url"}`): {false, true}, part(`{"type":"input_audio"}`): {false, true},
		`[{"role":"assistant","stop_reason":"end_turn","usage":{}}]`: {true, false}, `[{"role":"assistant","usage":{}}]`: {},
		`[{"role":"assistant","stop_reason":"end_turn"}]`: {}, `[{"role":"assistant","tool_calls":[{}]}]`: {false, true},
		`[{"role":"assistant","function_call":{"name":"f"}}]`: {false, true}, `[{"role":"assistant","tool_calls":[],"function_call":null}]`: {},
		`[{"role":"tool"}]`: {false, true}, `[{"role":"developer"}]`: {false, true}, `[{"role":"function"}]`: {false, true},
		`[{"role":"tool"},{"role":"odd"}]`: {}, `[{"content":"a"}]`: {},
		`[{"role":"tool"},{"role":"user","content":[{"type":"tool_result"}]}]`: {true, true},
	} {
		anthropic, chat := formsOf(raw(text).elems())
		if got := [2]bool{anthropic, chat}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
