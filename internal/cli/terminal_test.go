package cli

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
)

// onTerminal runs a command as on a terminal of some columns, without colours,
// on the store of dir.
func onTerminal(t *testing.T, dir string, columns int, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	a := command.New(command.Streams{In: strings.NewReader(""), Out: &out, Err: &problems,
		Env: []string{"PACT_DB=" + filepath.Join(dir, "pact.db"), "LANG=C.UTF-8"}})
	a.OutTerminal, a.Width = true, columns
	if code := run(t.Context(), a, args); code != 0 && !a.Failed { // a check that finds something prints it
		t.Fatalf("pact %v: exit %d\n%s", args, code, &problems)
	}
	return out.String()
}

// A thread on a terminal is read: long contents are cut, with how much and the
// command that prints them whole.
func TestAThreadOnATerminalIsRead(t *testing.T) {
	dir := t.TempDir()
	chat := `[{"role":"user","content":"Warm in Zürich? ` + strings.Repeat("really ", 20) + `"},
 {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"weather",
  "arguments":"{\"city\": \"Zürich\"}"}}]},
 {"role":"tool","tool_call_id":"a","content":"1\n2\n3\n4\n5\n6\n7\u001b[2J\n8"},
 {"role":"assistant","content":"Yes."}]`
	file := filepath.Join(dir, "chat.json")
	must(t, os.WriteFile(file, []byte(chat), 0o600))
	onTerminal(t, dir, 80, "import", file)
	got := onTerminal(t, dir, 60, "show", "chat", "--as", "thread")
	const want = `user
  Warm in Zürich? really really really really really really
  really really really really really really really really
  really really really really really really

assistant
  ▸ weather { "city": "Zürich" }
    1
    2
    3
    4
    5
    … 9 B more: pact show chat @c2 block:2-1
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := onTerminal(t, dir, 60, "show", "chat", "--as", "text"); !strings.Contains(got, "7\uFFFD[2J\n    8\n") {
		t.Errorf("--as text is\n%s", got)
	}
	got = onTerminal(t, dir, 60, "show", "chat", "--as", "canonical")
	if !strings.HasPrefix(got, `[{"id":"block:1-0"`) {
		t.Errorf("--as canonical is\n%s", got)
	}
}

// A narrow terminal cuts words, and leaves out a column rather than show nothing of it. What broke the cache is the last
// to go.
func TestALogFitsAnyTerminal(t *testing.T) {
	testrun.OneGoroutine(t)
	dir := t.TempDir()
	recordedRun(t, dir)
	for width, want := range map[int]string{
		130: "message", 100: "said", 80: "said", 60: "broke", 52: "broke", 30: "broke"} {
		got := onTerminal(t, dir, width, "log", "run")
		head, _, _ := strings.Cut(got, "\n")
		if !strings.HasSuffix(head, want) {
			t.Errorf("of %d columns the last is not %s:\n%s", width, want, head)
		}
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if columns := lipgloss.Width(line); columns > width || strings.HasSuffix(line, " …") {
				t.Errorf("%d columns of %d: %s", columns, width, line)
			}
		}
	}
}

// An answer without an entry says so on a terminal, beside the output of the command.
func TestAnEmptyAnswerIsASentenceOnATerminal(t *testing.T) {
	testrun.OneGoroutine(t)
	dir := t.TempDir()
	recordedRun(t, dir)
	onTerminal(t, dir, 80, "new", "empty")
	for _, one := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"grep", "run", "no such words"}, 1, "nothing in any snapshot of run matches no such words\n"},
		{[]string{"grep", "run", "x{9}", "@c2", "@t0"}, 1, "nothing in run from @c2 to @t0 matches x{9}\n"},
		{[]string{"log", "empty", "--attempts"}, 0, "no call of a provider was recorded in empty; pact commit --start records one\n"},
		{[]string{"log", "empty"}, 0, "empty has no cycle yet; pact commit makes one\n"},
		{[]string{"log", "run", "--since", "2030-01-01"}, 0, "run has no cycle since 2030-01-01\n"},
	} {
		for _, terminal := range []bool{true, false} {
			var out, problems bytes.Buffer
			a := command.New(command.Streams{In: strings.NewReader(""), Out: &out, Err: &problems,
				Env: []string{"PACT_DB=" + filepath.Join(dir, "pact.db"), "LANG=C.UTF-8"}})
			want := ""
			if a.OutTerminal = terminal; terminal {
				a.Width, want = 80, one.want
			}
			code := run(t.Context(), a, one.args)
			if code != one.code || terminal && out.Len() > 0 || problems.String() != want {
				t.Errorf("pact %v, terminal %t: exit %d, %q and %q", one.args, terminal, code, &out, &problems)
			}
		}
	}
}

// Standard error of a terminal wraps as standard output does, below "pact: ".
func TestWarningsAndErrorsOnATerminalAreWrapped(t *testing.T) {
	var problems bytes.Buffer
	a := command.New(command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &problems})
	a.ErrWidth = 60
	a.Warnf("%s", strings.TrimSuffix(strings.Repeat("one two three ", 9), " "))
	if run(t.Context(), a, []string{"log", "nobody", "--db", filepath.Join(t.TempDir(), "none.db")}) != command.ExitFailure {
		t.Error("a store that is not there was read")
	}
	for i, line := range strings.Split(strings.TrimSuffix(problems.String(), "\n"), "\n") {
		if utf8.RuneCountInString(line) > 60 && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("line %d is too wide: %s", i+1, line)
		}
		if !strings.HasPrefix(line, "pact: ") && !strings.HasPrefix(line, "      ") {
			t.Errorf("line %d is not indented: %s", i+1, line)
		}
	}
	if strings.Count(problems.String(), "three") != 9 {
		t.Errorf("words are lost in\n%s", &problems)
	}
}

// What lists nodes keeps to the width of the terminal, and a change keeps what changed in sight. A rich report is of blocks
// alone; --structure draws the other nodes as well.
func TestListsOfNodesFitATerminal(t *testing.T) {
	testrun.OneGoroutine(t)
	dir := t.TempDir()
	recordedRun(t, dir)
	for line, says := range map[string]string{"diff run @c20 @c21": "block", "select run [kind='call']": "block", "show run": "seg",
		"diff run @c1 @c60 --structure": "seg", "diff run @c30 @c31 --rich": "- block:9-2  ", "diff run @c30 @c31 --rich --structure": "+ seg:31"} {
		got := onTerminal(t, dir, 80, strings.Fields(line)...)
		for of := range strings.Lines(got) {
			words := strings.Fields(of)
			if columns := lipgloss.Width(strings.TrimSuffix(of, "\n")); columns > 80 || strings.HasSuffix(line, "--rich") &&
				strings.ContainsAny(of[:1], "+-~") && !strings.HasPrefix(words[1], "block:") {
				t.Errorf("%s: %d columns: %s", line, columns, of)
			}
		}
		if !strings.Contains(got, says) || strings.HasSuffix(line, "--rich") && !strings.Contains(got, "only with --structure") {
			t.Errorf("%s lacks %q:\n%s", line, says, got)
		}
	}
}

// TestThePictureOfTheReadmeShowsWhatOpenPrints compares the text in docs/terminal.svg with what the
// program prints today. With UPDATE_PICTURE set it first has freeze draw the picture anew.
func TestThePictureOfTheReadmeShowsWhatOpenPrints(t *testing.T) {
	picture, err := filepath.Abs(filepath.Join("..", "..", "docs", "terminal.svg"))
	must(t, err)
	conversation, err := os.ReadFile(filepath.Join("..", "..", "examples", "conversations", "night-run.jsonl"))
	must(t, err)
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("night-run.jsonl", conversation, 0o600))
	if os.Getenv("UPDATE_PICTURE") != "" {
		draw := exec.Command("go", "run", "github.com/charmbracelet/freeze@v0.2.2",
			"--language", "ansi", "--font.family", "monospace", "--output", picture)
		draw.Stdin = strings.NewReader("\x1b[2m$\x1b[0m \x1b[1mpact open night-run.jsonl\x1b[0m\n" + openNightRun(t, "always"))
		if said, err := draw.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	drawn, err := os.ReadFile(picture)
	must(t, err)
	want := strings.Split(strings.TrimRight("$ pact open night-run.jsonl\n"+openNightRun(t, "never"), "\n"), "\n")
	got := linesOfPicture(t, drawn)
	if len(got) != len(want) {
		t.Fatalf("the picture has %d lines, the program prints %d: make generate draws it anew", len(got), len(want))
	}
	for i := range want {
		if strings.TrimRight(got[i], " ") != strings.TrimRight(want[i], " ") {
			t.Errorf("line %d is %q in the picture, and the program prints %q: make generate draws it anew", i+1, got[i], want[i])
		}
	}
}

// openNightRun returns what pact open prints for the conversation in the current directory.
func openNightRun(t *testing.T, color string) string {
	t.Helper()
	var out, problems bytes.Buffer
	for _, old := range []string{"pact.db", "pact.db-wal", "pact.db-shm"} {
		os.Remove(old)
	}
	code := Run(t.Context(), []string{"open", "night-run.jsonl", "--color", color, "--no-browser"},
		command.Streams{In: strings.NewReader(""), Out: &out, Err: &problems, Env: []string{"LANG=C.UTF-8", "TERM=xterm-256color"}})
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, problems.String())
	}
	return out.String()
}

// linesOfPicture returns the text of each text element of an SVG image.
func linesOfPicture(t *testing.T, image []byte) (lines []string) {
	t.Helper()
	for d, within := xml.NewDecoder(bytes.NewReader(image)), false; ; {
		token, err := d.Token()
		if err == io.EOF {
			return lines
		}
		must(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "text" {
				lines, within = append(lines, ""), true
			}
		case xml.EndElement:
			within = within && token.Name.Local != "text"
		case xml.CharData:
			if within {
				lines[len(lines)-1] += string(token)
			}
		}
	}
}
