//go:build unix

package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// zeros is a text without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// run runs a command of pact that must end by itself within half a minute, and notes its memory.
func (a *attack) run(in io.Reader, args ...string) (out string, code int) {
	ctx, cancel := context.WithTimeout(a.t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.program, append(args, "--db", a.db+".own")...)
	cmd.Stdin, cmd.WaitDelay = in, time.Second
	text, _ := cmd.CombinedOutput()
	if ctx.Err() != nil {
		a.t.Errorf("pact %v does not end", args)
	}
	if used, is := cmd.ProcessState.SysUsage().(*syscall.Rusage); is && runtime.GOOS == "linux" {
		a.own = max(a.own, used.Maxrss<<10)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// endless gives commands what has no end: devices, pipes that nobody writes into or that never close.
func (a *attack) endless() {
	pipe := filepath.Join(a.t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		a.t.Fatal(err)
	}
	for _, name := range []string{pipe, "/dev/zero"} {
		for _, line := range []string{"import FILE", "hash --file FILE", "apply FILE", "check FILE", "replay FILE", "new x --policy FILE",
			"log --file FILE", "validate --file FILE", "open FILE --no-browser"} {
			out, code := a.run(nil, strings.Fields(strings.ReplaceAll(line, "FILE", name))...)
			if code < 1 || !strings.Contains(out, "[E_") {
				a.t.Errorf("pact %s of %s: exit %d, %.200s", line, name, code, out)
			}
		}
		event := `{"hook_event_name":"Stop","session_id":"s","cwd":"/x","transcript_path":"` + name + `"}`
		if out, code := a.run(strings.NewReader(event), "hook"); code != 0 {
			a.t.Errorf("a hook with %s: exit %d, %s", name, code, out)
		}
	}
	for _, line := range []string{"import -", "hash --file -", "apply -", "replay -"} {
		if out, code := a.run(zeros{}, strings.Fields(line)...); code < 1 || !strings.Contains(out, "[E_") {
			a.t.Errorf("pact %s: exit %d, %.200s", line, code, out)
		}
	}
}

// stream has a provider send an event of 300 MB through the recording proxy, and pages of a browser send calls to it.
func (a *attack) stream() {
	const size = 300 << 20
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: ")
		_, _ = io.CopyN(w, zeros{}, size)
	}))
	defer provider.Close()
	cmd := exec.Command(a.program, "proxy", "--upstream", provider.URL, "--db", a.db+".proxy")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	ask := func(header, value string) (status int, n int64) {
		req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, strings.TrimSpace(line)+"/v1/chat/completions",
			strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello?"}]}`))
		if err != nil {
			a.t.Fatal(err)
		}
		req.Header.Set(header, value)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			a.t.Fatal(err)
		}
		defer resp.Body.Close()
		n, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, n
	}
	for _, page := range [][2]string{{"Origin", "http://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
		if status, _ := ask(page[0], page[1]); status != http.StatusForbidden {
			a.t.Errorf("a page with %s: HTTP %d", page, status)
		}
	}
	if status, n := ask("Content-Type", "application/json"); status != http.StatusOK || n != size+int64(len("data: ")) {
		a.t.Errorf("HTTP %d, %d bytes", status, n)
	}
	if a.own = testrun.PeakOf(cmd.Process.Pid); a.own > 128<<20 {
		a.t.Errorf("the proxy took %d MB for a stream", a.own>>20)
	}
}

// lines speaks to the tools for agents what is no message, and puts a hundred notes at once.
func (a *attack) lines() {
	if out, code := a.run(nil, "new", "chat"); code != 0 {
		a.t.Fatal(out)
	}
	const notes = 100
	var in bytes.Buffer
	in.WriteString("what?\n" + strings.Repeat("x", 9<<20) + "\n[]\n" + `{"jsonrpc":"2.0","id":0,"method":"initialize","params":` +
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	for i := range notes {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"note","arguments":{"text":"n"}}}`+"\n", i+1)
	}
	out, code := a.run(&in, "mcp", "chat", "--write")
	if got := strings.Count(out, "is in the context from the next call on"); code != 0 || got != notes ||
		!strings.Contains(out, "-32700") || !strings.Contains(out, "-32600") {
		a.t.Errorf("exit %d, %d of %d notes: %.500s", code, got, notes, out)
	}
}
