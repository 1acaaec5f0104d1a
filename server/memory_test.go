package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/server"

	"github.com/contexttree/pact/store/sqlite"
)

// TestWhatNeedsTooMuchMemoryIsRefusedBeforeItIsMade sends what is small on its way and large in memory to
// a server that may hold 16 MiB, and something of each kind that fits.
func TestWhatNeedsTooMuchMemoryIsRefusedBeforeItIsMade(t *testing.T) {
	r := start(t, server.Options{Memory: 16 << 20})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	messages := func(n int) string {
		return "[" + strings.Repeat(`{"role":"user","content":"a"},`, n-1) + `{"role":"user","content":"a"}]`
	}
	edits := func(n int) string {
		return `{"cycle":0,"edits":[` + strings.Repeat(`{"op":"add","into":"^ah","node":{}},`, n-1) +
			`{"op":"add","into":"^ah","node":{}}]}`
	}
	history := func(n int) string {
		return `{"pact_history":1,"edition":"canonical"}` + "\n" + `{"empty":0,"born":[` +
			strings.Repeat(`{"parent":"a","node":{}},`, n) + "]}\n"
	}
	for _, c := range []struct{ path, large, fits string }{
		{"/v1/import?name=messages", messages(30_000), messages(300)},
		{"/v1/import?name=zipped", string(zipped(messages(1000), " ", "", 30<<20)), string(zipped(messages(300), " ", "", 1000))},
		{"/v1/contexts/a/edits", edits(30_000), edits(300)},
		{"/v1/import?name=history", history(30_000), ""},
		{"/v1/contexts", `{"name":"wide","attrs":{"x:y":[` + strings.Repeat("0,", 200_000) + `0]}}`, `{"name":"b"}`},
	} {
		f := r.call("POST", c.path, c.large).refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
		if !strings.Contains(f.Detail, "16 MiB") || !strings.Contains(f.Remedy, "hold more") {
			t.Errorf("%s: %+v", c.path, f)
		}
		if c.fits != "" {
			r.must(nil, "POST", c.path, c.fits)
		}
	}
	r.must(nil, "POST", "/v1/contexts", `{"name":"long"}`)
	long := `{"op":"add","into":"^ah","node":{"id":"l%d","role":"user","content":"` + strings.Repeat("x", 2<<20) + `"}}`
	for i := range 5 {
		r.must(nil, "POST", "/v1/contexts/long/edits", fmt.Sprintf(`{"cycle":0,"edits":[`+long+`]}`, i))
	}
	r.call("GET", "/v1/contexts/long/thread?at=working", "").refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	r.must(nil, "GET", "/v1/contexts/long/nodes/l1/content?at=working", "")
	if held := metric(string(r.must(nil, "GET", "/metrics", "").body), "pact_http_memory_bytes"); held != "0" {
		t.Errorf("%s bytes are held after the last answer", held)
	}
}

// zipped repeats a text between a beginning and an end, and compresses that.
func zipped(begin, text, end string, times int) []byte {
	var all bytes.Buffer
	z := gzip.NewWriter(&all)
	io.WriteString(z, begin)
	many := strings.Repeat(text, 1000)
	for range times / 1000 {
		io.WriteString(z, many)
	}
	io.WriteString(z, end)
	_ = z.Close()
	return all.Bytes()
}

// metric returns the value of a metric that has no labels.
func metric(text, name string) string {
	_, rest, _ := strings.Cut(text, "\n"+name+" ")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// TestWhatOthersHoldIsGivenBack lets a client send most of what all may hold without an end.
func TestWhatOthersHoldIsGivenBack(t *testing.T) {
	r := start(t, server.Options{Memory: 16 << 20})
	slow := r.dial("POST /v1/import?name=a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + r.Token() +
		"\r\nContent-Length: 20000000\r\n\r\n" + strings.Repeat(" ", 14<<20))
	create := func(name string) reply {
		return r.call("POST", "/v1/contexts", `{"name":"`+name+`","attrs":{"x:y":"`+strings.Repeat("x", 1<<20)+`"}}`)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) { // until they arrived
		held, _ := strconv.ParseFloat(metric(string(r.must(nil, "GET", "/metrics", "").body), "pact_http_memory_bytes"), 64)
		if held >= 14<<20 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v bytes are held", held)
		}
	}
	got := create("early")
	got.refused(t, http.StatusServiceUnavailable, "E_BUSY")
	if got.Header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to try again")
	}
	r.must(nil, "GET", "/v1/contexts", "")
	slow.Close()
	for deadline := time.Now().Add(20 * time.Second); create("late").StatusCode != http.StatusCreated; {
		if time.Now().After(deadline) {
			t.Fatal("a client that left holds its memory")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stuck is a store in which a context is made only when the caller gives up or the test lets it.
type stuck struct {
	engine.Contexts
	began, goOn chan struct{}
}

func (s *stuck) Create(ctx context.Context, g engine.Creation) (*engine.State, error) {
	s.began <- struct{}{}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.goOn:
		return s.Contexts.Create(ctx, g)
	}
}

// TestImportsWaitForEachOtherAndEndWithTheirClients has as many imports under way as may be.
func TestImportsWaitForEachOtherAndEndWithTheirClients(t *testing.T) {
	before := runtime.NumGoroutine()
	file, err := dbtest.Engine(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	s := &stuck{file, make(chan struct{}, 10), make(chan struct{})}
	r := serve(t, dbtest.Of(s), server.Options{}, before)
	const body = `[{"role":"user","content":"a"}]`
	imports := func(ctx context.Context, name string) {
		req, err := http.NewRequestWithContext(ctx, "POST", r.url+"/v1/import?name="+name, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+r.Token())
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}
	leave := make([]context.CancelFunc, server.MaxImports)
	for i := range leave {
		var ctx context.Context
		ctx, leave[i] = context.WithCancel(t.Context())
		go imports(ctx, fmt.Sprint("left", i))
		<-s.began
	}
	r.LimitTo(server.MaxVisits, server.MaxReads, 300*time.Millisecond)
	got := r.call("POST", "/v1/import?name=waits", body)
	got.refused(t, http.StatusServiceUnavailable, "E_BUSY")
	if got.Header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to try again")
	}
	r.must(nil, "GET", "/v1/contexts", "")
	r.LimitTo(server.MaxVisits, server.MaxReads, time.Minute)
	for _, end := range leave {
		end()
	}
	// As many imports as there are turns have begun only when those of all clients that left have ended.
	go func() {
		for range leave {
			<-s.began
		}
		close(s.goOn)
	}()
	var others sync.WaitGroup
	want := make([]struct{ Name string }, len(leave))
	for i := range leave {
		want[i].Name = fmt.Sprint("next", i)
		others.Go(func() { imports(t.Context(), want[i].Name) })
	}
	others.Wait()
	var page struct{ Items []struct{ Name string } }
	if r.must(&page, "GET", "/v1/contexts", ""); !slices.Equal(page.Items, want) {
		t.Errorf("the contexts %v", page.Items)
	}
}
