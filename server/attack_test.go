//go:build unix

package server_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
)

// attack is pact serve, and clients that want to harm it.
type attack struct {
	t                   *testing.T
	program, db, at     string
	process             *exec.Cmd
	mine, writer, other string // secrets of named tokens: for contexts *2, to write, to read
	own                 int64  // peak of the processes that the present door started, 0 for the server's
}

// TestAttack tries on a real pact serve what strangers and holders of tokens can do to each other,
// and prints what each attack cost. It fails if a door is open.
func TestAttack(t *testing.T) {
	if os.Getenv("PACT_ATTACK") == "" {
		t.Skip("left out: PACT_ATTACK=1 runs it")
	}
	a := &attack{t: t, program: filepath.Join(t.TempDir(), "pact"), db: filepath.Join(t.TempDir(), "attack.db")}
	if out, err := exec.Command("go", "build", "-o", a.program, "../cmd/pact").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a.mine = a.pact("token", "add", "mine", "--write", "--context", "*2")
	a.writer = a.pact("token", "add", "writer", "--write")
	a.other = a.pact("token", "add", "other", "--read")
	a.start()
	for _, door := range []struct {
		name  string
		try   func()
		quick bool // go test -short tries it too
	}{
		{"1 bodies that trickle, without a token and with one", a.trickle, false},
		{"2 imports and edits that exhaust memory, all at once", a.exhaust, false},
		{"2 a client that leaves its import", a.leave, false},
		{"3 a list beside a huge context", a.list, false},
		{"4 a token that leaves its pattern", a.escape, false},
		{"5, 6 a key used twice, edits at once", a.repeat, false},
		{"7 small doors", a.small, false},
		{"8 files, pipes and devices without an end", a.endless, true},
		{"9 an event of 300 MB and pages of a browser at the proxy", a.stream, true},
		{"10 lines that are no messages, a hundred notes at once", a.lines, true},
	} {
		if testing.Short() && !door.quick {
			continue
		}
		began := time.Now()
		a.own = 0
		door.try()
		peak := cmp.Or(a.own, testrun.PeakOf(a.process.Process.Pid))
		testrun.Row(t, door.name, time.Since(began), peak)
		if peak > 600<<20 {
			t.Errorf("%s: the server took %d MB", door.name, peak>>20)
		}
	}
}

// pact runs a command on the store, and returns what it prints.
func (a *attack) pact(args ...string) string {
	a.t.Helper()
	out, err := exec.Command(a.program, append(args, "--db", a.db)...).Output()
	if err != nil {
		a.t.Fatalf("pact %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// start starts the server and waits until it serves.
func (a *attack) start() {
	a.process = exec.Command(a.program, "serve", "--addr", "127.0.0.1:0", "--db", a.db)
	a.process.Stderr = os.Stderr
	out, err := a.process.StdoutPipe()
	if err == nil {
		err = a.process.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = a.process.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	a.at, _, _ = strings.Cut(strings.TrimPrefix(line, "http://"), "/")
}

// ask sends a request and returns the status and the body of the answer.
func (a *attack) ask(token, method, path string, body []byte, header ...string) (int, []byte) {
	req, err := http.NewRequestWithContext(a.t.Context(), method, "http://"+a.at+path, bytes.NewReader(body))
	if err != nil {
		a.t.Error(err)
		return 0, nil
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil // the server closed the connection before it read the body
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
		a.t.Errorf("%s %s: 503 without Retry-After", method, path)
	}
	return res.StatusCode, text
}

// want fails unless a request has one of these statuses.
func (a *attack) want(token, method, path, body string, statuses ...int) []byte {
	a.t.Helper()
	got, text := a.ask(token, method, path, []byte(body))
	for _, s := range statuses {
		if got == s {
			return text
		}
	}
	a.t.Errorf("%s %s: %d, want %v: %.300s", method, path, got, statuses, text)
	return text
}

// served fails unless the server answers others, and says that it does.
func (a *attack) served() {
	a.t.Helper()
	a.want(a.other, "GET", "/v1/contexts", "", 200)
	a.want("", "GET", "/readyz", "", 204)
}

func (a *attack) trickle() {
	a.want(a.writer, "POST", "/v1/contexts", `{"name":"a"}`, 201)
	for _, path := range []string{"/v1/session", "/v1/contexts", "/v1/import?name=x", "/v1/contexts/a/commits"} {
		for range 2 * server.MaxRequests {
			conn, err := net.Dial("tcp", a.at)
			if err != nil {
				a.t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path, a.writer)
		}
	}
	time.Sleep(time.Second)
	a.served()
	a.want("", "POST", "/v1/session", `{"token":"`+strings.Repeat("x", 5000)+`"}`, 413)
}

// exhaust sends everything that is small on its way and large in memory, all at once.
func (a *attack) exhaust() {
	const message = `{"role":"user","content":"a"},`
	bodies := [][]byte{zipped("[", message, message[:len(message)-1]+"]", 400_000),
		zipped("[", message, message[:len(message)-1]+"]", 6_000_000),
		zipped(`{"pact_history":1,"edition":"canonical"}`+"\n"+`{"empty":0,"born":[`, `{"parent":"a","node":{"id":"b"}},`, "", 4_000_000),
		zipped("", `{"root":{},"cycle":1}`+"\n", "", 4_000_000), zipped("[", "[],", "[]]", 60_000_000)}
	big := zipped(`[{"role":"user","content":"`, strings.Repeat("x", 1<<10), `"}]`, 255<<10)
	for range 16 {
		bodies = append(bodies, big)
	}
	edits := []byte(`{"cycle":0,"edits":[` + strings.Repeat(`{"op":"add","into":"^ah","node":{}},`, 230_000) +
		`{"op":"add","into":"^ah","node":{}}]}`)
	var wait sync.WaitGroup
	for i, body := range bodies {
		wait.Go(func() {
			status, text := a.ask(a.writer, "POST", fmt.Sprint("/v1/import?name=bomb", i), body)
			if status < 400 || status > 503 || status == 500 {
				a.t.Errorf("import %d: %d %.200s", i, status, text)
			}
		})
	}
	for range server.MaxRequests {
		wait.Go(func() {
			status, text := a.ask(a.writer, "POST", "/v1/contexts/a/edits", edits)
			if status < 400 || status > 503 || status == 500 {
				a.t.Errorf("edits: %d %.200s", status, text)
			}
		})
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	for longest := time.Duration(0); ; {
		began := time.Now()
		if status, text := a.ask(a.other, "GET", "/v1/contexts", nil); status != 200 && status != 429 {
			a.t.Errorf("meanwhile: %d %.200s", status, text)
		}
		longest = max(longest, time.Since(began))
		select {
		case <-done:
			a.t.Logf("meanwhile the slowest list took %v", longest.Round(time.Millisecond))
			a.served()
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// leave sends an import of many calls, and closes the connection.
func (a *attack) leave() {
	body := zipped("[", `{"role":"user","content":"a"},{"role":"assistant","content":"b"},`, `{"role":"user","content":"a"}]`, 10_000)
	ctx, end := context.WithTimeout(a.t.Context(), time.Second)
	defer end()
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+a.at+"/v1/import?name=left", bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.writer)
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		a.t.Errorf("the import took less than a second: %s", res.Status)
	}
	time.Sleep(2 * time.Second)
	a.want(a.writer, "GET", "/v1/contexts/left", "", 404)
}

// list asks for all contexts with details while one of them is huge and was just changed.
func (a *attack) list() {
	const small, nodes = 1000, 50_000
	for i := range small {
		a.want(a.writer, "POST", "/v1/contexts", fmt.Sprintf(`{"name":"small%d"}`, i), 201)
	}
	a.want(a.writer, "POST", "/v1/contexts", `{"name":"huge"}`, 201)
	body := `,"edits":[` + strings.Repeat(`{"op":"add","into":"^ah","node":{}},`, nodes-1) +
		`{"op":"add","into":"^ah","node":{}}]}`
	for cycle := range 3 {
		a.want(a.writer, "POST", "/v1/contexts/huge/commits", fmt.Sprintf(`{"cycle":%d`, cycle)+body, 200)
	}
	for range 3 {
		began := time.Now()
		a.want(a.other, "GET", "/v1/contexts?details=true&limit=1000", "", 200)
		took := time.Since(began)
		a.t.Logf("a list of %d contexts, one with %d nodes, took %v", small+1, 3*nodes, took.Round(time.Millisecond))
		if took > time.Second {
			a.t.Error("the list waits for the huge context")
		}
	}
}

func (a *attack) escape() {
	a.want(a.writer, "POST", "/v1/contexts", `{"name":"proj2"}`, 201)
	for cycle := range 3 {
		a.want(a.writer, "POST", "/v1/contexts/proj2/commits", fmt.Sprintf(`{"cycle":%d}`, cycle), 200)
	}
	a.want(a.mine, "POST", "/v1/contexts/proj2/undo", `{}`, 403)
	for _, path := range []string{"/v1/contexts/a", "/v1/contexts/nobody", "/v1/events?context=a", "/v1/contexts/a/thread"} {
		a.want(a.mine, "GET", path, "", 403)
	}
	a.want(a.mine, "POST", "/v1/contexts/proj2/fork", `{"name":"proj3"}`, 403)
	a.want(a.other, "POST", "/v1/contexts/proj2/commits", `{"cycle":2}`, 403)
	a.want("wrong", "GET", "/v1/contexts", "", 401)
}

func (a *attack) repeat() {
	edit := func(id string) string {
		return `{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"id":"` + id + `"}}]}`
	}
	a.want(a.writer, "POST", "/v1/contexts", `{"name":"r"}`, 201)
	const path = "/v1/contexts/r/edits"
	var wait sync.WaitGroup
	for i := range 30 {
		wait.Go(func() {
			if got, text := a.ask(a.writer, "POST", path, []byte(edit("one")), "Idempotency-Key", "k"); got != 200 {
				a.t.Errorf("the same key at once: %d %.200s", got, text)
			}
			a.want(a.writer, "POST", path, edit(fmt.Sprint("n", i)), 200)
		})
	}
	wait.Wait()
	if got, text := a.ask(a.writer, "POST", path, []byte(edit("two")), "Idempotency-Key", "k"); got != 422 {
		a.t.Errorf("the same key with another body: %d %.200s", got, text)
	}
}

func (a *attack) small() {
	a.want(a.mine, "GET", "/metrics", "", 403)
	a.want(a.writer, "POST", "/v1/contexts", `{"name":"x","name":"y"}`, 400)
	a.want(a.writer, "POST", "/v1/contexts", `{"name":".."}`, 400)
	if text := a.want(a.writer, "GET", "/v1/contexts/"+strings.Repeat("x", 60_000), "", 404); len(text) > 5000 {
		a.t.Errorf("a 404 of %d bytes", len(text))
	}
	if got, text := a.ask(a.other, "GET", "/v1/contexts", nil, "Authorization", "bearer "+a.other); got != 200 {
		a.t.Errorf("bearer in small letters: %d %s", got, text)
	}
	ctx, end := context.WithCancel(a.t.Context())
	defer end()
	open := 0
	for range server.MaxStreams {
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+a.at+"/v1/events", nil)
		req.Header.Set("Authorization", "Bearer "+a.other)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			a.t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode == 200 {
			open++
		}
	}
	if open != server.MaxShare {
		a.t.Errorf("one token has %d event streams", open)
	}
	if text := a.want(a.writer, "GET", "/v1/contexts?limit=1", "", 200); !json.Valid(text) {
		a.t.Errorf("the list is %s", text)
	}
}
