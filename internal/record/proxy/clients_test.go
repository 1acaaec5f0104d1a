package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// clientCase is a call that every client makes, the script by which the provider
// answers, and what the client makes of that.
type clientCase struct {
	name   string
	script []providertest.Turn
	answer string
}

const said = "It is 12 °C in Oslo, and 24 °C in Rome. ☀"

var clientCases = []clientCase{
	{"plain", []providertest.Turn{{Text: said}}, said},
	{"stream", []providertest.Turn{{Text: said}}, said},
	{"tools", []providertest.Turn{{Text: "I look.", Calls: bothCities("weather")}, {Text: said}}, said},
	{"image", []providertest.Turn{{Text: said}}, said},
	{"thinking", []providertest.Turn{{Thinking: "Two cities …", Calls: bothCities("weather")}, {Text: said}}, said},
	{"refusal", []providertest.Turn{{Refusal: "I cannot say."}}, "I cannot say."},
	{"error", []providertest.Turn{{Status: http.StatusBadRequest}}, "error 400"},
	{"retry", []providertest.Turn{{Status: http.StatusTooManyRequests}, {Text: said}}, said},
	{"cancel", []providertest.Turn{{Text: strings.Repeat(said, 10), Hold: true}}, "left"},
}

func bothCities(tool string) []providertest.Call {
	return []providertest.Call{
		{ID: "call_1", Name: tool, Arguments: `{"city":"Oslo"}`},
		{ID: "call_2", Name: tool, Arguments: `{"city":"Rome"}`},
	}
}

// leftOut lists the cases that a client has no call for; the programs say why.
var leftOut = map[string][]string{
	"openai_chat":   {"thinking"},
	"openai_agents": {"thinking"},
	"pydantic_ai":   {"refusal"},
	"langgraph":     {"thinking", "refusal"},
	"litellm":       {"thinking", "refusal"},
	"ai_openai":     {"refusal"},
	"ai_anthropic":  {"refusal"},
	"ai_google":     {"refusal"},
}

// clientPrograms are the programs that make calls with the providers' own
// clients, and those clients.
func clientPrograms(dir, testdata string) map[string]struct {
	command []string
	clients []string
} {
	return map[string]struct {
		command []string
		clients []string
	}{
		"python": {
			[]string{filepath.Join(dir, "python", "bin", "python"), filepath.Join(testdata, "clients.py")},
			[]string{"openai_chat", "openai_responses", "anthropic", "genai", "openai_agents", "pydantic_ai", "langgraph",
				"litellm"},
		},
		"node": {
			[]string{"node", filepath.Join(dir, "node", "clients.mjs")},
			[]string{"openai_chat", "openai_responses", "anthropic", "genai", "ai_openai", "ai_anthropic", "ai_google"},
		},
		"go": {
			[]string{filepath.Join(dir, "go", "clients")},
			[]string{"openai_chat", "openai_responses", "anthropic", "genai"},
		},
	}
}

// line is a line of a program's input or output.
type line struct {
	Client  string `json:"client"`
	Case    string `json:"case"`
	Base    string `json:"base,omitempty"`
	Answer  string `json:"answer,omitempty"`
	LeftOut string `json:"left_out,omitempty"`
}

// TestRealClients has the providers' own clients make every kind of call, with the
// proxy between and without it: the answers are the same, the provider gets the
// bytes that the client sent, and every request comes back from the store.
func TestRealClients(t *testing.T) {
	dir := os.Getenv("PACT_CLIENTS")
	if dir == "" {
		t.Skip("real clients were left out: make clients installs and runs them")
	}
	testdata, err := filepath.Abs(filepath.Join("testdata", "clients"))
	must(t, err)
	for name, program := range clientPrograms(dir, testdata) {
		t.Run(name, func(t *testing.T) {
			var calls []*clientCall
			for _, client := range program.clients {
				for _, c := range clientCases {
					calls = append(calls, newClientCall(t, client, c))
				}
			}
			runClients(t, program.command, calls)
			for _, c := range calls {
				t.Run(c.client+"/"+c.name, c.check)
			}
		})
	}
}

// clientCall is one call of a client, made twice.
type clientCall struct {
	clientCase
	client   string
	bases    [2]string // without the proxy, and with it
	answers  [2]line
	provider [2]*providertest.Provider
	store    *pact.DB
	recorder *record.Recorder

	mu   sync.Mutex
	sent [][]byte // by the client to the proxy
}

func newClientCall(t *testing.T, client string, c clientCase) *clientCall {
	call := &clientCall{clientCase: c, client: client}
	var upstream *url.URL
	for i := range call.provider {
		call.provider[i] = providertest.New(c.script...)
		server := httptest.NewServer(call.provider[i])
		t.Cleanup(server.Close)
		call.bases[i] = server.URL
		var err error
		upstream, err = url.Parse(server.URL)
		must(t, err)
	}
	var err error
	call.store, err = dbtest.Open(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	t.Cleanup(func() { _ = call.store.Close() })
	call.recorder = record.New(call.store, record.Options{Context: "calls"})
	t.Cleanup(call.recorder.Close)
	handler := proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": upstream}, Recorder: call.recorder})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		call.mu.Lock()
		call.sent = append(call.sent, body)
		call.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	call.bases[1] = server.URL
	return call
}

// runClients has a program make all calls in two processes at once, one without the
// proxies and one with them.
func runClients(t *testing.T, command []string, calls []*clientCall) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var outputs, complaints [2]bytes.Buffer
	var errs [2]error
	var both sync.WaitGroup
	for way := range 2 {
		var input bytes.Buffer
		for _, c := range calls {
			must(t, json.NewEncoder(&input).Encode(line{Client: c.client, Case: c.name, Base: c.bases[way]}))
		}
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &input, &outputs[way], &complaints[way]
		both.Go(func() { errs[way] = cmd.Run() })
	}
	both.Wait()
	for way := range 2 {
		if errs[way] != nil {
			t.Fatalf("%v: %v\n%s", command, errs[way], complaints[way].Bytes())
		}
		lines := json.NewDecoder(&outputs[way])
		for _, c := range calls {
			if err := lines.Decode(&c.answers[way]); err != nil {
				t.Fatalf("%s %s: %v\n%s", c.client, c.name, err, complaints[way].Bytes())
			}
			if got := c.answers[way]; got.Client != c.client || got.Case != c.name {
				t.Fatalf("the answer to %s %s is of %s %s", c.client, c.name, got.Client, got.Case)
			}
		}
	}
}

func (c *clientCall) check(t *testing.T) {
	c.recorder.Close()
	direct, proxied := c.answers[0], c.answers[1]
	if out := slices.Contains(leftOut[c.client], c.name); out != (direct.LeftOut != "") {
		t.Fatalf("left out: %v, because %q", out, direct.LeftOut)
	}
	if direct.LeftOut != "" {
		t.Skip(direct.LeftOut)
	}
	if !strings.Contains(direct.Answer, c.answer) {
		t.Errorf("the client says %q, want %q", direct.Answer, c.answer)
	}
	if direct != proxied {
		t.Errorf("the client says %q, and through the proxy %q", direct.Answer, proxied.Answer)
	}
	received := c.provider[1].Received()
	if len(received) < len(c.script) || len(received) != len(c.sent) || len(received) != len(c.provider[0].Received()) {
		t.Fatalf("%d turns, %d sent, %d received, without the proxy %d", len(c.script), len(c.sent), len(received),
			len(c.provider[0].Received()))
	}
	stats := c.recorder.Stats()
	if stats.Calls != len(received) || stats.NotRecorded > 0 || stats.Unread > 0 || stats.KeptRaw > 0 {
		t.Errorf("%d requests, recorded: %+v", len(received), stats)
	}
	bodies := c.recorded(t)
	for i, r := range received {
		if !bytes.Equal(r.Body, c.sent[i]) {
			t.Errorf("the client sent\n%s\nthe provider received\n%s", c.sent[i], r.Body)
		}
		// The attempts of a retry have one body.
		if !slices.ContainsFunc(bodies, func(b []byte) bool { return bytes.Equal(b, r.Body) }) {
			t.Errorf("no cycle gives back\n%s\nbut\n%s", r.Body, bytes.Join(bodies, []byte("\n")))
		}
	}
}

// recorded returns the bodies that the cycles of all recorded contexts give back.
func (c *clientCall) recorded(t *testing.T) (bodies [][]byte) {
	for _, name := range c.recorder.Contexts() {
		opened, err := pact.Open(t.Context(), c.store, name, nil)
		must(t, err)
		last := opened.Info().Cycle
		attempts, err := opened.Attempts(t.Context(), 1, last+1)
		must(t, err)
		for cycle := int64(1); cycle <= last+1; cycle++ {
			made := 0
			for _, a := range attempts {
				if a.Cycle == cycle {
					made++
				}
			}
			if made == 0 {
				continue
			}
			body, err := record.Request(t.Context(), opened, cycle, 0)
			if err != nil {
				t.Errorf("%s: %v", fmt.Sprint(name, "@c", cycle), err)
				continue
			}
			bodies = append(bodies, body.Bytes)
		}
	}
	return bodies
}
