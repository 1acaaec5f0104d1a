package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli/command"
)

// openOnTerminal runs pact open as on a terminal until the address is printed, lets use act on
// what was printed, and ends the command as Ctrl-C does.
func openOnTerminal(t *testing.T, use func(printed string), env []string, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "my chat.json")
	must(t, os.WriteFile(file, []byte(`[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]`), 0o600))
	out, printed := io.Pipe()
	var problems bytes.Buffer
	a := command.New(command.Streams{In: strings.NewReader(""), Out: printed, Err: &problems,
		Env: append(env, "PACT_DB="+filepath.Join(dir, "pact.db"), "LANG=C.UTF-8")})
	a.OutTerminal, a.Width = true, 100
	ctx, interrupt := context.WithCancel(t.Context())
	exit := make(chan int, 1)
	go func() {
		exit <- run(ctx, a, append([]string{"open", file}, flags...))
		_ = printed.Close()
	}()
	var all bytes.Buffer
	piece := make([]byte, 4096)
	for !strings.Contains(all.String(), "Ctrl-C ends it.\n") {
		n, err := out.Read(piece)
		all.Write(piece[:n])
		if err != nil {
			t.Fatalf("pact open ended: %v\n%s%s", err, &all, &problems)
		}
	}
	use(all.String())
	interrupt()
	if code := <-exit; code != 0 {
		t.Errorf("exit %d: %s", code, &problems)
	}
}

var printedAddress = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)(/c/\S+)#token=(\S+)\n`)

func TestOpenOnATerminalServesTheInspectorUntilItIsInterrupted(t *testing.T) {
	served := ""
	openOnTerminal(t, func(printed string) {
		m := printedAddress.FindStringSubmatch(printed)
		if m == nil || m[2] != "/c/my%20chat" {
			t.Fatalf("no address of the context in\n%s", printed)
		}
		served = m[1]
		for path, want := range map[string]string{m[2]: `id="app"`, "/v1/contexts/my%20chat": `"name":"my chat"`} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", served+path, nil)
			must(t, err)
			r.Header.Set("Authorization", "Bearer "+m[3])
			answer, err := http.DefaultClient.Do(r)
			must(t, err)
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if err != nil || !strings.Contains(string(body), want) {
				t.Errorf("%s: %s, %v, no %s in\n%s", path, answer.Status, err, want, body)
			}
		}
	}, nil, "--no-browser")
	if _, err := http.Get(served); err == nil {
		t.Error("the server answers after the command has ended")
	}
}

// TestABrowserIsGivenTheTokenInAPrivateFile: other users of the machine see the arguments of
// programs.
func TestABrowserIsGivenTheTokenInAPrivateFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("left out: other systems open files with a program that a test cannot replace")
	}
	dir := t.TempDir()
	opened := filepath.Join(dir, "opened")
	script := "#!/bin/sh\nprintf %s \"$*\" > " + opened + ".part && mv " + opened + ".part " + opened + "\n"
	must(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	page := ""
	openOnTerminal(t, func(printed string) {
		for end := time.Now().Add(20 * time.Second); page == "" && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			given, _ := os.ReadFile(opened)
			page = string(given)
		}
		token := printedAddress.FindStringSubmatch(printed)[3]
		if page == "" || strings.Contains(page, token) {
			t.Fatalf("the browser is started with %q", page)
		}
		info, err := os.Stat(page)
		must(t, err)
		content, err := os.ReadFile(page)
		if err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(string(content), "#token="+token) {
			t.Errorf("the page with mode %v has %s", info.Mode(), content)
		}
	}, []string{"DISPLAY=:0", "PATH=" + os.Getenv("PATH")})
	if _, err := os.Stat(page); !os.IsNotExist(err) {
		t.Errorf("the page with the token is still there: %v", err)
	}
}
