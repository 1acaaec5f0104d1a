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
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

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
	for form, body := range providertest.Bodies {
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
				if form == "openai" { // which package transcript reads as messages that it imported itself
					text, err := transcript.OpenAI(t.Context(), c.Working())
					must(t, err)
					var all []json.RawMessage
					must(t, json.Unmarshal(text, &all))
					said, err := json.Marshal(all[len(all)-len(messages):]) // behind the definitions of tools
					must(t, err)
					if a, b := canonical(t, said), canonical(t, memberIn(t, []byte(body), "messages")); a != b {
						t.Errorf("a transcript has\n%s\nwant\n%s", a, b)
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
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error { b.Update(goes[0], func(s *pact.Spec) { s.TTL = new(int64(3)) }); return nil }, nil))
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

// A message that no block could stand for is refused; an answer without a word adds nothing.
func TestMessagesWithoutContent(t *testing.T) {
	for form, message := range map[string]string{"anthropic": `{"role":"assistant","content":[]}`, "openai": `{"role":"assistant","content":[]}`,
		"gemini": `{"role":"model","parts":[]}`, "responses": `{"role":"user","content":[]}`} {
		c := chat(t)
		_, err := record.AddRequest(t.Context(), c, form, []byte(`{"`+listOf[form]+`":[`+message+`]}`), nil)
		if fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%s: %v", form, err)
		}
	}
	c := chat(t)
	ids, err := record.AddAnswer(t.Context(), c, "anthropic", []byte(`{"id":"m","type":"message","role":"assistant","model":"x","content":[],
		"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`), nil)
	if err != nil || len(ids) > 0 {
		t.Errorf("an empty answer gives %v, %v", ids, err)
	}
}

// A system prompt that stood in a message is there in every other form, too.
func TestTheSystemPromptOfAMessageGoesToEachForm(t *testing.T) {
	for form, body := range map[string]string{
		"openai":    `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}]}`,
		"responses": `{"input":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Hello"}]}`,
	} {
		c := chat(t)
		_, err := record.AddRequest(t.Context(), c, form, []byte(body), nil)
		must(t, err)
		for to := range listOf {
			text, left, err := record.Thread(t.Context(), c.Working(), to)
			if err != nil || left > 0 || strings.Count(string(text), "Be brief.") != 1 || !strings.Contains(string(text), "Hello") {
				t.Errorf("%s as %s is %s; %d blocks were left out (%v)", form, to, text, left, err)
			}
		}
	}
}
