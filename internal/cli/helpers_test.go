package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/rogpeppe/go-internal/testscript"
)

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	have := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		have = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if have != want {
		ts.Fatalf("exit code %d, want %d", have, want)
	}
}

// variables is the key of the names of the variables that a script may have set.
const variables = "variables"

var oneInside sync.Mutex

// inside N pact … demands exit code N of pact in this process, which has the folder and the variables of the script
// meanwhile. With ! it demands any failure.
func inside(ts *testscript.TestScript, neg bool, args []string) {
	oneInside.Lock()
	defer oneInside.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	pairs := os.Environ()
	os.Clearenv()
	defer func() {
		os.Clearenv()
		for _, pair := range pairs {
			name, value, _ := strings.Cut(pair, "=")
			ts.Check(os.Setenv(name, value))
		}
		ts.Check(os.Chdir(before))
	}()
	for _, name := range ts.Value(variables).([]string) {
		if value := ts.Getenv(name); value != "" {
			ts.Check(os.Setenv(name, value))
		}
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	code := cli.Run(context.Background(), args[2:], cli.Streams{In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr(),
		Env: os.Environ()})
	if want, _ := strconv.Atoi(args[0]); neg && code == 0 || !neg && code != want {
		ts.Fatalf("exit code %d", code)
	}
}

// run is one call of Run with what it wrote.
func run(t *testing.T, in string, args ...string) (code int, out, problems string) {
	t.Helper()
	var o, e bytes.Buffer
	code = cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(in), Out: &o, Err: &e,
		Env: []string{"PACT_DB=" + filepath.Join(t.TempDir(), "none.db")}})
	return code, o.String(), e.String()
}

// jq does what jq does with a filter such as .diffs[0].changed.
func jq(t *testing.T, filter string, value json.RawMessage) string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatalf("%s of %s: %v", filter, value, err)
		}
	}
	for _, step := range regexp.MustCompile(`\w+`).FindAllString(filter, -1) {
		if n, err := strconv.Atoi(step); err == nil {
			var list []json.RawMessage
			must(json.Unmarshal(value, &list))
			value = list[n]
			continue
		}
		var object map[string]json.RawMessage
		must(json.Unmarshal(value, &object))
		value = object[step]
	}
	var indented bytes.Buffer
	must(json.Indent(&indented, bytes.TrimSpace(value), "", "  "))
	return indented.String() + "\n"
}

// exitCodes reads the table of docs/errors.md.
func exitCodes(t *testing.T) map[string]int {
	t.Helper()
	codes := map[string]int{"": 0}
	row := regexp.MustCompile("(?m)^\\| `(E_[A-Z_]+)` .*\\| ([12]) \\|$")
	for _, m := range row.FindAllStringSubmatch(readPage(t, "errors.md"), -1) {
		codes[m[1]] = int(m[2][0] - '0')
	}
	if len(codes) != 19 {
		t.Fatalf("%d codes in the table of docs/errors.md", len(codes)-1)
	}
	return codes
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
	must(t, err)
	return string(text)
}

// peak runs the program and returns the most memory that it had, in bytes. It stops while its garbage is collected, so that
// a collector that comes late on a busy machine adds nothing.
func peak(t *testing.T, dir string, args ...string) int64 {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	// TestMain goes by the name
	program, status := filepath.Join(t.TempDir(), "pact"), filepath.Join(t.TempDir(), "status")
	must(t, os.Symlink(self, program))
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), statusFile+"="+status, "GOGC=", "GODEBUG=gcstoptheworld=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pact %s: %v\n%.1000s", strings.Join(args, " "), err, out)
	}
	return peakIn(t, status)
}

// peakIn returns the most memory that a process had whose last status is in a file.
func peakIn(t *testing.T, status string) int64 {
	t.Helper()
	text, err := os.ReadFile(status)
	if err != nil {
		t.Skip("nothing says how much memory a process had: this is not Linux")
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(strings.Fields(line)[0], 10, 64)
	must(t, err)
	return n << 10
}
