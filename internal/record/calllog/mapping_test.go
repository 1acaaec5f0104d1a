package calllog

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// What each format's sample says at its second call, written by hand from the
// sample and the documentation of the format.
func TestSecondCallOfEachFormat(t *testing.T) {
	const (
		asks      = "user text Which book is this, and is it here? | user image"
		chatCall  = `assistant thinking It looks like Momo. | assistant call call_1 find_book {"arguments":"{\"title\":\"Momo\"}","name":"find_book"}`
		thinks    = `assistant thinking {"signature":"c2ln","thinking":"It looks like Momo.","type":"thinking"}`
		geminiHas = `assistant thinking {"text":"It looks like Momo.","thought":true} | assistant call `
	)
	for name, want := range map[string]struct{ request, answer string }{
		"litellm.jsonl": {"tool find_book | system text You help in a library. | " + asks + " | " + chatCall +
			" | tool result call_1 shelf 4", "assistant text Momo stands on shelf 4."},
		"langchain-dumpd.json": {"system text You help in a library. | " + asks + " | " + chatCall +
			" | tool result call_1 find_book failed the catalogue is closed", "assistant text I cannot look now."},
		"api_conversation_history.json": {asks + " | " + thinks +
			` | assistant call toolu_1 find_book {"id":"toolu_1","input":{"title":"Momo"},"name":"find_book","type":"tool_use"}` +
			" | tool result toolu_1 failed the catalogue is closed", "assistant text I cannot look now."},
		"agents-sdk-session.json": {asks + ` | assistant thinking {"encrypted_content":"gAAA","summary":` +
			`[{"text":"It looks like Momo.","type":"summary_text"}],"type":"reasoning"} | assistant call call_1 find_book ` +
			`{"arguments":"{\"title\":\"Momo\"}","call_id":"call_1","name":"find_book","type":"function_call"}` +
			" | tool result call_1 shelf 4", "assistant text Momo stands on shelf 4."},
		"conversations.json": {"user image | user text Which book is this, and is it here? | " +
			`assistant thinking A book It looks like Momo. | assistant call m3 catalogue.find ` +
			`{"arguments":"{\"title\":\"Momo\"}","name":"catalogue.find"} | tool result m3 catalogue.find shelf 4`,
			"assistant text Momo stands on shelf 4."},
		"langfuse.json": {"tool find_book | system text You help in a library. | " + asks + " | " + chatCall +
			" | tool result call_1 shelf 4", "assistant text Momo stands on shelf 4."},
		"inspect.json": {"tool find_book | system text You help in a library. | " + asks + " | " + chatCall +
			" | tool result call_1 shelf 4", "assistant text Momo stands on shelf 4."},
	} {
		t.Run(name, func(t *testing.T) {
			c := &sampleLog(t, name).Sessions[0].Calls[1]
			if got := words(requestOf(t, c).Parts); got != want.request {
				t.Errorf("the request says\n%s\nwant\n%s", got, want.request)
			}
			if _, said := answerOf(c); words(said) != want.answer {
				t.Errorf("the answer says %s, want %s", words(said), want.answer)
			}
		})
	}
}

// The three forms that LangChain writes give the same calls.
func TestFormsOfOneFormatGiveTheSame(t *testing.T) {
	for _, names := range [][]string{{"langchain-dumpd.json", "langchain-dicts.json", "langgraph-state.json"}} {
		want := ""
		for _, name := range names {
			log := sampleLog(t, name)
			log.Findings = nil // they name lines
			got := strings.Join(callLines(t, log), "\n")
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s gives\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

// An answer says the same as the message of the next request that repeats it:
// otherwise a conversation would fall apart at each call.
func TestRequestsRepeatTheAnswersBefore(t *testing.T) {
	for _, name := range []string{"langchain-dumpd.json", "atif.json", "otlp-genai.jsonl", "inspect.json",
		"agents-sdk-session.json", "agents-sdk-trace.jsonl", "api_conversation_history.json", "gemini-contents.json",
		"conversations.json"} {
		for _, s := range sampleLog(t, name).Sessions {
			for i := 1; i < min(2, len(s.Calls)); i++ {
				_, said := answerOf(&s.Calls[i-1])
				before := words(requestOf(t, &s.Calls[i-1]).Parts) + " | " + words(said)
				if now := words(requestOf(t, &s.Calls[i]).Parts); !strings.HasPrefix(now, before) {
					t.Errorf("%s: call %d says\n%s\nand does not begin with\n%s", name, i, now, before)
				}
			}
		}
	}
}

// Programs write times in many ways; all of these are one moment.
func TestTimesOfPrograms(t *testing.T) {
	const want = 1777885200250000000 // 2026-05-04T09:00:00.25Z
	for _, text := range []string{`"2026-05-04T09:00:00.25Z"`, `"2026-05-04T11:00:00.250+02:00"`,
		`"2026-05-04T09:00:00.250000"`, `"2026-05-04 09:00:00.25"`, `1777885200.25`, `1777885200250`, `"1777885200250"`,
		`1777885200250000`, `1777885200250000000`} {
		v, err := canon.ParseAny([]byte(text))
		must(t, err)
		if got := timeOf(v); got != want {
			t.Errorf("%s is %d, want %d", text, got, int64(want))
		}
	}
	for _, text := range []string{`0`, `17`, `"yesterday"`, `null`, `-1777885200`, `1e300`, `{}`,
		`"0001-01-01T00:00:00Z"`} {
		v, err := canon.ParseAny([]byte(text))
		must(t, err)
		if got := timeOf(v); got != 0 {
			t.Errorf("%s is %d, want no time", text, got)
		}
	}
}
