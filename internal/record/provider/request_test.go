package provider

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
)

// line says of a part what there is to say.
func line(p Part) string {
	words := []string{[]string{"tool", "system", "message"}[p.Section], fmt.Sprint(p.Message), p.Role, p.Kind}
	for _, word := range []string{p.Call, p.Name} {
		if word != "" {
			words = append(words, word)
		}
	}
	if p.Failed {
		words = append(words, "failed")
	}
	return strings.Join(words, " ") + " " + string(p.Content.Value())
}

func TestPartsOfEachAPI(t *testing.T) {
	for _, c := range []struct {
		api        API
		body       string
		model      string
		parameters string
		parts      []string
	}{
		{Chat, `{"model":"gpt-5.5","stream":true,"temperature":0.5,"messages":[
			{"role":"developer","content":"Be kind."},
			{"role":"user","content":[{"type":"text","text":"Look:"},{"type":"image_url","image_url":{"url":"data:x"}}]},
			{"role":"assistant","content":null,"refusal":null,"reasoning_content":"hm","tool_calls":[
				{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"a.txt"}]},
			{"role":"tool","tool_call_id":"call_2","is_error":true,"content":"no such file"},
			{"role":"system","content":"late"}],
			"tools":[{"type":"function","function":{"name":"ls","parameters":{}}}]}`,
			"gpt-5.5", `{"stream":true,"temperature":0.5}`, []string{
				`tool -1  tool ls {"function":{"name":"ls","parameters":{}},"type":"function"}`,
				`system 0 system text "Be kind."`,
				`message 1 user text "Look:"`,
				`message 1 user image {"image_url":{"url":"data:x"},"type":"image_url"}`,
				`message 2 assistant thinking "hm"`,
				`message 2 assistant call call_1 ls {"arguments":"{}","name":"ls"}`,
				`message 3 tool result call_1 "a.txt"`,
				`message 4 tool result call_2 failed "no such file"`,
				`message 5 system text "late"`,
			}},
		{Responses, `{"model":"gpt-5.5","instructions":"Be kind.","store":false,"input":[
			{"type":"message","role":"developer","id":"msg_1","content":[{"type":"input_text","text":"rules"}]},
			{"role":"user","content":"hello"},
			{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA=="},
			{"type":"function_call","id":"fc_1","call_id":"call_1","name":"ls","arguments":"{}","status":"completed"},
			{"type":"function_call_output","call_id":"call_1","output":"a.txt"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done","annotations":[]}]}],
			"tools":[{"type":"function","name":"ls"},{"type":"web_search"}]}`,
			"gpt-5.5", `{"store":false}`, []string{
				`tool -1  tool ls {"name":"ls","type":"function"}`,
				`tool -1  tool {"type":"web_search"}`,
				`system -1 system text "Be kind."`,
				`system 0 system text "rules"`,
				`message 1 user text "hello"`,
				`message 2 assistant thinking {"encrypted_content":"gA==","summary":[],"type":"reasoning"}`,
				`message 3 assistant call call_1 ls {"arguments":"{}","call_id":"call_1","name":"ls","type":"function_call"}`,
				`message 4 tool result call_1 "a.txt"`,
				`message 5 assistant text "done"`,
			}},
		{Messages, `{"model":"claude-opus-4-8","max_tokens":9,
			"system":[{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral"}}],
			"tools":[{"name":"ls","input_schema":{},"cache_control":{"type":"ephemeral"}}],"messages":[
			{"role":"user","content":"hello"},
			{"role":"system","content":"a reminder"},
			{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},
				{"type":"tool_use","id":"toolu_1","name":"ls","input":{},"cache_control":{"type":"ephemeral"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,
				"content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}]}]}`,
			"claude-opus-4-8", `{"max_tokens":9}`, []string{
				`tool -1  tool ls {"input_schema":{},"name":"ls"}`,
				`system -1 system text "Be kind."`,
				`message 0 user text "hello"`,
				`message 1 system text "a reminder"`,
				`message 2 assistant thinking {"signature":"c2ln","thinking":"hm","type":"thinking"}`,
				`message 2 assistant call toolu_1 ls {"id":"toolu_1","input":{},"name":"ls","type":"tool_use"}`,
				`message 3 tool result toolu_1 failed [{"text":"a","type":"text"},{"text":"b","type":"text"}]`,
			}},
		{Gemini, `{"systemInstruction":{"parts":[{"text":"Be kind."}]},"generationConfig":{"temperature":0},"contents":[
			{"role":"user","parts":[{"text":"Look:"},{"inlineData":{"mimeType":"image/png","data":"eA=="}}]},
			{"role":"model","parts":[{"text":"hm","thought":true},
				{"functionCall":{"id":"f1","name":"ls","args":{}},"thoughtSignature":"c2ln"}]},
			{"role":"user","parts":[{"functionResponse":{"id":"f1","name":"ls","response":{"output":"a.txt"}}}]}],
			"tools":[{"functionDeclarations":[{"name":"ls"},{"name":"cat"}]},{"googleSearch":{}}]}`,
			"", `{"generationConfig":{"temperature":0}}`, []string{
				`tool -1  tool ls {"name":"ls"}`,
				`tool -1  tool cat {"name":"cat"}`,
				`tool -1  tool {"googleSearch":{}}`,
				`system -1 system text "Be kind."`,
				`message 0 user text "Look:"`,
				`message 0 user image {"inlineData":{"data":"eA==","mimeType":"image/png"}}`,
				`message 1 assistant thinking {"text":"hm","thought":true}`,
				`message 1 assistant call f1 ls {"functionCall":{"args":{},"id":"f1","name":"ls"},"thoughtSignature":"c2ln"}`,
				`message 2 tool result f1 ls {"functionResponse":{"id":"f1","name":"ls","response":{"output":"a.txt"}}}`,
			}},
	} {
		body := parsed(t, c.body)
		r, ok := ReadRequest(c.api, body)
		if !ok {
			t.Fatalf("%s: not read", c.api)
		}
		if r.Model != c.model || string(r.Parameters.Value()) != c.parameters {
			t.Errorf("%s: model %q, parameters %s", c.api, r.Model, r.Parameters.Value())
		}
		for i := range max(len(r.Parts), len(c.parts)) {
			got, want := "nothing", "nothing"
			if i < len(r.Parts) {
				got = line(r.Parts[i])
			}
			if i < len(c.parts) {
				want = c.parts[i]
			}
			if got != want {
				t.Errorf("%s: part %d is\n%s, want\n%s", c.api, i, got, want)
			}
		}
		joined(t, r, body)
	}
}

// joined checks that a request gives its body back, also when its frame was
// stored as text.
func joined(t testing.TB, r *Request, body canon.Any) {
	t.Helper()
	var contents []canon.Any
	for _, p := range r.Parts {
		contents = append(contents, p.Content)
	}
	stored := *r
	stored.Frame = parsed(t, string(r.Frame.Value()))
	again, err := stored.Join(contents)
	if err != nil || again.Value() != body.Value() {
		t.Fatalf("%s: %s came back as %s, %v", r.API, body.Value(), again.Value(), err)
	}
	if _, err := stored.Join(append(contents, body)); !errors.Is(err, fault.DocumentInvalid) {
		t.Fatalf("one part more: %v", err)
	}
	if len(contents) > 0 {
		if _, err := stored.Join(contents[1:]); !errors.Is(err, fault.DocumentInvalid) {
			t.Fatalf("one part less: %v", err)
		}
	}
}

// What a client may change from call to call without changing what it says.
func TestNotesAreNoContent(t *testing.T) {
	for _, c := range []struct {
		api      API
		one, two string
	}{
		{Messages, `{"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`,
			`{"messages":[{"role":"user","content":"a"}]}`},
		{Messages, `{"system":"s","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1",
			"content":[{"type":"text","text":"x","cache_control":{}}]}]}]}`,
			`{"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"1","content":"x","cache_control":{}}]}]}`},
		{Chat, `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":"b"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","refusal":null,"annotations":[]}]}`},
		{Responses, `{"input":"a"}`, `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}]}`},
		{Responses, `{"input":[{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"","status":"completed"}]}`,
			`{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":""}]}`},
	} {
		one, _ := ReadRequest(c.api, parsed(t, c.one))
		two, _ := ReadRequest(c.api, parsed(t, c.two))
		if got, want := lines(one), lines(two); got != want || got == "" {
			t.Errorf("%s says\n%s%s says\n%s", c.one, got, c.two, want)
		}
	}
}

func lines(r *Request) string {
	var all strings.Builder
	for _, p := range r.Parts {
		all.WriteString(line(p) + "\n")
	}
	return all.String()
}

func TestPathsOfRequests(t *testing.T) {
	for path, want := range map[string]API{
		"/v1/chat/completions": Chat, "/chat/completions": Chat, "/openai/deployments/x/chat/completions": Chat,
		"/v1/responses": Responses, "/backend-api/codex/responses": Responses, "/v1/responses/resp_1": "", "/v1/responses/compact": Responses,
		"/v1/messages": Messages, "/messages": Messages, "/v1/messages/": Messages, "/v1/messages/count_tokens": "",
		"/v1/messages/batches": "", "/v1/threads/t_1/messages": "", "/v1/models": "", "/v1/completions": "",
		"/v1beta/models/gemini-3-pro:generateContent":       Gemini,
		"/v1beta/models/gemini-3-pro:streamGenerateContent": Gemini,
		"/v1beta/models/gemini-3-pro:countTokens":           "", "/v1beta/models/x:batchGenerateContent": "", "": "",
	} {
		if got := APIOf("POST", path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
		if got := APIOf("GET", path); got != "" {
			t.Errorf("GET %s is %q", path, got)
		}
	}
	if got := ModelInPath("/v1beta/models/gemini-3-pro:generateContent"); got != "gemini-3-pro" {
		t.Errorf("the model is %q", got)
	}
	if got := ModelInPath("/model/anthropic.claude-opus-4-8-v1:0/invoke-with-response-stream"); got !=
		"anthropic.claude-opus-4-8-v1:0" {
		t.Errorf("the path of Bedrock names %q", got)
	}
	if got := ModelInPath("/v1/chat/completions"); got != "" {
		t.Errorf("the model is %q", got)
	}
}

// requestsOfRealAgents returns what three agents sent, by the name of the file.
func requestsOfRealAgents(t testing.TB) map[string][]*Request {
	t.Helper()
	requests := make(map[string][]*Request)
	for _, path := range testrun.Shared(t, "data", "agents/wire/*.jsonl") {
		requests[filepath.Base(path)] = requestsOf(t, path)
	}
	return requests
}

func requestsOf(t testing.TB, path string) (requests []*Request) {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 4<<20)
	for scan.Scan() {
		var sent struct {
			Method, URL string
			Body        json.RawMessage
		}
		must(t, json.Unmarshal(scan.Bytes(), &sent))
		path, _, _ := strings.Cut(sent.URL, "?")
		body := parsed(t, string(sent.Body))
		r, ok := ReadRequest(APIOf(sent.Method, path), body)
		if !ok || r.API == "" {
			t.Fatalf("%s %s was not read", sent.Method, sent.URL)
		}
		joined(t, r, body)
		requests = append(requests, r)
	}
	return requests
}

func TestRequestsOfRealAgents(t *testing.T) {
	all := requestsOfRealAgents(t)
	claude := all["claude-code-subagent-compact.jsonl"]
	if len(claude) != 7 || len(all["codex-tool-compact.jsonl"]) != 5 || len(all["opencode-title-and-turn.jsonl"]) != 2 {
		t.Fatal("other samples than this test knows")
	}
	count := map[string]int{}
	for _, p := range claude[0].Parts {
		count[p.Kind]++
	}
	if count["tool"] != 24 || claude[0].Model != "claude-opus-4-8" {
		t.Errorf("the first request of Claude Code has %v, model %s", count, claude[0].Model)
	}
	// The second request of each line repeats the first one: Claude Code's cache
	// markers move, and one message turns from a list into a string.
	codex := all["codex-tool-compact.jsonl"]
	for _, pair := range [][2]*Request{{claude[1], claude[2]}, {claude[0], claude[3]}, {claude[5], claude[6]},
		{codex[0], codex[1]}, {codex[1], codex[2]}} {
		if first, second := lines(pair[0]), lines(pair[1]); !strings.HasPrefix(second, first) {
			t.Errorf("%s: a later request does not repeat the earlier one:\n%.2000s\n%.2000s", pair[0].API, first, second)
		}
	}
}

func FuzzJoin(f *testing.F) {
	for _, seed := range []string{`{"messages":[{"role":"user","content":"@"}],"model":"@m"}`,
		`{"input":[{"type":"reasoning","id":"@","x":["@@"]}],"instructions":"@[]"}`,
		`{"contents":{"parts":{"text":"@"}},"tools":[{"functionDeclarations":[{}],"x":1}]}`,
		`{"messages":[{"content":[{"type":"tool_result","content":[{"cache_control":1},{"cache_control":2}]}]}]}`,
		`{"messages":{"role":"assistant","tool_calls":[1,{"id":"x"},{"function":"@"}]}}`, `{"messages":["@",1,null]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		body, err := canon.ParseAny(data)
		if err != nil || body.Kind != canon.KindObject {
			return
		}
		for _, api := range []API{Chat, Responses, Messages, Gemini} {
			r, ok := ReadRequest(api, body)
			if !ok {
				t.Fatalf("%s: an object was not read", api)
			}
			joined(t, r, body)
			AnswerParts(api, body)
		}
	})
}
