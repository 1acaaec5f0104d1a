package calllog

import (
	"fmt"
	"strings"
	"testing"
)

// rollout writes lines of a rollout of Codex, a second apart.
func rollout(lines ...string) []byte {
	var b strings.Builder
	for i, line := range append([]string{`"session_meta","payload":{"id":"c"}`, `"turn_context","payload":{"model":"gpt-5.4"}`}, lines...) {
		fmt.Fprintf(&b, `{"timestamp":"2026-08-20T10:00:%02dZ","type":%s}`+"\n", i, line)
	}
	return []byte(b.String())
}

func codexSaid(role, text string) string {
	return `"response_item","payload":{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + text + `"}]}`
}

func spent(in, all int) string {
	return fmt.Sprintf(`"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,`+
		`"output_tokens":%d},"last_token_usage":{"input_tokens":%d,"output_tokens":1}}}`, all, all/1000, in)
}

const (
	toolCall   = `"response_item","payload":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}`
	toolResult = `"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.txt"}`
)

// TestTurnsOfCodex: what each call was sent after turns were taken back, after a message of another agent, and after a
// compaction that left only its summary.
func TestTurnsOfCodex(t *testing.T) {
	environment := codexSaid("user", "<environment_context> here")
	for name, c := range map[string]struct {
		lines    []string
		sent     []string
		tokens   []int64
		findings string
	}{
		"a turn taken back": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000), codexSaid("user", "second"),
			codexSaid("assistant", "two"), spent(1100, 2100), `"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}`,
			codexSaid("user", "better"), codexSaid("assistant", "three"), spent(1200, 3300)},
			[]string{"first", "first, one, second", "first, one, better"}, []int64{1000, 1100, 1200}, "[]"},
		"a number that is a text": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			`"event_msg","payload":{"type":"thread_rolled_back","num_turns":"1"}`, codexSaid("user", "better"), codexSaid("assistant", "two"),
			spent(1100, 2100)}, []string{"first", "better"}, []int64{1000, 1100}, "[]"},
		"no number of turns": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			`"event_msg","payload":{"type":"thread_rolled_back"}`, codexSaid("user", "second"), codexSaid("assistant", "two"), spent(1100, 2100)},
			[]string{"first", "first, one, second"}, []int64{1000, 1100}, "line 6: it does not say how many turns it takes back"},
		"two turns taken back": {[]string{environment, codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			codexSaid("user", "second"), codexSaid("assistant", "two"), spent(1100, 2100),
			`"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}`, codexSaid("user", "better"), codexSaid("assistant", "three"),
			spent(1200, 3300)}, []string{"<environment_context> here, first", "<environment_context> here, first, one, second",
			"<environment_context> here, better"}, []int64{1000, 1100, 1200}, "[]"},
		"more than there are": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			`"event_msg","payload":{"type":"thread_rolled_back","num_turns":5}`, codexSaid("user", "better"), codexSaid("assistant", "three"),
			spent(1200, 2200)}, []string{"first", "better"}, []int64{1000, 1200}, "line 6: it takes back more turns than there are"},
		"a message of another agent": {[]string{`"response_item","payload":{"type":"agent_message","author":"/root",` +
			`"content":[{"type":"input_text","text":"Look."}]}`, codexSaid("assistant", "Hello."), spent(1000, 1000)},
			[]string{"Look."}, []int64{1000}, "[]"},
		"one between a call and its result": {[]string{codexSaid("user", "first"), toolCall, `"response_item","payload":{"type":` +
			`"agent_message","content":[{"type":"input_text","text":"Hurry."}]}`, toolResult, spent(1000, 1000),
			codexSaid("assistant", "done"), spent(1100, 2100)}, []string{"first", "first, ls, Hurry., a.txt"}, []int64{1000, 1100}, "[]"},
		"a compaction with only a summary": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			`"compacted","payload":{"message":"So far: one."}`, codexSaid("user", "second"), codexSaid("assistant", "two"), spent(500, 1500)},
			[]string{"first", "first, So far: one., second"}, []int64{1000, 500}, "line 6: the rollout lacks what a compaction left"},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := Read(rollout(c.lines...))
			if err != nil {
				t.Fatal(err)
			}
			var sent []string
			var tokens []int64
			for i := range log.Sessions[0].Calls {
				call := &log.Sessions[0].Calls[i]
				var texts []string
				for _, item := range call.Request.Members[0].Value.Elems {
					f := raw(item.AppendTo(nil)).fields()
					text := f.text("name", "output")
					for _, part := range f["content"].elems() {
						text += part.fields().text("text")
					}
					texts = append(texts, text)
				}
				sent = append(sent, strings.Join(texts, ", "))
				if a, _ := answerOf(call); a.Usage.In != nil {
					tokens = append(tokens, *a.Usage.In)
				}
			}
			if fmt.Sprint(sent) != fmt.Sprint(c.sent) || fmt.Sprint(tokens) != fmt.Sprint(c.tokens) {
				t.Errorf("sent %q with %d tokens, want %q with %d", sent, tokens, c.sent, c.tokens)
			}
			if !strings.Contains(fmt.Sprint(log.Findings), c.findings) {
				t.Errorf("the findings are %v, want %s", log.Findings, c.findings)
			}
		})
	}
}
