package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
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
	update := os.Getenv("UPDATE_SCRIPTS") != ""
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "conversations"))
	must(t, err)
	path := os.Getenv("PATH") // a script that begins while a command runs inside of another would find none
	files := scripts(t)
	var names []string
	if !update {
		files, names = withoutProcesses(t, files)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("USER", "tester")
			set := slices.Clone(names)
			for _, pair := range e.Vars {
				name, _, _ := strings.Cut(pair, "=")
				set = append(set, name)
			}
			e.Values[variables] = set
			e.Setenv("PATH", path)
			e.Setenv("EXAMPLES", examples)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each command takes a second under the race detector
			provider := httptest.NewServer(providertest.New())
			e.Defer(provider.Close)
			e.Setenv("OPENAI_BASE_URL", provider.URL+"/v1")
			e.Setenv("ANTHROPIC_BASE_URL", provider.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "inside": inside},
	})
}

// needsProcess matches commands of scripts that start a program or go on beside the script.
var needsProcess = regexp.MustCompile(`^(run|doctor|mcp|serve|proxy)\b|--against|&$`)

// withoutProcesses writes scripts anew, in which pact runs inside of this process: to start one takes longer than most of
// what scripts ask. It also returns the names of the variables that scripts set.
func withoutProcesses(t *testing.T, files []string) (written, names []string) {
	t.Helper()
	dir := t.TempDir()
	command, variable := regexp.MustCompile(`^(! )?(?:exec|exits (\d+)) pact (.*)`), regexp.MustCompile(`\b(\w+)=`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "env ") {
				for _, m := range variable.FindAllStringSubmatch(line, -1) {
					names = append(names, m[1])
				}
			}
			m := command.FindStringSubmatch(line)
			if m == nil || needsProcess.MatchString(m[3]) || i > 0 && strings.HasPrefix(lines[i-1], "stdin ") {
				continue
			}
			lines[i] = m[1] + "inside " + cmp.Or(m[2], "0") + " pact " + m[3]
		}
		file = filepath.Join(dir, filepath.Base(file))
		must(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
		written = append(written, file)
	}
	return written, names
}

func scripts(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	must(t, err)
	for _, file := range all {
		text, err := os.ReadFile(file)
		must(t, err)
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
	must(t, err)
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
		if flags != nil && o.String() != `{"error":{"code":"E_STORE","message":"interrupted","details":{"remedy":"repeat the command"}}}`+"\n" {
			t.Errorf("printed %q", &o)
		}
	}
}

// TestConformanceAgainstItself puts cases to this program twice, in its own
// process and as the program that --against starts, and wants one report. Every
// fortieth case is enough, or two-hundredth in a short run: each starts the program a few times.
func TestConformanceAgainstItself(t *testing.T) {
	cases, err := conformance.Cases()
	must(t, err)
	args, every := []string{"conformance", "--json"}, testrun.Size(t, 200, 40, 1)
	for i := 0; i < len(cases); i += every {
		args = append(args, cases[i].ID)
	}
	self, err := os.Executable()
	must(t, err)
	program := filepath.Join(t.TempDir(), "pact") // TestMain goes by the name
	must(t, os.Symlink(self, program))
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	inside, in, problems := run(t, "", args...)
	outside, out, more := run(t, "", append(args, "--against", "'"+program+"'")...)
	if inside != 0 || outside != inside || in != out || problems+more != "" {
		t.Errorf("exit codes %d and %d, %d and %d bytes\n%s%s", inside, outside, len(in), len(out), problems, more)
	}
}

// TestWrittenFilesArePrivate looks at who may read what commands write: nobody but its owner,
// unless there was a file that others could read.
func TestWrittenFilesArePrivate(t *testing.T) {
	t.Chdir(t.TempDir())
	pact := func(args ...string) {
		t.Helper()
		var o, e bytes.Buffer
		if code := cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e}); code != 0 {
			t.Fatalf("pact %v: exit %d: %s", args, code, &e)
		}
	}
	must(t, os.WriteFile("shared.json", nil, 0o600))
	must(t, os.Chmod("shared.json", 0o664))
	pact("new", "chat")
	pact("add", "chat", "--role", "user", "--content", "private")
	pact("commit", "--start", "chat", "--provider", "p", "--model", "m", "--send", "out.json")
	pact("commit", "chat", "--send", "sent.json")
	pact("export", "chat", "-o", "exported.json")
	pact("export", "chat", "-o", "shared.json")
	for name, want := range map[string]os.FileMode{"out.json": 0o600, "sent.json": 0o600, "exported.json": 0o600,
		"shared.json": 0o664} {
		info, err := os.Stat(name)
		if err != nil || info.Mode() != want || info.Size() == 0 {
			t.Errorf("%s: %v, %v, want mode %v", name, info, err, want)
		}
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// Whatever operations come in, apply ends with a history that reads back to
// the same bytes, or with exit 2 and nothing but an error.
func FuzzApply(f *testing.F) {
	for _, ops := range []string{
		`{"op":"config","edition":"v0.1","clock":{"start_ns":1000,"step_ns":1},"prune":{"max_nodes":4,"protect_turns":1}}
{"op":"add","into":"^sys","node":{"id":"s","role":"system","content":"S","tags":["t"]}}
{"op":"add","into":"^ah","node":{"role":"user","kind":"text","content":"one","ttl":2}}
{"op":"commit"}
{"op":"update","id":"s","set":{"content":{"a":[1.5,null]},"data_x":7}}
{"op":"add","at":"(d0, mc[offset=0], )","node":{"content":"two","refs":["s"]}}
{"op":"commit","message":"m"}`,
		`{"op":"add","into":"^ah","node":{"id":"g","nodeType":"cont","offset":1,"removable":true}}
{"op":"add","into":"g","node":{"id":"b","ttl":0,"pinned":true}}
{"op":"move","id":"b","into":"^ah","offset":-1}
{"op":"move","id":"b","at":"(d0, end)"}
{"op":"remove","id":"g"}
{"op":"commit","prune":["b"]}
{"op":"commit"}`,
	} {
		f.Add([]byte(ops))
	}
	f.Fuzz(func(t *testing.T, ops []byte) {
		var out, errs bytes.Buffer
		exit := cli.Run(context.Background(), []string{"apply", "-"}, cli.Streams{In: bytes.NewReader(ops), Out: &out,
			Err: &errs})
		switch {
		case exit == 2 && out.Len() == 0 && errs.Len() > 0:
			return
		case exit != 0:
			t.Fatalf("exit %d, output %q, errors %q", exit, &out, &errs)
		case out.Len() == 0:
			return // nothing was committed
		}
		c, findings, err := pact.ImportHistory(context.Background(), pact.NewDB(store.NewMemory()), "c", strings.NewReader(out.String()),
			nil)
		if err != nil {
			t.Fatalf("the history does not read: %v\n%s", err, &out)
		}
		for _, found := range findings {
			if !strings.Contains(found.Message, "JSON cannot express") {
				t.Fatalf("a finding about our own history: %+v", found)
			}
		}
		first := c.Info().First
		var again bytes.Buffer
		must(t, c.ExportSnapshots(context.Background(), &again, pact.Cycle(first), "latest"))
		if again.String() != out.String() {
			t.Fatalf("read and written again:\n%s\n%s", &out, &again)
		}
	})
}
