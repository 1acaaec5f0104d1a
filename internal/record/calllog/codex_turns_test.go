package calllog

import (
	"bytes"
	"fmt"
	"slices"
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
		"counts of the oldest versions": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"),
			`"event_msg","payload":{"type":"token_count","input_tokens":1000,"output_tokens":1,"total_tokens":1001}`, codexSaid("user", "second"),
			codexSaid("assistant", "two"), `"event_msg","payload":{"type":"token_count","input_tokens":1100,"output_tokens":1}`},
			[]string{"first", "first, one, second"}, []int64{1000, 1100}, "[]"},
		"a counter that begins anew with the same number": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			spent(1000, 1000), codexSaid("user", "second"), codexSaid("assistant", "two"), spent(1000, 1000)},
			[]string{"first", "first, one, second"}, []int64{1000, 1000}, "[]"},
		"a counter that begins anew": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			codexSaid("user", "second"), codexSaid("assistant", "two"), spent(1500, 1500), codexSaid("user", "third"), codexSaid("assistant", "three"),
			spent(1400, 1400), codexSaid("user", "fourth"), codexSaid("assistant", "four"), spent(1500, 2900)},
			[]string{"first", "first, one, second", "first, one, second, two, third", "first, one, second, two, third, three, fourth"},
			[]int64{1000, 1500, 1400, 1500}, "[]"},
		"more tokens from the cache than came in": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"),
			`"event_msg","payload":{"type":"token_count","input_tokens":10,"cached_input_tokens":11,"output_tokens":1}`},
			[]string{"first"}, nil, "line 4: the tokens that this answer counts contradict each other"},
		"a compaction with only a summary": {[]string{codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
			`"compacted","payload":{"message":"So far: one."}`, codexSaid("user", "second"), codexSaid("assistant", "two"), spent(500, 1500)},
			[]string{"first", "first, So far: one., second"}, []int64{1000, 500}, "line 6: the rollout lacks what a compaction left"},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := readWhole(rollout(c.lines...))
			must(t, err)
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

// The lines of a rollout count in the order of their times, wherever they stand, and each once: what is read, and what the
// file counts, is that of the rollout in order. A finding says that they stood elsewhere, or twice, and nothing else.
func TestARolloutCountsInTheOrderOfItsTimesAndOnce(t *testing.T) {
	lines := slices.Collect(bytes.Lines(rollout(codexSaid("user", "first"), codexSaid("assistant", "one"), spent(1000, 1000),
		codexSaid("user", "second"), codexSaid("assistant", "two"), spent(1500, 2500), codexSaid("user", "third"),
		codexSaid("assistant", "three"), spent(1400, 1400))))
	const moved = "its lines were not in the order of their times"
	backwards := slices.Clone(lines)
	slices.Reverse(backwards)
	want, _ := Read(slices.Concat(lines...))
	for name, c := range map[string]struct {
		lines    [][]byte
		findings []string
	}{
		"two turns swapped":              {slices.Concat(lines[:2], lines[5:8], lines[2:5], lines[8:]), []string{moved}},
		"a count behind the next answer": {slices.Concat(lines[:4], lines[5:8], lines[4:5], lines[8:]), []string{moved}},
		"backwards":                      {backwards, []string{moved}},
		"written twice":                  {slices.Concat(lines, lines), []string{"line 12: it stands in the file twice and was read once (and 10 more"}},
		"a turn again, moved":            {slices.Concat(lines[:8], lines[2:5], lines[9:], lines[8:9]), []string{"line 9: it stands", moved}},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := Read(slices.Concat(c.lines...))
			must(t, err)
			said := len(log.Findings) == len(c.findings)
			for i := range c.findings {
				said = said && strings.Contains(log.Findings[i].Message, c.findings[i])
			}
			if !said {
				t.Errorf("the findings are %v, want %v", log.Findings, c.findings)
			}
			if log.Sums.In != want.Sums.In || log.Sums.Out != want.Sums.Out || log.Sums.Messages != want.Sums.Messages ||
				log.Sums.Records.File != int64(len(c.lines)) || log.Sums.Records.Read != int64(len(c.lines)) {
				t.Errorf("it counts %+v, want %+v", log.Sums, want.Sums)
			}
			for i := range want.Sessions[0].Calls {
				if got, want := log.Sessions[0].Calls[i], want.Sessions[0].Calls[i]; got.Request.Value() != want.Request.Value() ||
					!bytes.Equal(got.Answer, want.Answer) {
					t.Errorf("call %d is %s, want %s", i+1, got.Request.Value(), want.Request.Value())
				}
			}
		})
	}
}

// A fork begins with a copy of the thread that it goes on with, whose calls were made there: they are history, whichever
// times the copy has. Without ids that tell when a turn began a finding says that they may count.
func TestAForkDoesNotRepeatTheCallsOfItsThread(t *testing.T) {
	id := func(ms int64) string { return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff) }
	const began = int64(1788256800000)
	line := func(at, kind, payload string) string {
		return `{"timestamp":"2026-09-01T10:00:` + at + `Z","type":"` + kind + `","payload":{` + payload + "}}\n"
	}
	turn := func(at, id, asks, says string, in int) string {
		return line(at, "turn_context", `"model":"m","turn_id":"`+id+`"`) +
			line(at, "response_item", `"type":"message","role":"user","content":"`+asks+`"`) +
			line(at, "response_item", `"type":"message","role":"assistant","content":"`+says+`"`) +
			line(at, "event_msg", fmt.Sprintf(`"type":"token_count","info":{"last_token_usage":{"input_tokens":%d,"output_tokens":1}}`, in)) +
			line(at, "event_msg", `"type":"task_complete"`)
	}
	meta := line("30", "session_meta", `"id":"`+id(began+30e3)+`","forked_from_id":"`+id(began)+`"`)
	copied := func(at, turnID string) string {
		return line(at, "session_meta", `"id":"`+id(began)+`"`) + turn(at, turnID, "one", "1", 9)
	}
	own := turn("40", id(began+40e3), "two", "2", 12)
	for name, c := range map[string]struct {
		text, calls, said string
	}{
		"with the times of the fork": {meta + copied("30", id(began+1e3)) + own, "[user text one | assistant text 1 | user text two]", "here they are history"},
		"with its own times":         {copied("01", id(began+1e3)) + meta + own, "[user text one | assistant text 1 | user text two]", "here they are history"},
		"without a turn of its own":  {meta + copied("30", id(began+1e3)), "[]", "here they are history"},
		"a sub-agent":                {meta + line("30", "session_meta", `"id":"`+id(began)+`"`) + own, "[user text two]", "[]"},
		"without such ids": {meta + copied("30", "t1") + own, "[user text one user text one | assistant text 1 | user text two]",
			"it may begin with a copy"},
	} {
		t.Run(name, func(t *testing.T) {
			log := mustRead(t, c.text)
			var calls []string
			for i := range log.Sessions[0].Calls {
				calls = append(calls, words(requestOf(t, &log.Sessions[0].Calls[i]).Parts))
			}
			if got := fmt.Sprint(calls); got != c.calls || !strings.Contains(fmt.Sprint(log.Findings), c.said) || len(calls) > 0 && len(log.Findings) > 1 {
				t.Errorf("the calls are %s, want %s; the findings %v, want %s", got, c.calls, log.Findings, c.said)
			}
		})
	}
	grows(t, []byte(meta+copied("30", id(began+1e3))+own))
}
