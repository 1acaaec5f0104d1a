package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/testrun"
)

// writePages makes the test write the answers into the page instead of comparing
// them; who does that reads the difference.
const writePages = "PACT_WRITE_PAGES"

// runPages are the pages about the recorded run in the order in which they are executed, with how many commands each has.
var runPages = []struct {
	page     string
	commands int
}{{"ten-questions.md", 10}, {"gate.md", 1}, {"two-runs.md", 6}, {"family.md", 1}}

// Every command of the pages about a run is executed, and they show what a terminal of 80 columns has of the answers. A
// line … stands for lines left out.
func TestPagesAboutARun(t *testing.T) {
	testrun.OneGoroutine(t)
	dir := t.TempDir()
	recordedRun(t, dir)
	prices := filepath.Join(dir, "prices.json")
	const list = `{"as_of":"2026-03-01","currency":"USD","models":[{"model":"claude-sonnet-4-5","input":3,"output":15,` +
		`"cache_read":0.3,"cache_write":3.75}]}`
	if err := os.WriteFile(prices, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range runPages {
		answerPage(t, dir, p.page, p.commands)
	}
}

func answerPage(t *testing.T, dir, name string, commands int) {
	file := filepath.Join("..", "..", "docs", name)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```")
	for i := 1; i < len(blocks); i += 2 {
		rest, ok := strings.CutPrefix(blocks[i], "console\n$ pact ")
		if !ok {
			continue
		}
		commands--
		command, want, _ := strings.Cut(rest, "\n")
		args := shellFields(command)
		for n := range args {
			if args[n] == "prices.json" {
				args[n] = filepath.Join(dir, args[n])
			}
		}
		got := onTerminal(t, dir, 80, args...)
		for line := range strings.Lines(got) {
			if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > 80 && args[0] != "request" && args[0] != "assert" {
				t.Errorf("pact %s: a line of %d columns: %s", command, w, line)
			}
		}
		if os.Getenv(writePages) != "" {
			blocks[i] = "console\n$ pact " + command + "\n" + shortened(got)
			continue
		}
		if !sameButLeftOut(got, want) {
			t.Errorf("pact %s:\n%s\nthe page has\n%s", command, got, want)
		}
	}
	if commands != 0 {
		t.Errorf("%s lacks %d commands", name, commands)
	}
	if os.Getenv(writePages) != "" {
		if err := os.WriteFile(file, []byte(strings.Join(blocks, "```")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// shellFields splits a command line; quotes hold words together.
func shellFields(line string) (list []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// shownLines is how many lines of an answer the page shows.
const shownLines = 12

// shortened leaves out the middle of a long answer and the end of long lines.
func shortened(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > shownLines {
		lines = append(append(lines[:shownLines-6:shownLines-6], "…"), lines[len(lines)-5:]...)
	}
	for i, line := range lines {
		if runes := []rune(line); len(runes) > 120 {
			lines[i] = string(runes[:79]) + "…"
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// sameButLeftOut compares an answer with that of the page: a line … stands for
// any lines, and … at the end of a line for its rest.
func sameButLeftOut(got, want string) bool {
	have := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	show := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
	at := 0
	for i, line := range show {
		if line == "…" {
			at = len(have) - (len(show) - i - 1)
			continue
		}
		if at < 0 || at >= len(have) {
			return false
		}
		begin, cut := strings.CutSuffix(line, "…")
		if have[at] != line && !(cut && strings.HasPrefix(have[at], begin)) {
			return false
		}
		at++
	}
	return at == len(have)
}
