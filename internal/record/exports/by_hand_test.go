package exports

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/store"
)

// byHand returns a context with a turn for each list of nodes, of which those without a role are in ^sys.
func byHand(t *testing.T, turns ...[]pact.Spec) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", nil)
	must(t, err)
	for _, turn := range turns {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			for _, s := range turn {
				into := "^ah"
				if s.Attrs["in"] == "^sys" {
					into, s.Attrs = "^sys", nil
				}
				b.Add(into, s)
			}
			return nil
		}})
		must(t, err)
	}
	return c
}

func inSys(s pact.Spec) pact.Spec { s.Attrs = map[string]any{"in": "^sys"}; return s }

// losing returns what a writer counts as lost.
func losing(lost []Lost) (words []string) {
	for _, l := range lost {
		if l.Count > 0 {
			words = append(words, l.InWords())
		}
	}
	return words
}

// What no recorder made has the ids that rendering gives: a result finds its call by reference.
func TestCallsAndResultsMadeByHandStayTogether(t *testing.T) {
	c := byHand(t, []pact.Spec{{Role: "user", Content: "list them"}},
		[]pact.Spec{{ID: "a", Kind: "call", Content: map[string]any{"name": "ls", "arguments": map[string]any{"p": 1}}},
			{ID: "b", Kind: "call", Key: "date", Content: "now"}},
		[]pact.Spec{{Kind: "result", Role: "tool", Refs: []string{"b"}, Content: "noon"},
			{Role: "tool", Refs: []string{"a"}, Content: "x y"}},
		[]pact.Spec{{Role: "assistant", Content: "done"}})
	for form, want := range map[string][]string{
		"atif": {`"tool_calls":[{"arguments":{"p":1},"function_name":"ls","tool_call_id":"a"},` +
			`{"arguments":{"arguments":"now"},"function_name":"date","tool_call_id":"b"}]`,
			`"results":[{"content":"noon","source_call_id":"b"},{"content":"x y","source_call_id":"a"}]`},
		"otlp": {`\"id\":\"a\",\"name\":\"ls\",\"type\":\"tool_call\"`, `\"id\":\"a\",\"response\":\"x y\"`,
			`\"id\":\"b\",\"name\":\"date\"`, `\"id\":\"b\",\"response\":\"noon\"`},
	} {
		text, lost := written(t, form, c)
		for _, w := range want {
			if !bytes.Contains(text, []byte(w)) {
				t.Errorf("%s lacks %s:\n%s", form, w, text)
			}
		}
		for _, w := range losing(lost) {
			if strings.Contains(w, "result") {
				t.Errorf("%s loses %s", form, w)
			}
		}
	}
}

// A text is a text whatever the kind of its block.
func TestTextsOfAnyKindAreTexts(t *testing.T) {
	c := byHand(t, []pact.Spec{inSys(pact.Spec{Content: "be brief"}), {Kind: "note", Role: "user", Content: "see here"},
		{Kind: "diff", Role: "assistant", Content: "+1"}})
	for form := range runs {
		text, lost := written(t, form, c)
		if words := losing(lost); slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "JSON") }) {
			t.Errorf("%s loses %v", form, words)
		}
		for _, said := range []string{"be brief", "see here", "+1"} {
			if !bytes.Contains(text, []byte(said)) || bytes.Contains(text, []byte(`\"`+said+`\"","source`)) {
				t.Errorf("%s has no text %q:\n%s", form, said, text)
			}
		}
	}
}

// sessions are the writers of sessions.
var sessions = map[string]func(context.Context, io.Writer, *pact.Context, *pact.Snapshot) (*Session, error){
	"claude-code": ClaudeCode, "codex": Codex, "opencode": Opencode,
}

// The system prompt of a rollout has every text of ^sys that the system says; what others say there goes on.
func TestARolloutHasAllOfTheSystemRegion(t *testing.T) {
	for _, roles := range [][]string{{"user", "system", "system"}, {"system", "user", "assistant"}, {"user", "user"}} {
		var turn []pact.Spec
		for i, role := range roles {
			turn = append(turn, inSys(pact.Spec{Role: role, Content: "text " + string(rune('A'+i))}))
		}
		c := byHand(t, append(turn, pact.Spec{Role: "user", Content: "text Q"}))
		var out bytes.Buffer
		made, err := Codex(t.Context(), &out, c, c.Working())
		must(t, err)
		first, _, _ := strings.Cut(out.String(), "\n")
		for i, role := range append(roles, "user") {
			said := "text " + string(rune('A'+i))
			if i == len(roles) {
				said = "text Q"
			}
			if strings.Count(out.String(), said) != 1 || strings.Contains(first, said) != (role == "system") {
				t.Errorf("%v: %s of %s is at the wrong place, which loses %v:\n%s", roles, said, role, losing(made.Lost), &out)
			}
		}
	}
}

// A session names a model also where nobody knows it, as Claude Code ends without a word over an answer that has none.
func TestASessionOfClaudeCodeHasAModelAndAMessage(t *testing.T) {
	var to strings.Builder
	c := byHand(t, []pact.Spec{{Role: "user", Content: "Hi"}}, []pact.Spec{{Role: "assistant", Content: "Hello"}})
	if _, err := ClaudeCode(t.Context(), &to, c, c.Working()); err != nil || !strings.Contains(to.String(), `"model":"unknown"`) {
		t.Errorf("%v, %s", err, &to)
	}
}

// A session says what its form does not carry, and there is none of a thread that says nothing.
func TestSessionsSayWhatTheyLose(t *testing.T) {
	call := func(id string) pact.Spec {
		return pact.Spec{ID: id, Kind: "call", Content: map[string]any{"name": "see"}}
	}
	image := []any{map[string]any{"type": "text", "text": "a cat"},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,AAAA"}}}
	c := byHand(t, []pact.Spec{inSys(pact.Spec{Role: "system", Content: "be brief"}), {Role: "user", Content: "look"}},
		[]pact.Spec{call("a"), call("b")},
		[]pact.Spec{{Kind: "result", Role: "tool", Refs: []string{"a"}, Content: image},
			{Kind: "result", Role: "tool", Refs: []string{"b"}, Content: "broken", Attrs: map[string]any{"wire:failed": true}}},
		[]pact.Spec{call("e"), call("f"), call("g")}, // of these results the texts are written
		[]pact.Spec{{Kind: "result", Role: "tool", Refs: []string{"e"}, Content: map[string]any{"type": "text", "text": "a dog"}},
			{Kind: "result", Role: "tool", Refs: []string{"f"}, Content: []any{map[string]any{"type": "text", "text": "a bird"}}},
			{Kind: "result", Role: "tool", Refs: []string{"g"}, Content: []any{map[string]any{"type": "text", "text": "an ant"},
				map[string]any{"type": "text", "text": "a bee"}}}},
		[]pact.Spec{call("d")})
	empty := byHand(t, []pact.Spec{inSys(pact.Spec{Role: "system", Content: "be brief"})})
	for form, never := range map[string]string{"claude-code": "tokens and prices", "codex": "model, tokens and prices",
		"opencode": "tokens and prices"} {
		var whole strings.Builder
		made, err := sessions[form](t.Context(), &whole, c, c.Working())
		if err != nil || !strings.Contains(whole.String(), `"a dog"`) || !strings.Contains(whole.String(), `"a bird"`) ||
			strings.Contains(whole.String(), `[{\"text\":\"a bird`) {
			t.Fatal(err, &whole)
		}
		lost := losing(made.Lost)
		for _, want := range []string{"1 part of a pair of call and result that lacks the other",
			"1 result in JSON, written as a text"} {
			if !slices.Contains(lost, want) {
				t.Errorf("%s loses %v, not %s", form, lost, want)
			}
		}
		if slices.Contains(lost, "1 border between the texts of a result") != (form == "opencode") {
			t.Errorf("%s loses %v", form, lost)
		}
		failed := map[string]string{"claude-code": `"is_error":true`, "opencode": `"status":"error"`}[form] // nothing of Codex
		if slices.Contains(lost, "1 mark that a call failed") != (failed == "") || strings.Count(whole.String(), failed) != 1 && failed != "" {
			t.Errorf("%s loses %v of\n%s", form, lost, &whole)
		}
		if last := made.Lost[len(made.Lost)-1]; !strings.HasPrefix(last.InWords(), never) || strings.Contains(last.What, "1970") {
			t.Errorf("%s says last: %s", form, last.InWords())
		}
		var out bytes.Buffer
		_, err = sessions[form](t.Context(), &out, empty, empty.Working())
		if fault.CodeOf(err) != fault.DocumentInvalid || out.Len() > 0 {
			t.Errorf("%s of an empty thread: %v\n%s", form, err, &out)
		}
	}
}

// Results stand with their calls in a session of opencode, in the order of these, each with one text and images.
func TestWhatASessionOfOpencodeLosesOfResults(t *testing.T) {
	from := func(s pact.Spec, id string) pact.Spec {
		s.Provenance, s.Attrs = string(provider.Messages), map[string]any{"wire:call": id, "wire:name": "see"}
		return s
	}
	call := func(id string) pact.Spec {
		return from(pact.Spec{Kind: "call", Role: "assistant", Content: map[string]any{"type": "tool_use", "id": id, "name": "see", "input": map[string]any{}}}, id)
	}
	said := func(text string) map[string]any { return map[string]any{"type": "text", "text": text} }
	image := map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": "AAAA"}}
	c := byHand(t, []pact.Spec{{Role: "user", Content: "look"}}, []pact.Spec{call("a"), call("b")},
		[]pact.Spec{from(pact.Spec{Kind: "result", Role: "tool", Content: []any{said("second"), image}}, "b"),
			from(pact.Spec{Kind: "result", Role: "tool", Content: []any{said("first"), said("more"), map[string]any{"type": "odd"}}}, "a")})
	var out strings.Builder
	made, err := Opencode(t.Context(), &out, c, c.Working())
	must(t, err)
	for _, want := range []string{"1 place of a result, which comes before those of earlier calls", "1 border between the texts of a result",
		"1 part of a result that the form has no words for"} {
		if lost := losing(made.Lost); !slices.Contains(lost, want) {
			t.Errorf("it loses %v, not %s", lost, want)
		}
	}
	a, b := strings.Index(out.String(), `"output":"first\nmore"`), strings.Index(out.String(), `"output":"second"`)
	if a < 0 || b < a || !strings.Contains(out.String()[b-400:], `"url":"data:image/png;base64,AAAA"`) {
		t.Errorf("results at %d and %d:\n%s", a, b, &out)
	}
}

// What nobody knows the price of costs nothing known.
func TestNoPriceIsNotZero(t *testing.T) {
	for _, c := range []*pact.Context{byHand(t, []pact.Spec{{Role: "user", Content: "Q"}}),
		byHand(t, []pact.Spec{{Role: "user", Content: "Q"}}, []pact.Spec{{Role: "assistant", Content: "A"}})} {
		if text, _ := written(t, "atif", c); bytes.Contains(text, []byte("total_cost_usd")) {
			t.Errorf("a price that nobody said:\n%s", text)
		}
	}
}
