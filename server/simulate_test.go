package server_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/tokens"
)

// counted returns a counter of tokens by its name, and one that needs no vocabulary without a name.
func counted(name string) (pact.Counter, error) { return tokens.Named(cmp.Or(name, "approx:bytes/4")) }

// TestSimulationsAreThoseOfTheLibrary asks for the simulation and the findings of a run, and what the
// library says of it.
func TestSimulationsAreThoseOfTheLibrary(t *testing.T) {
	r := start(t, server.Options{Counter: counted})
	r.must(nil, "POST", "/v1/contexts", `{"name":"run"}`)
	long := strings.Repeat("a line that nobody quotes later\\n", 200)
	for cycle, edits := range []string{
		`{"op":"add","into":"^ah","node":{"id":"c0","role":"assistant","kind":"call","offset":1,"content":{"name":"read","arguments":"a"}}},
		{"op":"add","into":"^ah","node":{"id":"r0","role":"tool","kind":"result","offset":1,"refs":["c0"],"content":"` + long + `"}}`,
		`{"op":"add","into":"^ah","node":{"id":"c1","role":"assistant","kind":"call","offset":1,"content":{"name":"read","arguments":"a"}}},
		{"op":"add","into":"^ah","node":{"id":"r1","role":"tool","kind":"result","offset":1,"refs":["c1"],"content":"` + long + `"}}`,
		`{"op":"add","into":"^ah","node":{"role":"assistant","offset":1,"content":"done"}}`} {
		body, err := json.Marshal(map[string]any{"cycle": cycle, "edits": json.RawMessage("[" + edits + "]")})
		must(t, err)
		r.must(nil, "POST", "/v1/contexts/run/commits", string(body))
	}
	c, err := pact.Open(t.Context(), r.store, "run", nil)
	must(t, err)
	counter, err := tokens.Named("approx:bytes/4")
	must(t, err)
	agent, err := lifecycle.Ready("agent")
	must(t, err)
	once, err := lifecycle.ParsePolicy([]byte(`{"when":"pays","rules":[{"select":".cb[kind='result']","once":true}]}`))
	must(t, err)
	agent.When = lifecycle.WhenPays
	o := simulate.Options{Counter: counter, Model: "claude-opus-4-5", Dialect: "anthropic", Calls: true,
		Policies: []simulate.Named{{Name: "agent", Policy: agent}, {Name: "o", Policy: once}}}
	same := func(what string, got []byte, want any, err error) {
		t.Helper()
		text, failed := json.Marshal(want)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if plain(t, got) != plain(t, text) {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, text)
		}
	}
	result, err := simulate.Run(t.Context(), c, o)
	if err == nil && len(result.Outcomes[2].ByCall) != 3 {
		t.Fatalf("%d calls", len(result.Outcomes[2].ByCall))
	}
	same("simulation", r.must(nil, "POST", "/v1/contexts/run/simulation", `{"model":"claude-opus-4-5","dialect":"anthropic",
		"tokenizer":"approx:bytes/4","calls":true,"when":"pays","policies":[{"name":"agent"},
		{"name":"o","policy":{"rules":[{"select":".cb[kind='result']","once":true}]}}]}`).body, result, err)
	report, err := simulate.Findings(t.Context(), c, o)
	if err == nil && len(report.Findings) == 0 {
		t.Fatal("nothing is found")
	}
	same("findings", r.must(nil, "GET", "/v1/contexts/run/findings?model=claude-opus-4-5&dialect=anthropic&tokenizer=approx:bytes/4",
		"").body, report, err)

	refused := func(status int, code, body string) {
		t.Helper()
		r.call("POST", "/v1/contexts/run/simulation", body).refused(t, status, code)
	}
	refused(http.StatusRequestEntityTooLarge, "E_LIMIT", `{"policies":[`+strings.Repeat(`{"name":"agent"},`, server.MaxPolicies)+`{"name":"chat"}]}`)
	refused(http.StatusBadRequest, "E_DOCUMENT_INVALID", `{"policies":[{"name":"nothing of the kind"}]}`)
	refused(http.StatusBadRequest, "E_DOCUMENT_INVALID", `{"dialect":"none"}`)
	refused(http.StatusBadRequest, "E_DOCUMENT_INVALID", `{"when":"later"}`)
	refused(http.StatusBadRequest, "E_DOCUMENT_INVALID", `{"prices":{"models":[]}}`)
	refused(http.StatusBadRequest, "E_DOCUMENT_INVALID", `{"policies":[{"name":"p","policy":{"when":"later"}}]}`)
	r.must(nil, "POST", "/v1/contexts", `{"name":"empty"}`)
	r.call("GET", "/v1/contexts/empty/findings", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}

// TestASimulationKeepsToTheMemoryOfTheServer refuses a run of which the lines alone need more.
func TestASimulationKeepsToTheMemoryOfTheServer(t *testing.T) {
	r := start(t, server.Options{Counter: counted, Memory: 4 << 20})
	r.must(nil, "POST", "/v1/contexts", `{"name":"run"}`)
	r.must(nil, "POST", "/v1/contexts/run/commits", `{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"role":"user","content":"`+
		strings.Repeat("x", 700<<10)+`"}}]}`)
	r.call("POST", "/v1/contexts/run/simulation", `{}`).refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	r.must(nil, "GET", "/v1/contexts/run/blocks", "")
}
