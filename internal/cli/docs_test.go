package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/testrun"
)

// languagePages are the pages on the selector language, and those that follow
// them, in the order in which
// a reader meets them. Their examples are executed in one directory, so that a
// page can go on with what the page before it made.
var languagePages = []string{"language.md", "language/reference.md", "../internal/cli/testdata/comparison.txt", "language/editions.md",
	"errors.md", "inspection.md", "attempts.md"}

// example is a command that a page shows together with what it prints.
type example struct {
	page    string
	line    int
	command []string // words; the name of the program is the first
	filter  string   // of jq, which the output is piped through
	into    string   // the file that the output is redirected to
	quiet   bool     // a table shows answers without warnings
	want    string   // the output, byte for byte, or
	code    string   // the error code that it names
}

func (x *example) String() string { return fmt.Sprintf("docs/%s:%d", x.page, x.line) }

// TestLanguageExamples runs every example of the pages and compares its output
// byte for byte.
func TestLanguageExamples(t *testing.T) {
	testrun.OneGoroutine(t)
	examples, files := readExamples(t)
	exits := exitCodes(t)
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Join("examples", "conversations"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, contents := range files {
		if err := os.WriteFile(name, []byte(contents), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range examples {
		examples[i].check(t, exits)
	}
	if len(examples) < 200 {
		t.Errorf("%d examples were found", len(examples))
	}
}

var warning = regexp.MustCompile(`(?m)^pact: warning: .*\n`)

var errorLine = regexp.MustCompile(`(?m)^pact: .* \[(E_[A-Z_]+)\]$`)

// check runs the example. Whatever it prints, the exit code has to be that of
// the error in it.
func (x *example) check(t *testing.T, exits map[string]int) {
	t.Helper()
	var out bytes.Buffer
	streams := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Env: []string{"PACT_DB=pact.db",
		"USER=reader"}}
	exit := cli.Run(t.Context(), x.command[1:], streams)
	got, code := out.String(), ""
	if m := errorLine.FindStringSubmatch(got); m != nil {
		code = m[1]
	}
	switch {
	case exit != exits[code]:
		t.Errorf("%v: exit code %d with the error %q", x, exit, code)
	case x.code != "" || x.want == "" && code != "":
		if code != x.code {
			t.Errorf("%v: %q\ngot  %swant %s", x, x.command, got, x.code)
		}
		return
	}
	if x.quiet {
		got = warning.ReplaceAllString(got, "")
	}
	if x.into != "" {
		if err := os.WriteFile(x.into, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got = ""
	}
	if x.filter != "" {
		got = jq(t, x.filter, out.Bytes())
	}
	if got != x.want {
		t.Errorf("%v: %q\ngot  %swant %s", x, x.command, got, x.want)
	}
}

// TestErrorCodesHaveExamples holds docs/errors.md to an example of every code,
// which runs but for that of E_BUSY: it would take five seconds.
func TestErrorCodesHaveExamples(t *testing.T) {
	examples, _ := readExamples(t)
	shown := map[string]bool{"": true, "E_BUSY": strings.Contains(readPage(t, "errors.md"), " [E_BUSY]\n")}
	for _, x := range examples {
		if m := errorLine.FindStringSubmatch(x.want); m != nil && x.page == "errors.md" {
			shown[m[1]] = true
		}
	}
	for code := range exitCodes(t) {
		if !shown[code] {
			t.Errorf("docs/errors.md has no example of %s", code)
		}
	}
}
