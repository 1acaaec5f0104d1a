//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// fileArguments has a command line for each argument and each flag that names a file; FILE stands for it. What is
// read and what is written are told apart, because /dev/null may be written.
var fileArguments = map[string]string{
	"add --content-file":      "add chat --role user --content-file FILE",
	"apply":                   "apply FILE",
	"assert --file":           "assert --file FILE --breaks 0",
	"assert --junit":          "assert chat --breaks 0 --junit FILE",
	"assert --prices":         "assert chat --breaks 0 --prices FILE",
	"check":                   "check FILE",
	"check --after":           "check body.json --after FILE",
	"commit --policy":         "commit chat --policy FILE",
	"commit --params-file":    "commit chat --start --provider p --model m --params-file FILE",
	"commit --prices":         "commit chat --dry-run --max-turns 1 --prices FILE",
	"commit --send":           "commit chat --send FILE",
	"conformance --junit":     "conformance --junit FILE",
	"copy --backup":           "copy --backup FILE",
	"copy --from":             "copy --from FILE --to other.db",
	"copy --to":               "copy --to FILE",
	"diff --file":             "diff --file FILE @c1 @c1",
	"erase --containing-file": "erase --containing-file FILE --reason x --yes chat",
	"export --file":           "export --file FILE",
	"export --out":            "export chat --out FILE",
	"findings --prices":       "findings chat --prices FILE",
	"grep --file":             "grep --file FILE x",
	"import":                  "import FILE",
	"import --policy":         "import chat.json --policy FILE",
	"life --file":             "life --file FILE x",
	"log --prices":            "log chat --prefix --prices FILE",
	"request --file":          "request --file FILE",
	"verify --file":           "verify --file FILE",
	"log --file":              "log --file FILE",
	"open":                    "open FILE",
	"open --export":           "open chat.json --export FILE",
	"policy --check":          "policy --check FILE --on chat",
	"policy --set":            "policy chat --set FILE",
	"proxy --policy":          "proxy --upstream http://127.0.0.1:9 --policy FILE",
	"run --policy":            "run --policy FILE -- true",
	"select --file":           "select --file FILE ^ah",
	"serve --tls-cert":        "serve --tls-cert FILE --tls-key chat.json",
	"serve --tls-key":         "serve --tls-cert chat.json --tls-key FILE",
	"show --file":             "show --file FILE",
	"simulate --policy":       "simulate chat --policy FILE",
	"simulate --prices":       "simulate chat --policy chat --prices FILE",
	"update --content-file":   "update chat block:1-0 --content-file FILE",
	"--db":                    "contexts --db FILE",
}

// written are those of fileArguments into which a command writes: a device may be written into.
var written = map[string]bool{"assert --junit": true, "commit --send": true, "conformance --junit": true, "copy --backup": true,
	"export --out": true, "open --export": true}

// Every argument and flag that names a file refuses a pipe at once, though nobody writes into it, and a device, which
// has no end. An argument or flag that comes new fails until it has a line in the table.
func TestNoFileIsEndless(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, syscall.Mkfifo("pipe", 0o600))
	const chat = `[{"role":"user","content":"Hello?"},{"role":"assistant","content":"Yes."}]`
	for name, text := range map[string]string{"chat.json": chat, "body.json": `{"model":"m","messages":` + chat + `}`} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	db := filepath.Join(t.TempDir(), "pact.db")
	runIn(t, "import", "chat.json", "--db", db)
	for _, key := range filesOf(cli.Root(), "") {
		if fileArguments[key] == "" {
			t.Errorf("%s names a file and is not tried", key)
		}
	}
	for key, line := range fileArguments {
		for _, name := range []string{"pipe", "/dev/zero"} {
			if name != "pipe" && written[key] {
				continue
			}
			args := append(strings.Fields(line), "--db", db)
			if key == "--db" {
				args = strings.Fields(line)
			}
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "FILE", name)
			}
			ended := make(chan string)
			go func() { ended <- runIn(t, args...) }()
			select {
			case problems := <-ended:
				if !strings.Contains(problems, name+" is a pipe, a device or a socket") &&
					!strings.Contains(problems, name+" is not a regular file [E_STORE]") {
					t.Errorf("%s, %s: %s", key, name, problems)
				}
			case <-time.After(time.Minute):
				t.Errorf("%s, %s: waits for ever", key, name)
			}
		}
	}
}

// A hook never hinders its agent, whatever it is given: an input or a transcript without an end, or one that needs more
// memory than an import may take. It ends in time and well, and says nothing to the agent.
func TestAHookEndsInTime(t *testing.T) {
	testrun.Long(t, "waits for 5 seconds, and imports what takes a quarter of a gigabyte")
	dir := t.TempDir()
	pipe, long := filepath.Join(dir, "pipe"), filepath.Join(dir, "s.jsonl")
	must(t, syscall.Mkfifo(pipe, 0o600))
	line := `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"` + strings.Repeat("word ", 28<<20) + `"}}`
	must(t, os.WriteFile(long, []byte(line), 0o600))
	never, _ := io.Pipe()
	event := func(name string) io.Reader {
		return strings.NewReader(`{"hook_event_name":"Stop","session_id":"s","cwd":"/x","transcript_path":"` + name + `"}`)
	}
	for want, in := range map[string]io.Reader{
		"the hook took more than 5 seconds":      never,
		"is a pipe, a device or a socket":        event(pipe),
		"/dev/zero is a pipe":                    event("/dev/zero"),
		"than the 256 MiB that it may take":      event(long),
		"standard input is no event of a hook\n": &endless{},
	} {
		var out, problems bytes.Buffer
		begun := time.Now()
		code := cli.Run(t.Context(), []string{"import", "--hook", "--db", filepath.Join(dir, "pact.db")}, cli.Streams{In: in, Out: &out, Err: &problems})
		if code != 0 || out.Len() > 0 || !strings.Contains(strings.ReplaceAll(problems.String(), " [E_", "\n[E_"), want) {
			t.Errorf("%s: exit %d, %s%s", want, code, out.Bytes(), problems.Bytes())
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s: took %v", want, took)
		}
	}
}

// A pipe may have no end: it is read up to a bound, not until the memory is full.
func TestAPipeWithoutAnEndIsRefused(t *testing.T) {
	testrun.Long(t, "reads a gigabyte")
	db := filepath.Join(t.TempDir(), "pact.db")
	for _, line := range []string{"hash --file -", "apply -", "check -", "replay -", "add chat --content-file -", "policy chat --set -",
		"import -", "show --file -", "validate --file -"} {
		var out, problems bytes.Buffer
		code := cli.Run(t.Context(), append(strings.Fields(line), "--db", db), cli.Streams{In: &endless{}, Out: &out, Err: &problems})
		if code == 0 || !strings.Contains(problems.String(), "[E_") {
			t.Errorf("%s: exit %d, %s", line, code, problems.Bytes())
		}
	}
}

// endless is a text of zeros without an end.
type endless struct{}

func (*endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// runIn runs a command whose standard input is an event of a hook, and returns what it says to the user.
func runIn(t *testing.T, args ...string) string {
	const event = `{"hook_event_name":"PostToolUse","tool_name":"Bash","cwd":"/x","session_id":"s","tool_response":{"stdout":"x"}}`
	var out, problems bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cli.Run(ctx, args, cli.Streams{In: strings.NewReader(event), Out: &out, Err: &problems, Env: []string{"HOME=."}})
	return problems.String()
}

// filesOf returns the arguments and flags of a command and those below it that name files or stores.
func filesOf(c *cobra.Command, above string) (keys []string) {
	name := strings.TrimSpace(above + " " + c.Name())
	if !c.HasParent() {
		name = ""
	}
	if use := strings.ToUpper(strings.Split(c.Use, " | ")[0]); c.Runnable() &&
		(strings.Contains(use, " FILE") || strings.Contains(use, "[FILE") || strings.Contains(use, ".JSON")) &&
		!strings.Contains(use, "--") {
		keys = append(keys, name)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if value, _ := pflag.UnquoteUsage(f); value == "FILE" || value == "STORE" {
			keys = append(keys, strings.TrimSpace(name+" --"+f.Name))
		}
	})
	for _, sub := range c.Commands() {
		if !sub.Hidden { // an old name runs a command of today
			keys = append(keys, filesOf(sub, name)...)
		}
	}
	return keys
}
