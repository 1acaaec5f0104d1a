package clients

import (
	"bufio"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tools is where install.sh put the generators.
func tools(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PACT_API_TOOLS")
	if dir == "" {
		t.Skip("left out: make clients installs the generators and runs the guide")
	}
	return dir
}

// run runs a program in a directory and returns what it prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
	return string(out)
}

// serve runs pact serve on an empty store until the test ends and returns how programs reach it.
func serve(t *testing.T, flags ...string) (server, token string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pact")
	run(t, "../..", nil, "go", "build", "-o", program, "./cmd/pact")
	cmd := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--db",
		filepath.Join(t.TempDir(), "guide.db")}, flags...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("pact serve did not end in good order: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return at.Scheme + "://" + at.Host, strings.TrimPrefix(at.Fragment, "token=")
}

// page returns the code of the guide, for a shell.
func page(t *testing.T) string {
	t.Helper()
	_, code, found := strings.Cut(string(read(t, "../../docs/guide.md")), "```sh\n")
	code, _, ends := strings.Cut(code, "```")
	if !found || !ends {
		t.Fatal("the guide has no code for a shell")
	}
	return code
}

// Each language gives the same answers, in its own words.
func TestTheGuideRuns(t *testing.T) {
	dir, err := filepath.Abs(tools(t))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, language := range map[string]struct {
		code    func(t *testing.T, dir string) (program string, args []string)
		answers []string
	}{
		"sh":     {shell, []string{`"name":"other"`, `"undone":"repair~c6"`, `"repeated":true`, `"done":5`}},
		"python": {python, answers},
		"ts":     {typescript, answers},
	} {
		t.Run(name, func(t *testing.T) {
			server, token := serve(t)
			program, args := language.code(t, dir)
			env := []string{"PACT_URL=" + server, "PACT_TOKEN=" + token, "PYTHONPATH=" + dir}
			got := run(t, root, env, program, args...)
			for _, want := range append(language.answers, "system block clock expired", "result-2") {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
		})
	}
}

// answers are parts of what the programs in Python and TypeScript print.
var answers = []string{"5 calls", "repair 5 calls, 2244 bytes", "cycle 6 new", "cycle 6 again", "E_CONFLICT",
	"bytes before,", "repair~c6", "5 snapshots hold"}

func shell(t *testing.T, _ string) (string, []string) {
	return "bash", []string{"-euo", "pipefail", "-c", page(t)}
}

func python(t *testing.T, dir string) (string, []string) {
	bin := filepath.Join(dir, "python", "bin")
	from, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, filepath.Join(bin, "openapi-python-client"), "generate", "--overwrite", "--meta", "none",
		"--path", filepath.Join(from, document), "--config", filepath.Join(from, "python.yaml"), "--output-path", "pact_api")
	return filepath.Join(bin, "python"), []string{"-c", string(read(t, "testdata/ten_tasks.py"))}
}

// typescript checks the types of what needs the client, where that is built, and leaves them out, so that Node
// can run the rest.
func typescript(t *testing.T, _ string) (string, []string) {
	return compiled(t, "guide", string(read(t, "testdata/ten_tasks.ts")))
}

func compiled(t *testing.T, name, code string) (string, []string) {
	t.Helper()
	dir := os.Getenv("PACT_TYPESCRIPT")
	if dir == "" {
		t.Skip("left out: make clients builds the client in TypeScript")
	}
	file := filepath.Join(dir, name+".ts")
	if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"), "--strict", "--noUncheckedIndexedAccess", "--module",
		"nodenext", "--target", "es2022", "--skipLibCheck", "--types", "node", "--ignoreConfig", file)
	return "node", []string{filepath.Join(dir, name+".js")}
}

// TestThePageOnTypeScriptRuns runs the code of docs/typescript.md and compares what it prints with the page.
func TestThePageOnTypeScriptRuns(t *testing.T) {
	page := string(read(t, "../../docs/typescript.md"))
	code, want := "", ""
	for _, block := range regexp.MustCompile("(?s)```(ts|text)\n(.*?)```").FindAllStringSubmatch(page, -1)[1:] {
		if block[1] == "ts" {
			code += block[2]
		} else {
			want += block[2]
		}
	}
	name, args := compiled(t, "page", code)
	program := filepath.Join(t.TempDir(), "pact")
	run(t, "../..", nil, "go", "build", "-o", program, "./cmd/pact")
	dir := t.TempDir()
	if got := run(t, dir, []string{"PACT_BINARY=" + program}, name, args...); got != want {
		t.Errorf("the page says\n%s\nand its code prints\n%s", want, got)
	}
	run(t, dir, []string{"PACT_BINARY=" + program}, name, args...) // a reader tries it again
}
