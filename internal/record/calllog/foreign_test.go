package calllog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// TestWhatIsKnownAndNotReadIsNamed: a file of another program is refused by its name, with what to do.
func TestWhatIsKnownAndNotReadIsNamed(t *testing.T) {
	for text, name := range map[string]string{
		`{"uuid":"1","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"Hi"}]}}`: "Qwen Code",
		`[{"uuid":"1","name":"Trip","chat_messages":[{"sender":"human","text":"Hi"}]}]`:                                  "Claude.ai",
		`{"id":"1","run_type":"llm","inputs":{"messages":[]},"outputs":{}}`:                                              "LangSmith",
		"{\"working_dir\":\"/r\",\"description\":\"x\",\"message_count\":2}\n{\"role\":\"user\",\"content\":[]}":         "goose",
		`{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"1"}]}`:                                   "goose",
		"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"tools\":[]}\n":                                 "claude -p",
		`{"type":"assistant","session_id":"s","message":{"role":"assistant","content":[]}}`:                              "claude -p",
		`{"type":"system","subtype":"init","apiKeySource":"login","session_id":"s","model":"m"}`:                         "Cursor",
		`{"type":"result","subtype":"success","session_id":"s","request_id":"r","result":"x"}`:                           "Cursor",
		"{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}":                                 "codex exec",
		`{"role":"user","message":{"content":[{"type":"text","text":"Hi"}]}}`:                                            "Cursor",
		`{"responderUsername":"GitHub Copilot","requests":[]}`:                                                           "Copilot",
		`{"info":{},"tasks":[],"simulations":[{"messages":[]}]}`:                                                         "tau2",
		`[{"id":0,"source":"user","action":"message","args":{"content":"Hi"}}]`:                                          "OpenHands",
		`{"trajectory":[{"id":0,"source":"agent","action":"run","args":{"command":"ls"}}]}`:                              "OpenHands",
		`{"instance_id":"x","history":[{"id":0,"source":"user","action":"message","args":{"content":"Hi"}}]}`:            "OpenHands",
		`[{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]}]`:                                               "AI SDK",
		`[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Hi"}]}]`:                                      "Pydantic",
		`{"id":"1","conversations":[{"from":"human","value":"Hi"},{"from":"gpt","value":"Ho"}]}`:                         "ShareGPT",
		"{\n \"id\": \"1\",\n \"conversations\": [{\"from\": \"human\", \"value\": \"Hi\"}]\n}":                          "ShareGPT",
	} {
		_, err := readWhole([]byte(text))
		if fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(fmt.Sprint(err), "looks like") ||
			!strings.Contains(fmt.Sprint(err), name) {
			t.Errorf("%s: %v, want a refusal that names %s", text, err, name)
		}
	}
	for name, data := range samples(t) {
		if err := Foreign(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What tells a foreign form may stand behind other lines, in the first ones of a file; the lines of one value are one.
func TestAForeignFormIsFoundInTheFirstLines(t *testing.T) {
	const other, goose = `{"note":"x"}` + "\n", `{"role":"assistant","created":1,"content":[{"type":"toolRequest","id":"1"}]}`
	for text, foreign := range map[string]bool{goose: true, other + goose: true, strings.Repeat(other, maxForeignLines-1) + goose: true,
		strings.Repeat(other, maxForeignLines) + goose: false, "{\n\"note\":1}\n" + goose: false, "": false, "\n\n": false} {
		if err := Foreign([]byte(text)); (err != nil) != foreign {
			t.Errorf("%.60q of %d bytes: %v", text, len(text), err)
		}
	}
}

// Claude Code writes the status of a failed call into its text, among the first words.
func TestStatusesInTexts(t *testing.T) {
	for text, want := range map[string]int{"API Error: 529 overloaded": 529, "API Error: 400": 400, "API Error: 599 x": 599, "API Error: 600": 0,
		"API Error: 399": 0, "it took 500 ms": 500, "one two three four 500": 0, "": 0} {
		if got := statusIn(text); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// Each conversation of each format says how close its requests are to what was sent, and each call of which API it is.
func TestEachCallSaysItsAPI(t *testing.T) {
	apis := []provider.API{provider.Messages, provider.Chat, provider.Responses, provider.Gemini}
	for name, data := range samples(t) {
		log, err := readWhole(data)
		must(t, err)
		for _, s := range log.Sessions {
			if s.API != "" && !slices.Contains(apis, s.API) || !slices.Contains([]Exactness{Rebuilt, Reported, Wire}, s.Exact) {
				t.Errorf("%s, %s: %q, %q", name, s.Name, s.API, s.Exact)
			}
			for i := range s.Calls {
				if !slices.Contains(apis, s.Calls[i].API) {
					t.Errorf("%s, %s, call %d: %q", name, s.Name, i, s.Calls[i].API)
				}
			}
		}
	}
}

// TestAFormIsKnownByWhatOnlyItHas: messages of Anthropic in an object, in lines, behind other messages; two forms in
// one file are an error that names both.
func TestAFormIsKnownByWhatOnlyItHas(t *testing.T) {
	const (
		ask    = `{"role":"user","content":"hello"}`
		call   = `{"role":"assistant","content":[{"type":"text","text":"Looking."},{"type":"tool_use","id":"t1","name":"ls","input":{}}]}`
		result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt","is_error":true}]}`
		done   = `{"role":"assistant","content":"done"}`
		talk   = ask + "," + done + ","
	)
	all := ask + "," + call + "," + result + "," + done
	for text, want := range map[string][2]string{
		`{"system":"Be brief.","messages":[` + all + `]}`:                                      {"a conversation of Anthropic messages", "1 Be brief."},
		`{"model":"claude-opus-4-8","messages":[` + all + `]}`:                                 {"a conversation of Anthropic messages", "1 "},
		`{"messages":[` + all + `]}` + "\n" + `{"messages":[` + all + `]}`:                     {"a conversation of Anthropic messages", "2 "},
		`[{"messages":[` + all + `]},{"messages":[` + all + `]}]`:                              {"a conversation of Anthropic messages", "2 "},
		`{"messages":[` + talk + ask + "," + done + `]}` + "\n" + `{"messages":[` + all + `]}`: {"a conversation of Anthropic messages", "2 "},
		`[` + all + `]`: {"a list of Anthropic messages", "1 "},
		`[{"role":"system","content":"Be brief."},` + all + `]`:                                           {"a list of Anthropic messages", "1 Be brief."},
		strings.ReplaceAll(strings.Repeat(talk, 9)+all, "},{\"role\"", "}\n{\"role\""):                    {"a list of Anthropic messages", "1 "},
		`{"model":"claude-opus-4-8","max_tokens":9,"messages":[` + ask + "," + call + "," + result + `]}`: {"a log of requests", "1 "},
		`[` + talk + ask + `]`: {"a list of chat messages", "1 "},
	} {
		if got := Detect([]byte(text)); got != want[0] {
			t.Errorf("%s is taken for %q, want %q", text, got, want[0])
			continue
		}
		if want[0] == "a list of chat messages" || want[0] == "a log of requests" {
			continue
		}
		log, err := readWhole([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		calls := log.Sessions[0].Calls
		last := requestOf(t, &calls[len(calls)-1])
		failed, system := 0, ""
		for _, p := range last.Parts {
			if p.Kind == "result" && p.Failed {
				failed++
			}
			if p.Role == "system" {
				system = p.Content.Text
			}
		}
		if got := fmt.Sprintf("%d %s", len(log.Sessions), system); got != want[1] || failed == 0 && len(log.Sessions) == 1 {
			t.Errorf("%s: %q, %d failed results, want %q; %v", text, got, failed, want[1], log.Findings)
		}
	}
}

// TestLinesMayStandInAList: what is one record a line is the same in a list.
func TestLinesMayStandInAList(t *testing.T) {
	for name, data := range samples(t) {
		want, err := readWhole(data)
		if err != nil || !canon.InLines(data) {
			continue
		}
		list := "[\n" + strings.Join(strings.Split(strings.TrimSpace(string(data)), "\n"), ",\n") + "\n]\n"
		got, err := readWhole([]byte(list))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if one, other := fmt.Sprint(want.Format, calls(want)), fmt.Sprint(got.Format, calls(got)); one != other {
			t.Errorf("%s: %s, in a list %s", name, one, other)
		}
	}
}

// TestPartsOfOtherFormsAreRefusedByName: calls and results in a form that chat messages do not have would be lost.
func TestPartsOfOtherFormsAreRefusedByName(t *testing.T) {
	const ask = `[{"role":"user","content":"Hi"},`
	for text, name := range map[string]string{
		ask + `{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t","toolName":"f","input":{}}]}]`:                      "AI SDK",
		ask + `{"role":"tool","content":[{"type":"tool-result","toolCallId":"t","output":"r"}]}]`:                                      "AI SDK",
		ask + `{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]}]`:                                  "Bedrock's Converse",
		`{"modelId":"m","messages":[{"role":"user","content":[{"text":"Hi"}]}]}`:                                                       "Bedrock's Converse",
		ask + `{"role":"tool","tool_call_id":"t","content":"r"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]`: "Anthropic",
	} {
		if _, err := readWhole([]byte(text)); fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(fmt.Sprint(err), name) {
			t.Errorf("%s: %v, want a refusal that names %s", text, err, name)
		}
	}
}
