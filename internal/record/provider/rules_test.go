package provider_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
)

// Each rule finds what breaks it, at its place, and Mend writes what the page asks for and no other byte. want is the body
// after Mend, "" if a caller has to decide.
func TestRules(t *testing.T) {
	const head = `{"model":"claude-opus-5", "max_tokens":1.0e1,"messages":[`
	const call = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"n":1.50}}]}`
	const twoCalls = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}`
	const user = `{"role":"user","content":"q"}`
	const result = `{"type":"tool_result","tool_use_id":"a","content":"r"}`
	const none = `"(no result of this call was recorded)"`
	const left = `{"role":"user","content":"(what was said before was left out)"}`
	answer := func(content string) string { return `{"role":"user","content":[` + content + `]}` }
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	marked := func(s string) string {
		return `{"type":"text","text":"` + s + `","cache_control":{"type":"ephemeral"}}`
	}
	anthropic := func(messages ...string) string { return head + strings.Join(messages, ", ") + `]}` }
	chat := func(messages ...string) string {
		return `{"model":"gpt-5","messages":[` + strings.Join(messages, ",") + `]}`
	}
	input := func(items ...string) string {
		return `{"model":"gpt-5","store":false,"input":[` + strings.Join(items, ",") + `]}`
	}
	contents := func(list ...string) string { return `{"contents":[` + strings.Join(list, ",") + `]}` }
	const chatCall = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const itemCall = `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}`
	const output = `{"type":"function_call_output","call_id":"a","output":"r"}`
	const question = `{"role":"user","parts":[{"text":"q"}]}`
	const geminiCall = `{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"s"}]}`
	const response = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	for _, c := range []struct {
		api                     provider.API
		rule, place, body, want string
	}{
		{provider.Messages, "text", "messages[0].content[0].text", anthropic(answer(text(`cut \ud83d here \ud83d\ude00 \\ud83d`))),
			anthropic(answer(text(`cut \ufffd here \ud83d\ude00 \\ud83d`)))},
		{provider.Chat, "text", "messages[0].content", chat(`{"role":"user","content":"\ude00\uD83D"}`),
			chat(`{"role":"user","content":"\ufffd\ufffd"}`)},
		{provider.Gemini, "text", "contents[0].parts[0].text", contents(`{"role":"user","parts":[{"text":"\uDBFF\u0041"}]}`),
			contents(`{"role":"user","parts":[{"text":"\ufffd\u0041"}]}`)},
		{provider.Responses, "text", "input[0].content", input(`{"role":"user","content":"a\ud83d"}`),
			input(`{"role":"user","content":"a\ufffd"}`)},
		{provider.Responses, "text", "metadata", `{"model":"gpt-5","store":false,"input":"q","metadata":{"k\ud83d":"v"}}`,
			`{"model":"gpt-5","store":false,"input":"q","metadata":{"k\ufffd":"v"}}`},
		{provider.Messages, "pairs", "messages[1].content[0]", anthropic(user, call),
			head + user + ", " + call + `,` + answer(`{"type":"tool_result","tool_use_id":"a","content":`+none+`,"is_error":true}`) + `]}`},
		{provider.Messages, "pairs", "messages[1].content[0]", anthropic(user, call, user),
			anthropic(user, call, answer(`{"type":"tool_result","tool_use_id":"a","content":`+none+`,"is_error":true},`+text("q")))},
		{provider.Messages, "pairs", "messages[1].content[0]", anthropic(user, call, answer(text("q")), answer(result+","+text("b"))),
			anthropic(user, call, answer(result+","+text("q")), answer(text("b")))},
		{provider.Messages, "pairs", "messages[1].content[1]", anthropic(user, twoCalls, answer(result+","+text("q"))),
			anthropic(user, twoCalls, answer(result+`,{"type":"tool_result","tool_use_id":"b","content":`+none+`,"is_error":true},`+text("q")))},
		{provider.Messages, "pairs", "messages[0].content[0]", anthropic(answer(result + "," + text("b"))),
			anthropic(answer(text("b")))},
		{provider.Messages, "results-first", "messages[2].content[1]", anthropic(user, call, answer(text("b")+", "+result)),
			anthropic(user, call, answer(result+","+text("b")))},
		{provider.Messages, "call-ids", "messages[1].content[0]",
			strings.ReplaceAll(anthropic(user, call, answer(result)), `"a"`, `"a.b"`),
			strings.ReplaceAll(anthropic(user, call, answer(result)), `"a"`, `"call_1"`)},
		{provider.Messages, "roles", "messages[0]", anthropic(`{"role":"assistant","content":"x"}`, user),
			anthropic(left+`,{"role":"assistant","content":"x"}`, user)},
		{provider.Messages, "roles", "messages[1]", anthropic(user, `{"role":"tool","content":"x"}`), ""},
		{provider.Messages, "signatures", "messages[1].content[0]",
			anthropic(user, `{"role":"assistant","content":[{"type":"thinking","thinking":"t"}, `+text("b")+`]}`, user),
			anthropic(user, `{"role":"assistant","content":[`+text("b")+`]}`, user)},
		{provider.Messages, "empty-text", "messages[0].content[1]", anthropic(answer(text("b") + "," + text(""))),
			anthropic(answer(text("b")))},
		{provider.Messages, "empty-message", "messages[0]", anthropic(`{"role":"user","content":[]}`, user), anthropic(user)},
		{provider.Messages, "markers", "messages[0].content[0]",
			anthropic(answer(strings.Join([]string{marked("1"), marked("2"), marked("3"), marked("4"), marked("5")}, ","))),
			anthropic(answer(strings.Join([]string{text("1"), marked("2"), marked("3"), marked("4"), marked("5")}, ",")))},
		{provider.Messages, "markers", "messages[0].content[1]",
			anthropic(answer(marked("1") + "," + strings.Replace(marked("2"), `ephemeral"`, `ephemeral","ttl":"1h"`, 1))),
			anthropic(answer(marked("1") + "," + marked("2")))},
		{provider.Messages, "prefill", "messages[1]", anthropic(user, `{"role":"assistant","content":"x"}`), ""},
		{provider.Messages, "tool-names", "tools[0]", `{"tools":[{"name":"a b"}],` + anthropic(user)[1:], ""},
		{provider.Messages, "thinking-budget", "thinking.budget_tokens",
			`{"thinking":{"type":"enabled","budget_tokens":100},` + anthropic(user)[1:], ""},
		{provider.Messages, "thinking-in-loop", "messages[1]",
			`{"thinking":{"type":"enabled","budget_tokens":1024},` + anthropic(user, call, answer(result))[1:], ""},
		{provider.Chat, "pairs", "messages[1].tool_calls[0]", chat(user, chatCall, user),
			chat(user, chatCall, `{"role":"tool","tool_call_id":"a","content":`+none+`}`, user)},
		{provider.Chat, "pairs", "messages[1].tool_calls[0]", chat(user, chatCall, user, `{"role":"tool","tool_call_id":"a","content":"r"}`),
			chat(user, chatCall, `{"role":"tool","tool_call_id":"a","content":"r"}`, user)},
		{provider.Chat, "pairs", "messages[1]", chat(user, `{"role":"tool","tool_call_id":"a","content":"r"}`), chat(user)},
		{provider.Chat, "pairs", "messages[2]", chat(user, chatCall, `{"role":"tool","content":"r"}`),
			chat(user, chatCall, `{"tool_call_id":"a","role":"tool","content":"r"}`)},
		{provider.Chat, "pairs", "messages[2]", chat(user, chatCall, `{"role":"tool","tool_call_id":null,"tool_call_ids":["b", "a"],"content":"r"}`),
			chat(user, chatCall, `{"tool_call_id":"a","role":"tool","tool_call_ids":["b", "a"],"content":"r"}`)},
		{provider.Chat, "pairs", "messages[1].tool_calls[0]", chat(user, chatCall, `{"role":"tool","tool_call_ids":["b"],"content":"r"}`),
			chat(user, chatCall, `{"role":"tool","tool_call_id":"a","content":`+none+`}`)},
		{provider.Chat, "content", "messages[1]", chat(user, `{"role":"assistant","content":null}`, user), chat(user, user)},
		{provider.Chat, "limits", "stop", `{"stop":["1","2","3","4","5"],` + chat(user)[1:], ""},
		{provider.Responses, "pairs", "input[1]", input(user, itemCall, user),
			input(user, itemCall, `{"type":"function_call_output","call_id":"a","output":`+none+`}`, user)},
		{provider.Responses, "pairs", "input[0]", input(output, user), input(user)},
		{provider.Responses, "reasoning-stored", "input[1]", input(user, `{"type":"reasoning","summary":[]}`, itemCall, output),
			input(user, itemCall, output)},
		{provider.Responses, "reasoning-followed", "input[1]", input(user, `{"type":"reasoning","id":"r","encrypted_content":"x"}`, user),
			input(user, user)},
		{provider.Gemini, "pairs", "contents[1]", contents(question, geminiCall, question), contents(question, geminiCall,
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":`+none+`}}},{"text":"q"}]}`)},
		{provider.Gemini, "pairs", "contents[1].parts[0]", contents(question, `{"role":"user","parts":[{"functionResponse":{"name":"f"}},{"text":"q"}]}`),
			contents(question, question)},
		{provider.Gemini, "call-order", "contents[2]", contents(question, `{"role":"model","parts":[{"text":"x"}]}`, geminiCall, response),
			contents(question, `{"role":"model","parts":[{"text":"x"},{"functionCall":{"name":"f"},"thoughtSignature":"s"}]}`, response)},
		{provider.Gemini, "signatures", "contents[1].parts[0]", contents(question, `{"role":"model","parts":[{"functionCall":{"name":"f"}}]}`, response),
			contents(question, `{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"skip_thought_signature_validator"}]}`, response)},
		{provider.Gemini, "parts", "contents[0].parts[1]", contents(`{"role":"user","parts":[{"text":"q"},{"thought":true}]}`), contents(question)},
	} {
		q := &provider.CheckRequest{API: c.api, Body: []byte(c.body)}
		if c.api == provider.Gemini {
			q.Model = "gemini-3-pro"
		}
		found, err := provider.Check(q)
		if err != nil || len(found) == 0 || found[0].Rule != c.rule || found[0].Place != c.place || found[0].Mends != (c.want != "") ||
			!strings.HasPrefix(found[0].Source, "https://") {
			t.Errorf("%s\n  found %+v (%v), want %s at %s", c.body, found, err, c.rule, c.place)
			continue
		}
		if c.want == "" {
			continue
		}
		if got, _, err := provider.Mend(q); err != nil || string(got) != c.want {
			t.Errorf("%s (%v)\n  mended %s\n  want   %s", c.body, err, got, c.want)
		}
	}
}

// A model that binds thinking to its prefix refuses it behind a change, and the rule names the same block: without it the
// provider takes the request. OpenAI's drop it. An older model takes everything.
func TestBoundPrefix(t *testing.T) {
	sent := func(p *providertest.Provider, name provider.API, body string) bool {
		ok, _ := takes(p, name, []byte(body))
		return ok
	}
	first := func(model string) string {
		return `{"model":"` + model + `","max_tokens":9,"system":"s","messages":[{"role":"user","content":"q"}]}`
	}
	next := func(model, system string, more string) string {
		return `{"model":"` + model + `","max_tokens":9,"system":"` + system + `","messages":[{"role":"user","content":"q"},` + more + `]}`
	}
	const thought = `{"type":"thinking","thinking":"t1","signature":"sigt1"}`
	const said = `{"role":"assistant","content":[` + thought + `,{"type":"text","text":"a"}]},{"role":"user","content":"more"}`
	for model, bound := range map[string]bool{"claude-fable-5-1": true, "claude-opus-4-8": false} {
		p := providertest.New(providertest.Turn{Thinking: "t1", Text: "a"})
		if !sent(p, provider.Messages, first(model)) || !sent(p, provider.Messages, next(model, "s", said)) {
			t.Fatalf("%s: the same prefix is refused", model)
		}
		changed := next(model, "other", said)
		if ok := sent(p, provider.Messages, changed); ok == bound {
			t.Errorf("%s: the stand-in takes a changed prefix: %v", model, ok)
		}
		q := &provider.CheckRequest{API: provider.Messages, Body: []byte(changed), After: []byte(next(model, "s", said))}
		found, err := provider.Check(q)
		if err != nil || (len(found) == 1) != bound || bound && (found[0].Rule != "bound-prefix" || found[0].Place != "messages[1].content[0]") {
			t.Fatalf("%s: %+v, %v", model, found, err)
		}
		mended, _, err := provider.Mend(q)
		if want := strings.Replace(changed, thought+",", "", 1); err != nil || bound && string(mended) != want {
			t.Errorf("%s: mended %s, want %s (%v)", model, mended, want, err)
		}
		if !sent(p, provider.Messages, string(mended)) {
			t.Errorf("%s: the mended request is refused", model)
		}
	}
	const reasoning = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAt1"}`
	item := func(question string) string {
		return `{"model":"gpt-6.2-sol","input":[{"role":"user","content":"` + question + `"},` + reasoning +
			`,{"role":"assistant","content":"a"},{"role":"user","content":"more"}]}`
	}
	p := providertest.New(providertest.Turn{Thinking: "t1", Text: "a"})
	sent(p, provider.Responses, `{"model":"gpt-6.2-sol","input":[{"role":"user","content":"q"}]}`)
	if !sent(p, provider.Responses, item("q")) || p.Dropped() != 0 || !sent(p, provider.Responses, item("other")) || p.Dropped() != 1 {
		t.Fatalf("%d items of reasoning were dropped", p.Dropped())
	}
	found, err := provider.Check(&provider.CheckRequest{API: provider.Responses, Body: []byte(item("other")), After: []byte(item("q"))})
	if err != nil || len(found) != 1 || found[0].Place != "input[1]" {
		t.Fatalf("%+v, %v", found, err)
	}
}
