package cli_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/testrun"
)

// series are pages whose commands are executed one after another in one directory, in the order in which a reader meets
// them, so that a page can go on with what the page before it made.
type series struct {
	name, pages string
	program     string // the beginning of the commands of the series; others are left alone
	least       int    // how many there are
	columns     int    // of the terminal, 0 for a pipe
	env         func(t *testing.T, dir, provider string) []string
}

var allSeries = []series{
	{name: "language", program: "pact", least: 200, pages: languagePages, env: func(t *testing.T, dir, _ string) []string {
		must(t, os.MkdirAll(filepath.Join(dir, "examples", "conversations"), 0o700))
		t.Chdir(dir)
		return []string{"PACT_DB=pact.db", "USER=reader"}
	}},
	{name: "a run", program: "pact", least: 18, columns: 80, pages: "ten-questions.md gate.md two-runs.md family.md",
		env: func(t *testing.T, dir, _ string) []string {
			cli.RecordedRun(t, dir)
			t.Chdir(dir)
			must(t, os.WriteFile("prices.json", []byte(`{"as_of":"2026-03-01","currency":"USD","models":[{"model":"claude-sonnet-4-5",`+
				`"input":3,"output":15,"cache_read":0.3,"cache_write":3.75}]}`), 0o600))
			return nil
		}},
	{name: "the first cut", program: "./pact", least: 3, pages: "ten-questions.md", env: func(t *testing.T, dir, provider string) []string {
		for name, value := range map[string]string{"OPENAI_BASE_URL": provider + "/v1", "OPENAI_API_KEY": "sk-0123456789"} {
			t.Setenv(name, value) // of the program that is run
		}
		t.Chdir(filepath.Join("..", ".."))
		return append(os.Environ(), "PACT_DB="+filepath.Join(dir, "pact.db"))
	}},
	{name: "README", program: "./pact", least: 14, pages: "../README.md", env: func(t *testing.T, dir, provider string) []string {
		said, err := os.ReadFile(filepath.Join("..", "record", "calllog", "testdata", "claude-code.jsonl"))
		must(t, err)
		sessions := filepath.Join(dir, ".claude", "projects", "-w")
		must(t, os.MkdirAll(sessions, 0o700))
		must(t, os.WriteFile(filepath.Join(sessions, "session.jsonl"), said, 0o600))
		t.Chdir(filepath.Join("..", ".."))
		return []string{"PACT_DB=" + filepath.Join(dir, "pact.db"), "LANG=C.UTF-8", "HOME=" + dir, "ANTHROPIC_BASE_URL=" + provider}
	}},
}

// languagePages are those on the selector language, and those that follow them.
const languagePages = "language.md ../internal/cli/testdata/selectors.txt ../internal/cli/testdata/comparison.txt " +
	"language/editions.md ../internal/cli/testdata/errors.txt inspection.md attempts.md redaction.md"

// example is a command that a page shows together with what it prints.
type example struct {
	page    string
	line    int
	command []string // words; the name of the program is the first
	filter  string   // of jq, which the output is piped through
	into    string   // the file that the output is redirected to
	quiet   bool     // a table shows answers without warnings
	want    string   // the output; … stands for what is left out
	code    string   // the error code that it names
}

func (x *example) String() string { return fmt.Sprintf("docs/%s:%d", x.page, x.line) }

// TestDocuments runs every command of the pages, and compares its output with what the page shows of it.
func TestDocuments(t *testing.T) {
	exits := exitCodes(t)
	for _, s := range allSeries {
		t.Run(s.name, func(t *testing.T) {
			testrun.OneGoroutine(t)
			examples, files := s.read(t)
			provider := httptest.NewServer(providertest.New())
			defer provider.Close()
			env := s.env(t, t.TempDir(), provider.URL)
			if s.columns == 0 && s.program == "pact" {
				for name, contents := range files {
					must(t, os.WriteFile(name, []byte(contents), 0o600))
				}
			}
			for i := range examples {
				examples[i].check(t, s.columns, env, exits)
			}
			if len(examples) < s.least {
				t.Errorf("%d examples were found", len(examples))
			}
		})
	}
}

var warning = regexp.MustCompile(`(?m)^pact: warning: .*\n`)

var errorLine = regexp.MustCompile(`(?m)^pact: .* \[(E_[A-Z_]+)\]$`)

// check runs the example. Whatever it prints in a pipe, the exit code has to be that of the error in it.
func (x *example) check(t *testing.T, columns int, env []string, exits map[string]int) {
	t.Helper()
	var out bytes.Buffer
	code := ""
	if columns > 0 {
		out.WriteString(cli.OnTerminal(t, ".", columns, x.command[1:]...))
	} else {
		exit := cli.Run(t.Context(), x.command[1:], cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Env: env})
		if m := errorLine.FindStringSubmatch(out.String()); m != nil {
			code = m[1]
		}
		if exit != exits[code] {
			t.Errorf("%v: exit code %d with the error %q: %s", x, exit, code, &out)
		}
	}
	if x.code != "" || x.want == "" && code != "" {
		if code != x.code {
			t.Errorf("%v: %q\ngot  %swant %s", x, x.command, &out, x.code)
		}
		return
	}
	got := out.String()
	if x.quiet {
		got = warning.ReplaceAllString(got, "")
	}
	if x.into != "" {
		must(t, os.WriteFile(x.into, out.Bytes(), 0o600))
		got = ""
	}
	if x.filter != "" {
		got = jq(t, x.filter, out.Bytes())
	}
	if got != x.want && !shows(strings.TrimSuffix(got, "\n")+"\n", x.want) {
		t.Errorf("%v: %q\ngot  %swant %s", x, x.command, got, x.want)
	}
}

var wholeLines = regexp.MustCompile(`(?m)^…\n`)

// shows reports whether an output is what a page has of it: a line … stands for any lines, and … in a line for any part of it.
func shows(got, want string) bool {
	pattern := wholeLines.ReplaceAllString(regexp.QuoteMeta(want), `(?s:.*\n)?`)
	return regexp.MustCompile("^" + strings.ReplaceAll(pattern, "…", ".*") + "$").MatchString(got)
}

// TestErrorCodesHaveExamples holds testdata/errors.txt to an example of every code of docs/errors.md,
// but E_BUSY: it would take five seconds.
func TestErrorCodesHaveExamples(t *testing.T) {
	examples, _ := allSeries[0].read(t)
	shown := map[string]bool{"": true, "E_BUSY": true}
	for _, x := range examples {
		if !strings.HasSuffix(x.page, "/errors.txt") {
			continue
		}
		if m := errorLine.FindStringSubmatch(x.want); m != nil {
			shown[m[1]] = true
		}
		shown[x.code] = true
	}
	for code := range exitCodes(t) {
		if !shown[code] {
			t.Errorf("testdata/errors.txt has no example of %s", code)
		}
	}
}

// read returns the examples of all pages and the files that they show.
func (s *series) read(t *testing.T) ([]example, map[string]string) {
	t.Helper()
	const weather = "examples/conversations/weather.json"
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(weather)))
	must(t, err)
	files := map[string]string{weather: string(text)}
	var examples []example
	for name := range strings.FieldsSeq(s.pages) {
		p := pageReader{t: t, name: name, program: s.program, lines: strings.Split(readPage(t, name), "\n"), files: files}
		for p.at < len(p.lines) {
			p.item()
		}
		examples = append(examples, p.examples...)
	}
	return examples, files
}

// pageReader finds examples in the lines of a page.
type pageReader struct {
	t        *testing.T
	name     string
	program  string
	lines    []string
	at       int
	files    map[string]string
	examples []example
}

// item reads a fenced block or a table, or passes over a line. What is fenced as console or text is a session, as sh commands
// that print anything, and as json or jsonl with a name a file.
func (p *pageReader) item() {
	line := p.lines[p.at]
	switch {
	case strings.HasPrefix(line, "```"):
		begin := p.at + 1
		for p.at++; p.lines[p.at] != "```"; p.at++ {
		}
		language, name, _ := strings.Cut(line[3:], " ")
		switch {
		case language == "console" || language == "text":
			p.session(begin, p.at)
		case language == "sh":
			p.script(begin, p.at)
		case name != "":
			p.files[name] = strings.Join(p.lines[begin:p.at], "\n") + "\n"
		}
		p.at++
	case strings.HasPrefix(line, "| `pact "):
		p.table()
	case strings.HasPrefix(line, "| ") && strings.Contains(line, "| `=` |"):
		p.matrix()
	default:
		p.at++
	}
}

// session reads commands, which begin with "$ ", each with its output.
func (p *pageReader) session(begin, end int) {
	for i := begin; i < end; {
		x := example{page: p.name, line: i + 1}
		command, ok := strings.CutPrefix(p.lines[i], "$ ")
		if !ok || !strings.HasPrefix(command, p.program+" ") {
			return
		}
		for i++; strings.HasSuffix(command, `\`); i++ {
			command = strings.TrimSuffix(command, `\`) + strings.TrimSpace(p.lines[i])
		}
		for ; i < end && !strings.HasPrefix(p.lines[i], "$ "); i++ {
			x.want += p.lines[i] + "\n"
		}
		p.add(x, command)
	}
}

// script reads commands of README, each with a remark behind two spaces. A program of the tests stands in for an agent.
func (p *pageReader) script(begin, end int) {
	for i := begin; i < end && strings.HasSuffix(p.name, "README.md"); i++ {
		command, _, _ := strings.Cut(p.lines[i], "  ")
		command = strings.NewReplacer("go run ./cmd/pact ", p.program+" ", "run -- claude", "run -- caching").Replace(command)
		if strings.HasPrefix(command, p.program+" ") {
			p.add(example{page: p.name, line: i + 1, want: "…\n"}, command)
		}
	}
}

// table reads a table of selectors and what they find. Its head begins with the
// command, … standing for the selector. A row may give several selectors that
// find the same; where that is an error code, it names the error.
func (p *pageReader) table() {
	command := codeSpans(p.lines[p.at])[0]
	for p.at += 2; p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], "|"); p.at++ {
		cells := strings.Split(p.lines[p.at], " | ")
		results := codeSpans(cells[1])
		if len(results) != 1 {
			p.t.Fatalf("docs/%s:%d: one result is needed", p.name, p.at+1)
		}
		for _, selector := range codeSpans(cells[0]) {
			x := example{page: p.name, line: p.at + 1, quiet: true, want: results[0] + "\n"}
			if strings.HasPrefix(results[0], "E_") {
				x.want, x.code = "", results[0]
			}
			p.add(x, strings.Replace(command, "…", shellQuote(selector), 1))
		}
	}
}

// matrix reads a table with an attribute in its corner, values in its rows and
// operators in its columns. A cell names the blocks of values.json.
func (p *pageReader) matrix() {
	head := codeSpans(p.lines[p.at])
	for p.at += 2; p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], "|"); p.at++ {
		cells := strings.Split(strings.Trim(p.lines[p.at], "| "), " | ")
		value := codeSpans(cells[0])[0]
		if len(cells) != len(head) {
			p.t.Fatalf("docs/%s:%d: %d cells under %d heads", p.name, p.at+1, len(cells), len(head))
		}
		for i, cell := range cells[1:] {
			x := example{page: p.name, line: p.at + 1, quiet: true}
			switch cell {
			case "error":
				x.code = "E_SELECTOR_INVALID"
			case "none":
				x.want = "[]\n"
			default:
				x.want = `["` + strings.ReplaceAll(cell, " ", `","`) + "\"]\n"
			}
			p.add(x, "pact select --file values.json "+shellQuote(".block["+head[0]+head[i+1]+value+"]"))
		}
	}
}

func (p *pageReader) add(x example, command string) {
	words, err := shellWords(command)
	if err != nil {
		p.t.Fatalf("%v: %v", &x, err)
	}
	if n := len(words); n > 3 && words[n-3] == "|" && words[n-2] == "jq" {
		x.filter, words = words[n-1], words[:n-3]
	}
	if n := len(words); n > 2 && words[n-2] == ">" {
		x.into, words = words[n-1], words[:n-2]
	}
	x.command = words
	p.examples = append(p.examples, x)
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

func codeSpans(line string) []string {
	var spans []string
	for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// shellWords splits a command as a shell does. What a shell would take for
// something else has to be in quotes.
func shellWords(command string) ([]string, error) {
	var words []string
	word, inside, quote := strings.Builder{}, false, byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		operator := (c == '>' || c == '|') && i > 0 && command[i-1] == ' ' && i+1 < len(command) && command[i+1] == ' '
		switch {
		case quote == 0 && c == ' ':
			if inside {
				words = append(words, word.String())
			}
			word, inside = strings.Builder{}, false
			continue
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inside = c, true
		case c == '\\' && quote != '\'' && i+1 < len(command):
			i++
			word.WriteByte(command[i])
			inside = true
		case quote == 0 && strings.IndexByte("*?[](){}<>|&;$#!^~`", c) >= 0 && !operator, quote == '"' &&
			(c == '$' || c == '`'):
			return nil, fmt.Errorf("%q needs quotes in a shell", c)
		default:
			word.WriteByte(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is open: %s", command)
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}
