package record_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// saidBodies has a body for each form, with parts that the tables know, parts of types that no table knows, and fields
// that only some messages have.
var saidBodies = map[string]string{
	"anthropic": `{"tools":[{"name":"ls","description":"list","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","max_uses":3}],
"messages":[
{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"title":"T","citations":{"enabled":true}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"redacted_thinking","data":"eHg="},{"type":"text","text":"I look.","citations":[{"type":"char_location","cited_text":"d","document_index":0,"document_title":"T","start_char_index":0,"end_char_index":1}]},{"type":"tool_use","id":"toolu_1","name":"ls","input":{"cache_control":"kept","a":1.50}},{"type":"tool_use","id":"toolu_2","name":"ls","input":{}},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","title":"E","encrypted_content":"ZQ=="}]},{"type":"tomorrow","anything":[1,{"deep":null}]}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"https://example.org/i.png"}}]},{"type":"tool_result","tool_use_id":"toolu_2","content":"failed","is_error":true},{"type":"text","text":"Go on."}]},
{"role":"assistant","content":"Plain."},{"role":"user","content":"More."}]}`,
	"openai": `{"tools":[{"type":"function","function":{"name":"ls","parameters":{"type":"object"},"strict":true}}],
"messages":[{"role":"developer","content":"Be brief.","name":"boss"},
{"role":"user","name":"ann","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"https://example.org/i.png","detail":"low"}},{"type":"file","file":{"file_id":"f"}},{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{\"a\": 1.0}"}},{"id":"call_2","type":"custom","custom":{"name":"sh","input":"ls"}}]},
{"role":"tool","tool_call_id":"call_1","content":"a"},{"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"b"}]},
{"role":"assistant","content":[{"type":"refusal","refusal":"No."}],"later":{"field":true}},{"role":"assistant","refusal":"Never.","audio":{"id":"audio_1"}},{"role":"user","content":"More."}]}`,
	"responses": `{"tools":[{"type":"function","name":"ls","parameters":{"type":"object"}},{"type":"web_search"}],
"input":[{"role":"developer","content":"Be brief."},
{"type":"message","role":"user","content":[{"type":"input_text","text":"Look."},{"type":"input_image","image_url":"https://example.org/i.png","detail":"auto"},{"type":"input_file","file_id":"f"}]},
{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"ZQ=="},
{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"I look.","annotations":[{"type":"url_citation","url":"https://example.org","title":"E","start_index":0,"end_index":1}]},{"type":"refusal","refusal":"No."}]},
{"type":"function_call","id":"fc_1","call_id":"call_1","name":"ls","arguments":"{\"a\": 1.0}","status":"completed"},{"type":"function_call","call_id":"call_2","name":"ls","arguments":"{}"},
{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}},
{"type":"function_call_output","call_id":"call_1","output":"a"},{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"b"}]},
{"type":"tomorrow","anything":[1,{"deep":null}]},{"role":"user","content":"More."}]}`,
	"gemini": `{"tools":[{"functionDeclarations":[{"name":"ls","parametersJsonSchema":{"type":"object"}}]}],
"contents":[{"role":"user","parts":[{"text":"Look."},{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"fileData":{"fileUri":"https://example.org/f","mimeType":"text/plain"}}]},
{"role":"model","parts":[{"text":"Hm.","thought":true},{"text":"I look.","thoughtSignature":"c2ln"},{"functionCall":{"id":"c1","name":"ls","args":{"a":1.5}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"c2","name":"ls","args":{}}},{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"tomorrow":{"anything":[1,{"deep":null}]}}]},
{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}},{"functionResponse":{"id":"c2","name":"ls","response":{"error":"b"}}},{"text":"Go on."}]},
{"role":"model","parts":[{"text":"Plain."}]},{"role":"user","parts":[{"text":"More."}]}]}`,
}

// canonical returns JSON in canonical form, without the markers that NewRequest places.
func canonical(t *testing.T, body []byte) string {
	t.Helper()
	v, err := canon.ParseAny(body)
	must(t, err)
	return strings.ReplaceAll(string(v.Value()), `"cache_control":{"type":"ephemeral"},`, "")
}

// memberIn returns a field of a body.
func memberIn(t *testing.T, body []byte, name string) json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	must(t, json.Unmarshal(body, &fields))
	return fields[name]
}

func chat(t *testing.T) *pact.Context {
	t.Helper()
	db := pact.NewDB(store.NewMemory())
	t.Cleanup(func() { _ = db.Close() })
	c, err := pact.Create(t.Context(), db, "chat", nil)
	must(t, err)
	return c
}

// listOf is the field with the messages of each form.
var listOf = map[string]string{"anthropic": "messages", "openai": "messages", "responses": "input", "gemini": "contents"}

// What AddRequest reads of messages, at once or one after another over several cycles, NewRequest writes again with every field.
func TestNewRequestWritesWhatAddRequestRead(t *testing.T) {
	for form, body := range saidBodies {
		for round := range 5 {
			t.Run(fmt.Sprint(form, " ", round), func(t *testing.T) {
				c := chat(t)
				var messages []json.RawMessage
				must(t, json.Unmarshal(memberIn(t, []byte(body), listOf[form]), &messages))
				_, err := record.AddRequest(t.Context(), c, form, []byte(`{"tools":`+string(memberIn(t, []byte(body), "tools"))+`}`), nil)
				must(t, err)
				random := rand.New(rand.NewPCG(15, uint64(round)))
				for from := 0; from < len(messages); {
					to := len(messages)
					if round > 0 {
						to = from + 1 + random.IntN(len(messages)-from)
					}
					some, err := json.Marshal(map[string]any{listOf[form]: messages[from:to]})
					must(t, err)
					ids, err := record.AddRequest(t.Context(), c, form, some, nil)
					must(t, err)
					if len(ids) < to-from {
						t.Errorf("%d messages became %d blocks", to-from, len(ids))
					}
					if from = to; random.IntN(2) == 0 {
						_, _ = c.Commit(t.Context(), nil) // refused between a call and its result
					}
				}
				got, left, err := record.Thread(t.Context(), c.Working(), form)
				must(t, err)
				for _, name := range []string{"tools", listOf[form]} {
					if a, b := canonical(t, memberIn(t, got, name)), canonical(t, memberIn(t, []byte(body), name)); a != b || left > 0 {
						t.Errorf("%s, %d left out:\n%s\nwant\n%s", name, left, a, b)
					}
				}
			})
		}
	}
}

// An answer comes back in the next request; its result finds its call.
func TestAnswersAreRepeated(t *testing.T) {
	for _, one := range []struct{ form, ask, answer, result, want string }{
		{"anthropic", `{"messages":[{"role":"user","content":"Look."}]}`,
			`{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"tool_use","id":"t1","name":"ls","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}]}`,
			`[{"content":"Look.","role":"user"},{"content":[{"signature":"c2ln","thinking":"Hm.","type":"thinking"},{"id":"t1","input":{"a":1},"name":"ls","type":"tool_use"}],"role":"assistant"},{"content":[{"content":"a","tool_use_id":"t1","type":"tool_result"}],"role":"user"}]`},
		{"openai", `{"messages":[{"role":"user","content":"Look."}]}`,
			`{"id":"m","object":"chat.completion","model":"x","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"refusal":null,"annotations":[],"tool_calls":[{"id":"t1","type":"function","function":{"name":"ls","arguments":"{}"}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
			`{"messages":[{"role":"tool","tool_call_id":"t1","content":"a"}]}`,
			`[{"content":"Look.","role":"user"},{"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"ls"},"id":"t1","type":"function"}]},{"content":"a","role":"tool","tool_call_id":"t1"}]`},
		{"responses", `{"input":[{"role":"user","content":"Look."}]}`,
			`{"id":"m","object":"response","model":"x","status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"ZQ=="},{"type":"function_call","id":"fc_1","call_id":"t1","name":"ls","arguments":"{}","status":"completed"}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`,
			`{"input":[{"type":"function_call_output","call_id":"t1","output":"a"}]}`,
			`[{"content":"Look.","role":"user"},{"encrypted_content":"ZQ==","id":"rs_1","summary":[],"type":"reasoning"},{"arguments":"{}","call_id":"t1","id":"fc_1","name":"ls","status":"completed","type":"function_call"},{"call_id":"t1","output":"a","type":"function_call_output"}]`},
		{"gemini", `{"contents":[{"role":"user","parts":[{"text":"Look."}]}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"t1","name":"ls","args":{}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},"modelVersion":"x"}`,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"ls","response":{"output":"a"}}}]}]}`,
			`[{"parts":[{"text":"Look."}],"role":"user"},{"parts":[{"functionCall":{"args":{},"id":"t1","name":"ls"},"thoughtSignature":"c2ln"}],"role":"model"},{"parts":[{"functionResponse":{"id":"t1","name":"ls","response":{"output":"a"}}}],"role":"user"}]`},
	} {
		t.Run(one.form, func(t *testing.T) {
			c := chat(t)
			_, err := record.AddRequest(t.Context(), c, one.form, []byte(one.ask), nil)
			must(t, err)
			_, err = c.Commit(t.Context(), nil)
			must(t, err)
			_, err = record.AddAnswer(t.Context(), c, one.form, []byte(one.answer), nil)
			must(t, err)
			_, err = record.AddRequest(t.Context(), c, one.form, []byte(one.result), nil)
			must(t, err)
			s, err := c.Commit(t.Context(), nil)
			must(t, err)
			body, err := record.NewRequest(t.Context(), s.Snapshot, one.form, []byte(`{"model":"m","max_tokens":5}`), false)
			must(t, err)
			if got := canonical(t, memberIn(t, body, listOf[one.form])); got != one.want {
				t.Errorf("%s\nwant\n%s", got, one.want)
			}
			if got := string(memberIn(t, body, "max_tokens")); got != "5" {
				t.Errorf("a field of the base became %s", got)
			}
		})
	}
}

// A message that lost a block is written by the table, and the others as they were.
func TestNewRequestOfAMessageThatLostABlock(t *testing.T) {
	c := chat(t)
	ids, err := record.AddRequest(t.Context(), c, "responses", []byte(`{"input":[
		{"type":"message","id":"m1","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
		{"type":"message","id":"m2","role":"user","content":[{"type":"input_text","text":"c"},{"type":"input_text","text":"d"}]},
		{"type":"message","id":"m3","role":"user","content":"e"}]}`), nil)
	must(t, err)
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		b.Remove(ids[1])
		b.Remove(ids[2])
		return nil
	}, nil))
	got, _, err := record.Thread(t.Context(), c.Working(), "responses")
	must(t, err)
	text := string(got)
	for _, want := range []string{`"text":"a"`, `"text":"d"`, `"id":"m3"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	for _, gone := range []string{`"m1"`, `"m2"`, `"text":"b"`, `"text":"c"`} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is in %s", gone, text)
		}
	}
}

// NewRequest marks what stays, never a fifth time, and refuses what the provider would refuse.
func TestNewRequestMarksAndChecks(t *testing.T) {
	c := chat(t)
	add := func(body string) []string {
		ids, err := record.AddRequest(t.Context(), c, "anthropic", []byte(body), nil)
		must(t, err)
		return ids
	}
	add(`{"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`)
	goes := add(`{"messages":[{"role":"user","content":[{"type":"text","text":"c","cache_control":{"type":"ephemeral"}}]}]}`)
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error { b.Update(goes[0], map[string]any{"ttl": 3}); return nil }, nil))
	add(`{"messages":[{"role":"assistant","content":"d"},{"role":"user","content":"e"}]}`)
	const base = `{"model":"claude-opus-4-6","max_tokens":5}`
	body, err := record.NewRequest(t.Context(), c.Working(), "anthropic", []byte(base), false)
	must(t, err)
	v, err := canon.ParseAny(body)
	must(t, err)
	const mark = `"cache_control":{"type":"ephemeral"},`
	want := `{"max_tokens":5,"messages":[{"content":"a","role":"user"},{"content":[{` + mark + `"text":"b","type":"text"}],"role":"assistant"},` +
		`{"content":[{"text":"c","type":"text"}],"role":"user"},{"content":"d","role":"assistant"},` +
		`{"content":[{` + mark + `"text":"e","type":"text"}],"role":"user"}],"model":"claude-opus-4-6",` +
		`"system":[{` + mark + `"text":"Be brief.","type":"text"}]}`
	if got := string(v.Value()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	add(`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]}]}`)
	_, err = record.NewRequest(t.Context(), c.Working(), "anthropic", []byte(base), false)
	if fault.CodeOf(err) != fault.PlacementInvalid {
		t.Errorf("a call without its result gives %v", err)
	}
	if _, err := record.NewRequest(t.Context(), c.Working(), "anthropic", []byte(base), true); err != nil {
		t.Errorf("mended, it gives %v", err)
	}
}
