package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/server"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
)

// spans keeps what a server tells of its requests, in place of an exporter.
type spans struct {
	embedded.TracerProvider
	mu    sync.Mutex
	ended []*span
}

// tracer begins spans.
type tracer struct {
	embedded.Tracer
	of *spans
}

type span struct {
	embedded.Span
	of       *spans
	name     string
	parent   trace.SpanContext
	all      []string
	own      trace.SpanContext
	finished bool
}

func (s *spans) Tracer(string, ...trace.TracerOption) trace.Tracer { return tracer{of: s} }

func (r tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	c := trace.NewSpanStartConfig(o...)
	begun := &span{of: r.of, name: name, parent: trace.SpanContextFromContext(ctx), all: []string{name}}
	begun.SetAttributes(c.Attributes()...)
	begun.own = begun.parent.WithSpanID(trace.SpanID{1}).WithRemote(false)
	return trace.ContextWithSpan(ctx, begun), begun
}

func (s *span) End(...trace.SpanEndOption) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.finished {
		panic("a span ended twice")
	}
	s.finished = true
	s.of.ended = append(s.of.ended, s)
}

func (s *span) AddEvent(name string, o ...trace.EventOption) {
	c := trace.NewEventConfig(o...)
	s.SetAttributes(c.Attributes()...)
	s.all = append(s.all, name)
}
func (s *span) AddLink(l trace.Link)                          { s.SetAttributes(l.Attributes...) }
func (s *span) IsRecording() bool                             { return true }
func (s *span) RecordError(err error, _ ...trace.EventOption) { s.all = append(s.all, err.Error()) }
func (s *span) SpanContext() trace.SpanContext                { return s.own }
func (s *span) SetStatus(_ codes.Code, why string)            { s.all = append(s.all, why) }
func (s *span) SetName(name string)                           { s.name, s.all = name, append(s.all, name) }
func (s *span) TracerProvider() trace.TracerProvider          { return s.of }
func (s *span) SetAttributes(list ...attribute.KeyValue) {
	for _, a := range list {
		s.all = append(s.all, string(a.Key)+"="+a.Value.String())
	}
}

// TestNothingOfAClientReachesLogMetricsOrSpans calls every operation of the document, well and
// badly, with names, ids, selectors, contents, headers and a method that all hold one word,
// and looks for that word in everything that the server tells of them.
func TestNothingOfAClientReachesLogMetricsOrSpans(t *testing.T) {
	const word = "WORDOFACLIENT"
	told := &spans{}
	r := start(t, server.Options{Spans: told})
	made := r.token(word, true, "")
	name, block := word+"-name", word+"-block"
	r.must(nil, "POST", "/v1/contexts", `{"name":"`+name+`","attrs":{"x:y":"`+word+`"}}`, made...)
	for cycle := range 3 {
		r.must(nil, "POST", "/v1/contexts/"+name+"/commits", fmt.Sprintf(`{"cycle":%d,"actor":%q,"message":%q,"edits":[
			{"op":"add","into":"^ah","node":{"id":"%s-%d","role":"user","tags":[%q],"content":%q}}]}`,
			cycle, word, word, block, cycle, word, word+" said this"), made...)
	}
	text, err := r.OpenAPI()
	must(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	must(t, json.Unmarshal(text, &document))
	asked := 0
	ask := func(method, path, body string, header ...string) {
		asked++
		r.call(method, path, body, append(header, "X-Word", word, "Idempotency-Key", word, "User-Agent", word,
			"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate", "a="+word)...)
	}
	for path, methods := range document.Paths {
		for method, operation := range methods {
			if path == "/v1/events" || method == "delete" {
				continue
			}
			there := strings.NewReplacer("{name}", name, "{id}", block+"-0").Replace(path)
			for _, body := range []string{"", `{"cycle":3,"name":"` + word + `2"}`, `{"` + word + `":1}`, word} {
				ask(strings.ToUpper(method), there, body)
				for _, p := range operation.Parameters {
					if p.In == "query" {
						ask(strings.ToUpper(method), there+"?"+p.Name+"="+word, body)
						ask(strings.ToUpper(method), there+"?"+p.Name+"=.block%5B"+word, body)
					}
				}
			}
		}
	}
	ask(word, "/v1/contexts/"+name, "")
	ask("GET", "/"+word+"?"+word, "")
	ask("GET", "/v1/contexts", "", "Host", word+".example")
	ask("GET", "/v1/contexts", "", "Origin", "https://"+word)
	ask("GET", "/v1/contexts", "", "Authorization", "Bearer "+word)
	live := r.follow(t, name, "0")
	live.next()
	live.end()
	shown := r.must(nil, "GET", "/metrics", "")
	for where, text := range map[string]string{"log": r.log.String(), "metrics": string(shown.body)} {
		if i := strings.Index(text, word); i >= 0 {
			t.Errorf("the %s has %.200s", where, text[max(0, i-100):])
		}
	}
	told.mu.Lock()
	defer told.mu.Unlock()
	for _, s := range told.ended {
		if strings.Contains(fmt.Sprint(s.all, s.parent.TraceState().String(), s.own.TraceState().String()), word) {
			t.Errorf("the span %s has %q, %v", s.name, s.all, s.parent)
		}
	}
	if len(told.ended) < asked || asked < 100 {
		t.Errorf("%d spans of %d requests", len(told.ended), asked)
	}
}

func TestMetricsCountWhatWasAnswered(t *testing.T) {
	r := start(t, server.Options{})
	r.call("GET", "/metrics", "", "Authorization", "-").refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	live := r.follow(t, "a", "")
	for range 3 {
		r.must(nil, "GET", "/v1/contexts/a", "")
	}
	r.call("GET", "/v1/contexts/b", "")
	text := string(r.must(nil, "GET", "/metrics", "").body)
	for _, line := range []string{
		`pact_http_requests_total{operation="GET /v1/contexts/{name}",status="200"} 3`,
		`pact_http_requests_total{operation="GET /v1/contexts/{name}",status="404"} 1`,
		`pact_http_requests_total{operation="POST /v1/contexts",status="201"} 1`,
		`pact_http_requests_total{operation="none",status="401"} 1`,
		`pact_http_request_seconds_count{operation="GET /v1/contexts/{name}"} 4`,
		`pact_http_event_streams 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	live.end()
}

func TestASpanContinuesTheTraceOfTheClient(t *testing.T) {
	told := &spans{}
	r := start(t, server.Options{Spans: told})
	r.must(nil, "GET", "/v1/contexts", "", "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	r.call("GET", "/v1/contexts/nobody", "", "Traceparent", "nonsense")
	told.mu.Lock()
	defer told.mu.Unlock()
	first, second := told.ended[0], told.ended[1]
	if got := first.parent.TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" || !first.parent.IsRemote() {
		t.Errorf("the parent %v", first.parent)
	}
	if first.name != "GET /v1/contexts" || second.parent.IsValid() ||
		!strings.Contains(strings.Join(second.all, " "), "http.response.status_code=404") {
		t.Errorf("the spans %q and %q", first.all, second.all)
	}
}
