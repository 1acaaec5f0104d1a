package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	api "go.opentelemetry.io/otel/trace"
)

// secret stands in contents, headers and queries of calls, and may be in no span.
const secret = "zq-secret-of-the-client"

// TestProxyMakesASpanOfEachCall sends calls of four APIs through pact proxy to a stand-in for their
// providers, answered, refused, cut off and given up, and reads the spans of them.
func TestProxyMakesASpanOfEachCall(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(kept))
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(provider)
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	answer := providertest.Turn{Text: secret}
	upstream := httptest.NewServer(providertest.New(answer, answer, answer, answer,
		providertest.Turn{Status: 429}, providertest.Turn{Text: secret, Cut: true},
		providertest.Turn{Text: secret, Hold: true}, answer))
	defer upstream.Close()
	address, stop := proxy(t, upstream.URL)
	const messages = `"messages":[{"role":"user","content":"` + secret + `"}]`
	call := func(path, body string, givesUp bool) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + secret, "X-Api-Key": secret,
			"X-Goog-Api-Key": secret, "Anthropic-Version": "2023-06-01", "User-Agent": secret,
			"Content-Type": "application/json",
			"Traceparent":  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate": "a=" + secret} {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if !givesUp {
			_, _ = io.Copy(io.Discard, res.Body) // one of the answers is cut off
		} else if _, err := res.Body.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		res.Body.Close()
	}
	call("/v1/chat/completions", `{"model":"gpt-9",`+messages+`}`, false)
	call("/v1/responses", `{"model":"gpt-9","input":"`+secret+`"}`, false)
	call("/v1/messages", `{"model":"claude-9","max_tokens":9,`+messages+`}`, false)
	call("/v1beta/models/gemini-9:generateContent?x="+secret,
		`{"contents":[{"role":"user","parts":[{"text":"`+secret+`"}]}]}`, false)
	call("/v1/chat/completions", `{"model":"gpt-9",`+messages+`}`, false)
	call("/v1/messages", `{"model":"claude-9","max_tokens":9,"stream":true,`+messages+`}`, false)
	call("/v1/messages", `{"model":"claude-9","max_tokens":9,"stream":true,`+messages+`}`, true)
	call("/v1/chat/completions", `{"model":"`+secret+` is no name of a model",`+messages+`}`, false)
	stop()

	host, port, _ := strings.Cut(strings.TrimPrefix(upstream.URL, "http://"), ":")
	at := "server.address=" + host + " server.port=" + port
	openai := "gen_ai.operation.name=chat gen_ai.provider.name=openai "
	claude := "gen_ai.operation.name=chat gen_ai.provider.name=anthropic gen_ai.request.model=claude-9 "
	want := []string{
		"chat gpt-9: " + openai + "gen_ai.request.model=gpt-9 gen_ai.response.model=gpt-9 gen_ai.usage TOKENS " + at,
		"chat gpt-9: " + openai + "gen_ai.request.model=gpt-9 gen_ai.response.model=gpt-9 gen_ai.usage TOKENS " + at,
		"chat claude-9: " + claude + "gen_ai.response.model=claude-9 gen_ai.usage TOKENS " + at,
		"generate_content gemini-9: gen_ai.operation.name=generate_content gen_ai.provider.name=gcp.gemini " +
			"gen_ai.request.model=gemini-9 gen_ai.response.model=gemini gen_ai.usage TOKENS " + at,
		"chat gpt-9: error.type=429 " + openai + "gen_ai.request.model=gpt-9 " + at,
		"chat claude-9: error.type=_OTHER " + claude + "gen_ai.response.model=claude-9 gen_ai.usage TOKENS " + at,
		"chat claude-9: error.type=canceled " + claude + "gen_ai.response.model=claude-9 gen_ai.usage TOKENS " + at,
		"chat: " + openai + "gen_ai.usage TOKENS " + at,
	}
	spans := kept.GetSpans()
	// a call that its client left ends when the proxy notices, which may be after the next one
	slices.SortFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	for i, s := range spans {
		if i < len(want) && told(t, s) != want[i] {
			t.Errorf("span %d is\n%s\nwant\n%s", i, told(t, s), want[i])
		}
		if took := s.EndTime.Sub(s.StartTime); took <= 0 || took > time.Minute || s.SpanKind != api.SpanKindClient ||
			s.Parent.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("span %d took %v, is of the kind %v and the trace %s", i, took, s.SpanKind, s.Parent.TraceID())
		}
		failed := strings.Contains(told(t, s), "error.type")
		if (s.Status.Code == codes.Error) != failed || s.Status.Description != "" {
			t.Errorf("span %d has the status %+v", i, s.Status)
		}
		if text := fmt.Sprintf("%+v", s); strings.Contains(text, secret) {
			t.Errorf("span %d has content: %s", i, text)
		}
	}
	if len(spans) != len(want) {
		t.Errorf("%d spans, want %d", len(spans), len(want))
	}
}

// proxy runs pact proxy to an upstream, and returns its address and the function that stops it.
func proxy(t *testing.T, upstream string) (address string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		exit <- cli.Run(ctx, []string{"proxy", "--upstream", upstream, "--db", filepath.Join(t.TempDir(), "pact.db")},
			cli.Streams{In: strings.NewReader(""), Out: printed, Err: io.Discard})
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(line[:n])), func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if code := <-exit; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// told writes a span as its name and its attributes in the order of their names. Counts of tokens
// are TOKENS where there are both and neither is 0.
func told(t *testing.T, s tracetest.SpanStub) string {
	t.Helper()
	var list []string
	counts := map[string]int64{}
	for _, a := range s.Attributes {
		if name, ok := strings.CutPrefix(string(a.Key), "gen_ai.usage."); ok {
			counts[name] = a.Value.AsInt64()
		} else {
			list = append(list, string(a.Key)+"="+a.Value.Emit())
		}
	}
	if counts["input_tokens"] > 0 && counts["output_tokens"] > 0 {
		list = append(list, "gen_ai.usage TOKENS")
	}
	slices.Sort(list)
	return s.Name + ": " + strings.Join(list, " ")
}
