package exports

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A conversation may have results without a call, calls without a result, ids that come again, two results of one call
// and arguments of any kind: each form has all that was said, or says what it lacks.
func TestCallsAndResultsThatAreNoPairs(t *testing.T) {
	const user, end = `{"role":"user","content":"Q"}`, `{"role":"user","content":"end"}`
	call := func(id, arguments string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"ls","arguments":"` +
			arguments + `"}}]}`
	}
	result := func(id, said string) string {
		return `{"role":"tool","tool_call_id":"` + id + `","content":"` + said + `"}`
	}
	const alone = "1 result without a call, written as what a user says"
	for what, c := range map[string]struct {
		messages []string
		outputs  []string // of the tools in a session of opencode, in their order; "pending" without one
		texts    []string
		lost     string
	}{
		"a result without a call": {[]string{user, result("gone", "R")}, nil, []string{"Q", "R", "end"}, alone},
		"a call without a result": {[]string{user, call("c1", "{}")}, []string{"pending"}, []string{"Q", "end"},
			"1 call without a result, of which opencode says that it was interrupted"},
		"an id that comes again": {[]string{user, call("c1", "{}"), result("c1", "A"), call("c1", "{}"), result("c1", "B")},
			[]string{"A", "B"}, []string{"Q", "end"}, ""},
		"and the first has no result": {[]string{user, call("c1", "{}"), user, call("c1", "{}"), result("c1", "B")},
			[]string{"pending", "B"}, []string{"Q", "Q", "end"},
			"1 call without a result, of which opencode says that it was interrupted"},
		"two results of one call": {[]string{user, call("c1", "{}"), result("c1", "A"), result("c1", "B")},
			[]string{"A"}, []string{"Q", "B", "end"}, alone},
		"a result before its call": {[]string{user, result("c1", "A"), call("c1", "{}"), result("c1", "B")},
			[]string{"B"}, []string{"Q", "A", "end"}, alone},
		"a result behind something else": {[]string{user, call("c1", "{}"), user, result("c1", "A")},
			[]string{"A"}, []string{"Q", "Q", "end"}, "1 result moved to the call, in front of what stands between"},
		"a list for arguments": {[]string{user, call("c1", "[1,2]"), result("c1", "A")}, []string{"A"}, []string{"Q", "end"},
			"1 call with arguments that are no object, and are put into one"},
	} {
		db := pact.NewDB(store.NewMemory())
		run, err := pact.Create(t.Context(), db, "chat", nil)
		must(t, err)
		said := `{"messages":[` + strings.Join(append(c.messages, end), ",") + `]}`
		if _, err := record.AddRequest(t.Context(), run, "openai", []byte(said), nil); err != nil {
			t.Fatal(what, err)
		}
		for form, write := range sessions {
			var out bytes.Buffer
			made, err := write(t.Context(), &out, run, run.Working())
			if err != nil {
				t.Fatal(what, err)
			}
			lost := strings.Join(losing(made.Lost), "; ")
			if form != "opencode" {
				if lost != "" && !(form == "claude-code" && strings.Contains(what, "list")) {
					t.Errorf("%s: %s loses %s", what, form, lost)
				}
				for _, said := range append(c.texts, c.outputs...) {
					if said != "pending" && !strings.Contains(out.String(), `"`+said+`"`) {
						t.Errorf("%s: %s lacks %s:\n%s", what, form, said, &out)
					}
				}
				continue
			}
			outputs, texts := saidInOpencode(t, out.Bytes())
			if lost != c.lost || !slices.Equal(outputs, c.outputs) || !slices.Equal(texts, c.texts) {
				t.Errorf("%s: %q and %q, which loses %s:\n%s", what, outputs, texts, lost, &out)
			}
		}
	}
}

// saidInOpencode returns the outputs of the tools of a session, and its texts.
func saidInOpencode(t *testing.T, session []byte) (outputs, texts []string) {
	t.Helper()
	var read struct {
		Messages []struct {
			Parts []struct {
				Text  string
				State *struct {
					Status, Output string
					Input          map[string]any // anything else is an error
				}
			}
		}
	}
	must(t, json.Unmarshal(session, &read))
	for _, m := range read.Messages {
		for _, p := range m.Parts {
			switch {
			case p.State == nil:
				texts = append(texts, p.Text)
			case p.State.Status == "completed":
				outputs = append(outputs, p.State.Output)
			default:
				outputs = append(outputs, p.State.Status)
			}
		}
	}
	return outputs, texts
}

// A field beside the words of a message, such as its name, is no text that anybody says.
func TestAFieldOfAMessageIsNoText(t *testing.T) {
	c := imported(t, []byte(`{"request":{"model":"m","messages":[{"role":"system","content":"SYS1","name":"aside"},`+
		`{"role":"user","content":"hi","name":"bob"}]},"response":{"choices":[{"message":{"role":"assistant","content":"ok"},`+
		`"finish_reason":"stop"}]}}`))[0]
	text, lost := written(t, "atif", c)
	if strings.Contains(string(text), "aside") || strings.Contains(string(text), "bob") || !strings.Contains(string(text), `"hi"`) ||
		!slices.Contains(losing(lost), "2 fields of a message beside its words") {
		t.Errorf("it loses %v:\n%s", losing(lost), text)
	}
	var out bytes.Buffer
	made, err := ClaudeCode(t.Context(), &out, c, c.Working())
	if err != nil || !slices.Contains(losing(made.Lost), "1 part of the system prompt, as the agent sends its own") {
		t.Errorf("%v, %v", err, losing(made.Lost))
	}
}
