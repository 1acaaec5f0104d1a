package record_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
)

var must = testrun.Must

// wholeOf takes what sending a request returned, and reads the answer to its end.
func wholeOf(t testing.TB) func(*http.Response, error) *http.Response {
	return func(resp *http.Response, err error) *http.Response {
		t.Helper()
		must(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		must(t, errors.Join(err, resp.Body.Close()))
		return resp
	}
}

// agent is a client of one API that keeps a conversation, as agents do.
type agent struct {
	*testing.T
	api      provider.API
	url      string
	client   *http.Client
	stream   bool
	header   http.Header
	body     map[string]any // but for the conversation
	said     []any          // the conversation
	lastBody []byte
}

const apiKey = "sk-secret-0123456789"

// field is where an API has the conversation.
var field = map[provider.API]string{provider.Chat: "messages", provider.Responses: "input",
	provider.Messages: "messages", provider.Gemini: "contents"}

func newAgent(t *testing.T, name provider.API, url string, transport http.RoundTripper, stream bool) *agent {
	a := &agent{T: t, api: name, url: url, client: &http.Client{Transport: transport}, stream: stream}
	a.header = http.Header{"Content-Type": {"application/json"}, "Cookie": {"session=cookie-0123456789"}}
	tool := map[string]any{"name": "ls", "description": "lists <files> & dirs"}
	a.body = map[string]any{"model": "m-1", "tools": []any{tool}, "temperature": json.RawMessage("0.50")}
	if stream && name != provider.Gemini {
		a.body["stream"] = true
	}
	switch name {
	case provider.Chat:
		a.url += "/v1/chat/completions"
		a.body["tools"] = []any{map[string]any{"type": "function", "function": tool}}
		a.body["stream_options"] = map[string]any{"include_usage": true}
		a.said = []any{message("system", "Be kind.")}
	case provider.Responses:
		a.url += "/v1/responses"
		a.body["instructions"] = "Be kind."
	case provider.Messages:
		a.url += "/v1/messages?beta=true"
		a.body["system"], a.body["max_tokens"] = "Be kind.", 100
		a.header.Set("Anthropic-Version", "2023-06-01")
	case provider.Gemini:
		delete(a.body, "model")
		a.body["tools"] = []any{map[string]any{"functionDeclarations": []any{tool}}}
		a.body["systemInstruction"] = map[string]any{"parts": []any{map[string]any{"text": "Be kind."}}}
		a.url += "/v1beta/models/m-1:generateContent?key=" + apiKey
		if stream {
			a.url = url + "/v1beta/models/m-1:streamGenerateContent?alt=sse&key=" + apiKey
		}
	}
	if name != provider.Gemini {
		a.header.Set("Authorization", "Bearer "+apiKey)
		a.header.Set("X-Api-Key", apiKey)
	}
	return a
}

func message(role, text string) map[string]any { return map[string]any{"role": role, "content": text} }

// ask says something as the user.
func (a *agent) ask(text string) {
	if a.api == provider.Gemini {
		a.said = append(a.said, map[string]any{"role": "user", "parts": []any{map[string]any{"text": text}}})
		return
	}
	a.said = append(a.said, message("user", text))
}

// result gives the result of a call.
func (a *agent) result(id, name, text string) {
	var m map[string]any
	switch a.api {
	case provider.Chat:
		m = map[string]any{"role": "tool", "tool_call_id": id, "content": text}
	case provider.Responses:
		m = map[string]any{"type": "function_call_output", "call_id": id, "output": text}
	case provider.Messages:
		m = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id,
			"content": text}}}
	case provider.Gemini:
		m = map[string]any{"role": "user", "parts": []any{map[string]any{"functionResponse": map[string]any{"id": id,
			"name": name, "response": map[string]any{"output": text}}}}}
	}
	a.said = append(a.said, m)
}

// send makes a call and reads the answer, which does not join the conversation.
func (a *agent) send(ctx context.Context) (*provider.Answer, int, error) {
	a.Helper()
	resp, err := a.request(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	read := provider.NewAssembler(a.api, resp.StatusCode, resp.Header)
	_, err = io.Copy(read, resp.Body)
	got := read.Close(err)
	return &got, resp.StatusCode, err
}

// open makes a call and reads nothing of the answer.
func (a *agent) open(ctx context.Context) *http.Response {
	a.Helper()
	resp, err := a.request(ctx)
	must(a.T, err)
	return resp
}

func (a *agent) request(ctx context.Context) (*http.Response, error) {
	a.body[field[a.api]] = a.said
	body, err := json.Marshal(a.body)
	must(a.T, err)
	a.lastBody = body
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	must(a.T, err)
	req.Header = a.header.Clone()
	return a.client.Do(req)
}

// call makes a call whose answer joins the conversation.
func (a *agent) call() *provider.Answer {
	a.Helper()
	got, status, err := a.send(a.Context())
	if err != nil || status != http.StatusOK || got.Failure != "" {
		a.Fatalf("%s: %d, %v, %+v", a.api, status, err, got)
	}
	var content any
	must(a.T, json.Unmarshal([]byte(got.Content.Value()), &content))
	switch a.api {
	case provider.Messages:
		a.said = append(a.said, map[string]any{"role": "assistant", "content": content})
	case provider.Responses:
		a.said = append(a.said, content.([]any)...)
	default:
		a.said = append(a.said, content)
	}
	return got
}

// startProvider serves a script on loopback.
func startProvider(t *testing.T, script ...providertest.Turn) (*providertest.Provider, string) {
	p := providertest.New(script...)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL
}

func everyAPI(t *testing.T, test func(t *testing.T, name provider.API, stream bool)) {
	for _, name := range []provider.API{provider.Chat, provider.Responses, provider.Messages, provider.Gemini} {
		for _, stream := range []bool{false, true} {
			label := string(name)
			if stream {
				label += "/stream"
			}
			t.Run(label, func(t *testing.T) { test(t, name, stream) })
		}
	}
}

// clock counts milliseconds from 1.
func clock() func() int64 {
	now := int64(0)
	lock := make(chan struct{}, 1)
	return func() int64 {
		lock <- struct{}{}
		defer func() { <-lock }()
		now += 1e6
		return now
	}
}

func recorder(t *testing.T, s *pact.DB, o record.Options) *record.Recorder {
	o.Clock = clock()
	rec := record.New(s, o)
	t.Cleanup(rec.Close)
	return rec
}

func opened(t testing.TB, s *pact.DB, name string) *pact.Context {
	t.Helper()
	c, err := pact.Open(t.Context(), s, name, nil)
	must(t, err)
	return c
}

// sentAsReceived checks that each cycle gives back the body that the provider
// received.
func sentAsReceived(t *testing.T, c *pact.Context, p *providertest.Provider) {
	t.Helper()
	last := c.Info().Cycle
	received, requests := p.Received(), record.NewRequests(c)
	if int(last) != len(received) {
		t.Fatalf("%d cycles, %d requests", last, len(received))
	}
	for i, r := range received {
		body, err := requests.Of(t.Context(), int64(i+1), 0)
		if err != nil {
			t.Fatalf("cycle %d: %v", i+1, err)
		}
		if !bytes.Equal(body.Bytes, r.Body) || body.Path != r.Path {
			t.Errorf("cycle %d: %s gave\n%s, want\n%s", i+1, body.Path, body.Bytes, r.Body)
		}
	}
}

// blocks lists the blocks of a snapshot: kind, role and content.
func blocks(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	var all strings.Builder
	for n, err := range s.Nodes() {
		must(t, err)
		if n.Kind == "" {
			continue
		}
		text, err := n.JSON(t.Context())
		must(t, err)
		all.WriteString(n.Kind + " " + n.Role + " " + string(text) + "\n")
	}
	return all.String()
}

// prefixesOf reports on all calls of a context.
func prefixesOf(ctx context.Context, c *pact.Context, dialect string, prices *record.Prices) iter.Seq2[inspect.CallPrefix, error] {
	first, last := c.Info().First, c.Info().Cycle
	return record.Prefixes(ctx, c, first, last+1, dialect, prices)
}
