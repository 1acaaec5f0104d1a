package cli_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/rogpeppe/go-internal/testscript"
)

// statusFile is where the program leaves what Linux says of its process.
const statusFile = "PACT_TEST_STATUS"

// TestMain lets the test binary be the program that the scripts call.
func TestMain(m *testing.M) {
	testscript.Main(served{m}, map[string]func(){"pact": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		code := cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ()})
		if file := os.Getenv(statusFile); file != "" {
			if status, err := os.ReadFile("/proc/self/status"); err == nil {
				_ = os.WriteFile(file, status, 0o600) // what is missing is reported by the reader
			}
		}
		os.Exit(code)
	}, "agent": agent, "caching": caching, "manytools": manyTools, "reading": reading, "astray": astray})
}

// TestScript runs the sessions in testdata/script. They know one command more
// than testscript does: exits N pact …, which demands exit code N.
// Under the race detector it runs those that have a proxy record a program, which is served
// meanwhile. The others wait for one command after another.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("USER", "tester")
			examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "conversations"))
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLES", examples)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second under the race detector
			provider := httptest.NewServer(providertest.New())
			e.Defer(provider.Close)
			e.Setenv("OPENAI_BASE_URL", provider.URL+"/v1")
			e.Setenv("ANTHROPIC_BASE_URL", provider.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

func scripts(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !testrun.Raced || bytes.Contains(text, []byte("exec pact run ")) {
			files = append(files, file)
		}
	}
	if len(files) < 4 {
		t.Errorf("found only the scripts %v", files)
	}
	return files
}

// TestRunKeepsNothing calls Run many times in one process, at once, and expects
// every call to be as if it were the only one.
func TestRunKeepsNothing(t *testing.T) {
	const ops = `{"op":"add","into":"^ah","node":{"content":"Hello"}}` + "\n" + `{"op":"commit"}` + "\n"
	_, first, _ := run(t, ops, "apply", "-")
	if !strings.HasPrefix(first, `{"cycle":1,`) {
		t.Fatalf("apply printed %q", first)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if code, out, _ := run(t, ops, "apply", "-"); code != 0 || out != first {
				t.Errorf("apply again: exit %d, %q", code, out)
			}
			if code, out, _ := run(t, "", "select", "--json", "--flag"); code != 2 ||
				!strings.HasPrefix(out, `{"error":{"code":"E_USAGE"`) {
				t.Errorf("a wrong flag: exit %d, %q", code, out)
			}
			if code, out, problems := run(t, "", "contexts"); code != 1 || out != "" || !strings.Contains(problems,
				"there is no store") {
				t.Errorf("no store: exit %d, %q, %q", code, out, problems)
			}
		})
	}
	all.Wait()
}

// TestErrorsAreVisible has an error that quotes what would take over a terminal.
func TestErrorsAreVisible(t *testing.T) {
	const ops = `{"op":"remove","id":"\u001b[2J\n"}` + "\n"
	if code, _, problems := run(t, ops, "apply", "-"); code != 2 || strings.ContainsRune(problems, 0x1b) ||
		!strings.Contains(problems, "\ufffd[2J\ufffd") {
		t.Errorf("exit %d, %q", code, problems)
	}
}

// TestInterrupt ends a run that waits for its input.
func TestInterrupt(t *testing.T) {
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer in.Close()
	for _, flags := range [][]string{nil, {"--json"}} {
		var o, e bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan int)
		go func() {
			done <- cli.Run(ctx, append([]string{"apply", "-"}, flags...), cli.Streams{In: in, Out: &o, Err: &e})
		}()
		cancel()
		if code := <-done; code != 130 {
			t.Errorf("exit %d", code)
		}
		if flags == nil && (o.Len() > 0 || e.String() != "pact: interrupted\n") {
			t.Errorf("printed %q and %q", &o, &e)
		}
		if flags != nil && o.String() != `{"error":{"code":"E_STORE","message":"interrupted","details":{}}}`+"\n" {
			t.Errorf("printed %q", &o)
		}
	}
}

// TestHelp holds every command to a help text with an example.
func TestHelp(t *testing.T) {
	_, top, _ := run(t, "", "--help")
	commands := 0
	for line := range strings.Lines(top) {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), " ")
		if !ok || strings.HasPrefix(line, "   ") || !strings.HasPrefix(line, "  ") || name == "pact" || name == "help" ||
			name == "completion" || strings.HasPrefix(name, "-") {
			continue
		}
		commands++
		code, help, _ := run(t, "", name, "--help")
		if code != 0 || !strings.Contains(help, "Examples:\n") || !strings.Contains(help, "pact "+name) {
			t.Errorf("pact %s --help: exit %d\n%s", name, code, help)
		}
	}
	if commands < 22 {
		t.Errorf("%d commands in\n%s", commands, top)
	}
}
