package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/server"
)

func TestAQueryMayVisitSoManyNodesAndSnapshots(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	for cycle := range 5 {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, cycle, hello))
	}
	r.LimitTo(12, 3, time.Minute)
	r.must(nil, "GET", "/v1/contexts/a/select?q=^ah", "")
	for path, says := range map[string]string{
		"select?q=@*+.block":                        "more than 3 snapshots",
		"select?explain=true&q=@t-4..@t0+.block":    "more than 3 snapshots",
		"select?q=@t-4..@t0+.block":                 "more than 3 snapshots",
		"select?q=@t-4..@t0+.block&max_snapshots=1": "more than 3 snapshots",
		"diff?from=@t-1&to=@t0&select=*":            "more than 12 nodes",
		"select?q=@t-2..@t0+*":                      "more than 12 nodes",
	} {
		f := r.call("GET", "/v1/contexts/a/"+path, "").refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
		if !strings.Contains(f.Detail, says) || f.Remedy == "" {
			t.Errorf("%s: %+v", path, f)
		}
	}
	f := r.call("POST", "/v1/contexts/a/commits", `{"cycle":5,"pruning":{"select":["*","*","*"]}}`).
		refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	if !strings.Contains(f.Detail, "12 nodes") {
		t.Errorf("%+v", f)
	}
	var now struct{ Revision int }
	if r.must(&now, "GET", "/v1/contexts/a", ""); now.Revision != 6 {
		t.Error("a refused commit changed the context")
	}
}

// TestASlowClientLosesItsPlace takes nothing of a long answer, or sends a body without end;
// the server ends the connection and serves others.
func TestASlowClientLosesItsPlace(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	long := `{"op":"add","into":"^ah","node":{"role":"user","content":"` + strings.Repeat("x", 7<<20) + `"}}`
	for cycle := range 3 {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, cycle, long))
	}
	r.LimitTo(server.MaxVisits, server.MaxReads, 300*time.Millisecond)
	head := " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + r.Token() + "\r\nContent-Type: application/json\r\n"
	reading := r.dial("GET /v1/contexts/a/export" + head + "\r\n")
	sending := r.dial("POST /v1/contexts" + head + "Content-Length: 1000\r\n\r\n{")
	for _, operation := range []string{"GET /v1/contexts/{name}/export", "POST /v1/contexts\""} {
		for deadline := time.Now().Add(20 * time.Second); !strings.Contains(r.log.String(), operation); {
			if time.Now().After(deadline) {
				t.Fatalf("%s still runs:\n%s", operation, r.log)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	if text, _ := io.ReadAll(sending); !strings.Contains(string(text), "400 Bad Request") {
		t.Errorf("the slow sender was told %.200s", text)
	}
	if n, _ := io.Copy(io.Discard, reading); n > 20<<20 {
		t.Errorf("the slow reader got %d bytes, which is everything", n)
	}
	r.must(nil, "GET", "/v1/contexts", "")
}

// dial opens a connection that takes little at a time, and sends bytes.
func (r *running) dial(bytes string) net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.url[len("http://"):])
	must(r.t, err)
	r.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, bytes); err != nil {
		r.t.Fatal(err)
	}
	return conn
}
