package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// running is a handler on a port of loopback, with a store in a SQLite file.
type running struct {
	*server.Server
	t     testing.TB
	store *pact.DB
	url   string
	log   *text
}

// text collects what several goroutines write.
type text struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *text) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(p)
}

func (w *text) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// take returns what was written since the last call.
func (w *text) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.all.Reset()
	return w.all.String()
}

// start serves a new store until the test ends. Then no goroutine of it may be left.
func start(t testing.TB, o server.Options) *running {
	t.Helper()
	before := runtime.NumGoroutine()
	s, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	return serve(t, s, o, before)
}

// serve serves a store until the test ends, and then closes it. There were before goroutines.
func serve(t testing.TB, s *pact.DB, o server.Options, before int) *running {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &running{t: t, store: s, url: "http://" + listener.Addr().String(), log: &text{}}
	o.Log = slog.New(slog.NewTextHandler(r.log, nil))
	r.Server = server.New(s, o)
	h := &http.Server{Handler: r.Server, MaxHeaderBytes: server.MaxHeader,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	h.RegisterOnShutdown(r.Close)
	done := make(chan struct{})
	go func() {
		_ = h.Serve(listener)
		close(done)
	}()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		<-done
		r.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		noneLeft(t, before)
	})
	return r
}

// The package os/signal starts one goroutine for the whole process, which stays. Fuzzing
// starts it while a server runs; here it starts before a test counts.
func init() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

// noneLeft fails if more goroutines are left than there were. It waits for those that are
// about to end.
func noneLeft(t testing.TB, before int) {
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// reply is the answer to a request.
type reply struct {
	*http.Response
	body []byte
}

// call sends a request with the token. header holds names and values in turn; a name with
// the value "-" is left out.
func (r *running) call(method, path, body string, header ...string) reply {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	must(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.Token())
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		switch {
		case header[i+1] == "-":
			req.Header.Del(header[i])
		case header[i] == "Host":
			req.Host = header[i+1]
		default:
			req.Header.Set(header[i], header[i+1])
		}
	}
	res, err := http.DefaultClient.Do(req)
	must(r.t, err)
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	must(r.t, err)
	r.documented(res)
	return reply{res, got}
}

// documented fails the test if the document does not say that an operation answers like this.
func (r *running) documented(res *http.Response) {
	r.t.Helper()
	document := documentOf(r.t)
	for path, methods := range document.Paths {
		ask := res.Request
		form := "^" + regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, "[^/]+") + "$"
		op, ok := methods[strings.ToLower(ask.Method)]
		if !ok || !regexp.MustCompile(form).MatchString(ask.URL.EscapedPath()) {
			continue
		}
		answer, ok := op.Responses[fmt.Sprint(res.StatusCode)]
		if !ok {
			r.t.Errorf("the document does not say that %s %s answers with %s", ask.Method, path, res.Status)
		}
		if name, shared := strings.CutPrefix(answer.Ref, "#/components/responses/"); shared {
			answer = document.Components.Responses[name]
		}
		kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
		if answer.Content[kind] == nil && (kind != "" || len(answer.Content) > 0) {
			r.t.Errorf("%s %s answers with %s of type %q, which the document does not say", ask.Method, path, res.Status, kind)
		}
	}
}

var readDocument = sync.OnceValues(func() (d openAPI, err error) {
	s := server.New(pact.NewDB(store.NewMemory()), server.Options{})
	defer s.Close()
	text, err := s.OpenAPI()
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
})

// documentOf returns what every server says of itself.
func documentOf(t testing.TB) openAPI {
	t.Helper()
	d, err := readDocument()
	must(t, err)
	return d
}

// openAPI is the part of the document that tests read.
type openAPI struct {
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Responses   map[string]answerOf
	}
	Components struct{ Responses map[string]answerOf }
}

// answerOf returns the description of an answer in the document.
type answerOf struct {
	Ref     string `json:"$ref"`
	Content map[string]any
}

// must is call for a request that succeeds; it decodes the answer into v, if v is not nil.
func (r *running) must(v any, method, path, body string, header ...string) reply {
	r.t.Helper()
	got := r.call(method, path, body, header...)
	if got.StatusCode >= 300 {
		r.t.Fatalf("%s %s: %s\n%s", method, path, got.Status, got.body)
	}
	if v != nil {
		if err := json.Unmarshal(got.body, v); err != nil {
			r.t.Fatalf("%s %s: %v\n%s", method, path, err, got.body)
		}
	}
	return got
}

// failed is the form of a refusal.
type failed struct {
	Title                             string
	Status                            int
	Detail, Code, Remedy, Token, Node string
	Offset                            *int
	Meanwhile                         []struct {
		Revision int64
		Kind     string
		Cycle    int64
		Actor    string
	}
}

// refused fails the test unless an answer refuses with a status and a code.
func (r reply) refused(t testing.TB, status int, code string) failed {
	t.Helper()
	var f failed
	if err := json.Unmarshal(r.body, &f); err != nil {
		t.Fatalf("%s is no refusal: %v\n%s", r.Status, err, r.body)
	}
	if got := fmt.Sprint(r.StatusCode, " ", f.Code); got != fmt.Sprint(status, " ", code) {
		t.Errorf("%s %s, want %d %s\n%s", r.Request.Method, got, status, code, r.body)
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/problem+json" || f.Status != status ||
		f.Title != http.StatusText(status) {
		t.Errorf("a refusal of type %q: %s", kind, r.body)
	}
	return f
}

var must = testrun.Must
