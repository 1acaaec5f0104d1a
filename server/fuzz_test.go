package server_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/server"
)

// marker stands in the bodies, headers and queries of the fuzz tests, and must be in no line of
// the log.
const marker = "qzmarker"

// logLines matches what the log may have: no part of a line is text of a client.
var logLines = regexp.MustCompile(`^(time=\S+ level=INFO msg=request method=[A-Za-z]+ ` +
	`operation=("[A-Z]+ /[a-z0-9/{}.-]*"|"") status=\d+ bytes=\d+ took=\S+ broken=false\n)*$`)

// fuzzed is a server under any requests.
type fuzzed struct {
	*running
	run    []byte // a conversation of several calls, as pact import reads it
	sent   int    // requests
	logged int    // bytes of the log that were looked at
}

// fuzz serves a store with one context, a.
func fuzz(f *testing.F) *fuzzed {
	run, err := os.ReadFile("../examples/conversations/repair.jsonl")
	must(f, err)
	r := &fuzzed{start(f, server.Options{}), run, 0, 0}
	r.begin(f)
	heap := heapInUse()
	f.Cleanup(func() {
		// The server keeps some contexts open; what the requests brought must go.
		if now := heapInUse(); now > heap+64<<20 {
			f.Errorf("%d MB of memory are in use after all requests, before %d MB", now>>20, heap>>20)
		}
		if r.sent > 0 && r.logged == 0 {
			f.Error("the log is empty")
		}
	})
	return r
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// begin brings the store back to the context that there is at the beginning.
func (r *fuzzed) begin(t testing.TB) {
	t.Helper()
	list, err := pact.List(context.Background(), r.store)
	must(t, err)
	for _, i := range list {
		must(t, pact.Delete(context.Background(), r.store, i.Name))
	}
	of := &running{Server: r.Server, t: t, store: r.store, url: r.url, log: r.log}
	of.must(nil, "POST", "/v1/import?name=a", string(r.run), "Content-Type", "application/octet-stream")
}

// state says what the store has: for each context the digest of its history with its log, and
// its attempts.
func (r *fuzzed) state(t testing.TB) string {
	t.Helper()
	ctx := context.Background()
	list, err := pact.List(ctx, r.store)
	must(t, err)
	var all strings.Builder
	for _, i := range list {
		c, err := pact.Open(ctx, r.store, i.Name, nil)
		must(t, err)
		hash := sha256.New()
		must(t, c.Export(ctx, hash))
		attempts, err := engine.Of(r.store).Attempts(ctx, i.Key, i.First, i.Cycle+1)
		must(t, err)
		fmt.Fprintf(&all, "%v %s %x %v\n", i, c.Working().Digest(), hash.Sum(nil), attempts)
	}
	return all.String()
}

// check sends a request with send and holds its answer to what every answer owes. lasting says that
// the operation changes nothing even if it succeeds.
func (r *fuzzed) check(t *testing.T, size int, lasting bool, send func() (status int, body []byte)) {
	before := r.state(t)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	allocated := m.TotalAlloc
	r.sent++
	status, body := send()
	runtime.ReadMemStats(&m)
	if took := m.TotalAlloc - allocated; took > 4<<20+4<<10*uint64(size) {
		t.Errorf("a request of %d bytes took %d MB of memory", size, took>>20)
	}
	if status >= 500 {
		t.Errorf("%d: %s", status, body)
	}
	said := r.log.take()
	r.logged += len(said)
	if strings.Contains(said, marker) || !logLines.MatchString(said) {
		t.Errorf("the log has text of a client, or tells of a fault:\n%s", said)
	}
	switch after := r.state(t); {
	case after == before:
	case status >= 400 || lasting:
		t.Errorf("%d, and the store changed from\n%sto\n%s: %s", status, before, after, body)
	default:
		r.begin(t)
	}
}

// FuzzBodies sends any bytes to every operation that has a body. No answer is a fault of the
// server, no refused request changes the store, and the log has nothing of the body.
func FuzzBodies(f *testing.F) {
	r := fuzz(f)
	paths := []string{"/v1/contexts", "/v1/contexts/a/edits", "/v1/contexts/a/commits", "/v1/contexts/a/plan",
		"/v1/contexts/a/fork", "/v1/contexts/a/undo", "/v1/session", "/v1/import?form=history&name=" + marker,
		"/v1/import?form=document&name=d", "/v1/import?form=log&name=t", "/v1/import?form=log&name=l",
		"/v1/import?name=any"}
	for i := range paths {
		for _, body := range []string{`{`, `{"cycle":5,"message":"` + marker + `","edits":[` + hello + `]}`,
			`{"cycle":5,"edits":[` + hello + `,{"op":"remove","id":"` + marker + `"}]}`, `{"policy":{"max_nodes":1}}`,
			`{"name":"` + marker + `"}`, `{"root":{"id":"` + marker + `","children":[]}}`, `{"` + marker + `":1}`,
			`[{"role":"user","content":"` + marker + `"}]`, "{\"name\":\"" + marker + "\xff\"}", string(r.run)} {
			f.Add(uint8(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		path := paths[int(which)%len(paths)]
		inside := &running{Server: r.Server, t: t, store: r.store, url: r.url, log: r.log}
		r.check(t, len(body), strings.HasSuffix(path, "/plan"), func() (int, []byte) {
			got := inside.call("POST", path, body, "Content-Type", "application/json", "Idempotency-Key", marker,
				"User-Agent", marker)
			return got.StatusCode, got.body
		})
	})
}

// FuzzQueries sends any bytes as the query and as a header of every operation that only reads. None
// of them is a fault of the server or changes anything.
func FuzzQueries(f *testing.F) {
	r := fuzz(f)
	var document struct{ Paths map[string]map[string]any }
	text, err := r.OpenAPI()
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	must(f, err)
	i, err := r.store.Find(f.Context(), "a")
	must(f, err)
	block := firstBlock(f, r.store, i)
	var paths []string
	for path, methods := range document.Paths {
		if methods["get"] != nil && path != "/v1/events" { // which does not end
			paths = append(paths, strings.NewReplacer("{name}", "a", "{id}", block).Replace(path))
		}
	}
	slices.Sort(paths)
	for i := range paths {
		for _, query := range []string{"", "q=.block", "q=%5Bcontent~%27a*%27%5D&at=@c3", "from=@c1&to=@c5", "at=" + marker,
			"after=2&limit=1", "q=@t-5..@t0%20.block", "columns=3&rows=9&unit=tokens", "as=anthropic&whole=true",
			"at=working&vs=@c2&kind=call&failed=true", "\xff=%ff", "limit=-1"} {
			f.Add(uint8(i), query, "Range: bytes=5-")
		}
		f.Add(uint8(i), "", "If-None-Match: "+marker)
		f.Add(uint8(i), "", "Accept-Encoding: gzip\r\nIf-Range: x")
	}
	f.Fuzz(func(t *testing.T, which uint8, query, header string) {
		size := len(query) + len(header)
		if strings.HasSuffix(paths[int(which)%len(paths)], "/export") {
			size += len(r.run) // which a page reads call by call and block by block, and answers with
		}
		r.check(t, size, true, func() (int, []byte) {
			return r.raw(t, "GET "+paths[int(which)%len(paths)]+"?"+query+
				" HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nAuthorization: Bearer "+r.Token()+"\r\n"+header+"\r\n\r\n")
		})
	})
}

// firstBlock returns the id of a block of a context.
func firstBlock(t testing.TB, s *pact.DB, i history.Info) string {
	t.Helper()
	c, err := pact.Open(t.Context(), s, i.Name, nil)
	must(t, err)
	found, err := c.Working().Select(t.Context(), ".block", nil)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	return found[0]
}

// raw sends bytes and no more, and returns the first answer to them; 0 for none.
func (r *fuzzed) raw(t *testing.T, bytes string) (int, []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	must(t, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second)) // the server may wait for a body that the header promises
	if _, err := io.WriteString(conn, bytes); err != nil {
		return 0, nil // the server refused what came first, and closed the connection
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("the answer %s broke off: %v", answer.Status, err)
	}
	return answer.StatusCode, body
}
