package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is a collector on loopback that keeps what it gets.
type receiver struct {
	mu    sync.Mutex
	got   []*collector.ExportTraceServiceRequest
	wrong []string
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := &collector.ExportTraceServiceRequest{}
	if err == nil {
		err = proto.Unmarshal(body, request)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.wrong = append(c.wrong, r.URL.Path+" "+r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.got = append(c.got, request)
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(nil)
}

// TestServeSendsItsSpansToTheCollector serves a store, answers two requests and stops. The
// collector then has both spans, with the trace of the client and without any name of it.
func TestServeSendsItsSpansToTheCollector(t *testing.T) {
	c := &receiver{}
	loopback := httptest.NewServer(c)
	defer loopback.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", loopback.URL)
	t.Setenv("OTEL_SERVICE_NAME", "pact of the test")
	ctx, stop := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	exit := make(chan int, 1)
	var complaints strings.Builder
	go func() {
		args := []string{"serve", "--no-token", "--addr", "127.0.0.1:0", "--db", filepath.Join(t.TempDir(), "pact.db")}
		exit <- run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: printed, Err: &complaints})
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"v1/contexts", "v1/contexts/a-name-of-the-client"} {
		req, err := http.NewRequestWithContext(ctx, "GET", at.JoinPath(path).String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d: %s", code, complaints.String())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make(map[string]int)
	for _, request := range c.got {
		if text := request.String(); strings.Contains(text, "a-name-of-the-client") || strings.Contains(text, "pact.db") ||
			!strings.Contains(text, "pact of the test") {
			t.Errorf("the collector got %s", text)
		}
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					names[span.Name]++
					if string(span.TraceId[:2]) != "\x0a\xf7" {
						t.Errorf("the span %s is of the trace %x", span.Name, span.TraceId)
					}
				}
			}
		}
	}
	if len(names) != 2 || names["GET /v1/contexts"] != 1 || names["GET /v1/contexts/{name}"] != 1 || len(c.wrong) > 0 {
		t.Errorf("the spans %v, and not understood %v", names, c.wrong)
	}
}
