package record_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// policyOf parses a policy, and gives requests the time that a busy machine needs.
func policyOf(t testing.TB, text string) *lifecycle.Policy {
	t.Helper()
	record.SetPatience(time.Minute)
	p, err := lifecycle.ParsePolicy([]byte(text))
	must(t, err)
	return &p
}

// On a model that binds thinking to what stands before it, nothing goes while the last answer has thinking. Once a question
// ends the work, results go with all thinking behind them, and the provider refuses nothing.
func TestCutWhereThinkingIsBound(t *testing.T) {
	script := callTurns(12)
	for n := range script {
		script[n].Thinking = fmt.Sprint("thought ", n)
	}
	script[5] = providertest.Turn{Text: "done"}
	p, url := startProvider(t, script...)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Manage: true,
		Policy: policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='result']","ttl":2,"stub":true}]}`)})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "claude-fable-5-1"
	a.ask("Look.")
	a.call()
	asked := [][]byte{a.lastBody}
	asked = append(asked, works(a, 0, 5)...)
	if got := rec.Stats().Managed; got.Cut != 0 {
		t.Fatalf("%+v", got)
	}
	a.ask("And now?")
	a.call()
	asked = append(asked, a.lastBody)
	asked = append(asked, works(a, 6, 8)...)
	rec.Close()
	if got := rec.Stats().Managed; got.Cut == 0 || got.Ended != 0 {
		t.Fatalf("%+v", got)
	}
	first := p.Received()[6].Body
	if bytes.Count(first, []byte(`"signature"`)) != 1 || !bytes.Contains(first, []byte(`"sigthought 0"`)) || // it stands before
		bytes.Count(first, []byte("[Left out after")) != 4 {
		t.Errorf("sent %s", first)
	}
	askedAndSent(t, s, p, asked)
}

// Managing ends for a conversation too whose refused request lacked nothing but thinking, and for a later recorder.
func TestCutsOfThinkingEndAtARefusal(t *testing.T) {
	script := callTurns(7)
	for n := range script {
		script[n].Thinking = strings.Repeat("thought ", 20) + fmt.Sprint(n)
	}
	const first = 3 // the first request that lacks thinking
	script = append(script[:first], append([]providertest.Turn{{Status: 400}}, script[first:]...)...)
	p, url := startProvider(t, script...)
	s := pact.NewDB(store.NewMemory())
	options := record.Options{Context: "chat", Manage: true,
		Policy: policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='thinking']","ttl":2}]}`)}
	rec := recorder(t, s, options)
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "claude-opus-5"
	a.ask("Look.")
	a.call()
	works(a, 0, 3)
	asked := works(a, 3, 4)
	rec.Close()
	later := recorder(t, s, options)
	a.client.Transport = later.Transport(nil)
	asked = append(asked, works(a, 4, 5)...)
	later.Close()
	if got := rec.Stats().Managed; got.Ended != 1 || later.Stats().Managed.Cut != 0 {
		t.Errorf("%+v, later %+v", got, later.Stats().Managed)
	}
	for k, r := range p.Received()[first+2:] {
		if !bytes.Equal(r.Body, asked[k]) {
			t.Errorf("request %d after the refusal: %s", k, r.Body)
		}
	}
}

// Thinking of the last answer stays where it is due, as after the result of a tool that the provider ran itself within that
// answer: providers refuse a request that changes the thinking there. It goes once another answer follows.
func TestCutsLeaveTheThinkingOfTheLastAnswer(t *testing.T) {
	script := callTurns(4)
	for n := range script {
		script[n].Thinking = strings.Repeat("thought ", 20) + fmt.Sprint(n)
	}
	p, url := startProvider(t, script...)
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Manage: true,
		Policy: policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='thinking']","ttl":1}]}`)})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "claude-opus-5"
	a.ask("Look.")
	a.call()
	works(a, 0, 1)
	answer := a.said[len(a.said)-1].(map[string]any)
	answer["content"] = slices.Insert(answer["content"].([]any), 1,
		any(map[string]any{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": map[string]any{"query": "q"}}),
		any(map[string]any{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []any{}}))
	works(a, 1, 3)
	rec.Close()
	for k, want := range []string{"thought 1", "thought 2"} {
		if sent := p.Received()[2+k].Body; bytes.Count(sent, []byte(`"signature"`)) != 1 || !bytes.Contains(sent, []byte(want)) {
			t.Errorf("%+v, sent %s", rec.Stats().Managed, sent)
		}
	}
}

// A client that offers other tools in the middle of a conversation has results go as before.
func TestCutsGoOnAfterToolsChanged(t *testing.T) {
	tool := func(name string) any {
		return map[string]any{"name": name, "description": name, "input_schema": map[string]any{"type": "object"}}
	}
	for name, tools := range map[string][2][]any{
		"added":   {{tool("ls")}, {tool("ls"), tool("b"), tool("c"), tool("d")}},
		"removed": {{tool("ls"), tool("b")}, {tool("ls")}},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := startProvider(t, callTurns(8)...)
			rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Manage: true,
				Policy: policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='result']","ttl":3,"stub":true}]}`)})
			a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
			a.body["tools"] = tools[0]
			a.ask("Look.")
			a.call()
			works(a, 0, 3)
			a.body["tools"] = tools[1]
			works(a, 3, 7)
			rec.Close()
			if got := rec.Stats().Managed; got.Cut != 4 || got.Batches != 4 || got.Open != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A rule about calls has their results leave: the call stays, because every result keeps its call.
func TestCutOfWhatACallTakesAlong(t *testing.T) {
	p, url := startProvider(t, callTurns(6)...)
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Manage: true,
		Policy: policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='call']","ttl":2}]}`)})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	works(a, 0, 4)
	rec.Close()
	last := p.Received()[4].Body
	for call, gone := range map[string]bool{"c0": true, "c1": true, "c2": false, "c3": false} {
		note := fmt.Sprintf("; %s is its id. Only pact writes such notes.", call)
		if bytes.Contains(last, []byte(note)) != gone || !bytes.Contains(last, []byte(`"id":"`+call+`"`)) {
			t.Errorf("of %s was sent %s", call, last)
		}
	}
}
