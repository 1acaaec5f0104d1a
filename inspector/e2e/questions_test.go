package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// writePages makes the test write what commands print into the page instead of comparing it;
// who does that reads the difference.
const writePages = "PACT_WRITE_PAGES"

// The steps that a page may ask its reader to take.
var (
	stepColumn = regexp.MustCompile(`^Click the column \*\*@c(\d+)\*\*\.$`)
	stepRow    = regexp.MustCompile(`^Click the row \*\*(.+)\*\*\.$`)
	stepName   = regexp.MustCompile(`^Click \*\*(.+)\*\*\.$`)
	stepType   = regexp.MustCompile(`^Type \*\*(.+)\*\* into the box\.$`)
	stepKey    = regexp.MustCompile(`^Press \*\*(\S+)\*\*\.$`)
	stepLimit  = regexp.MustCompile(`^Press \*\*-\*\* until the limit is \*\*(\d+)\*\* tokens or less;`)
	listed     = regexp.MustCompile(`(?m)^\d\. (.+)$`)
	shows      = regexp.MustCompile("(?s)The screen shows (.*?)\n\n")
	code       = regexp.MustCompile("`([^`]+)`")
)

// TestQuestionsInTheInspector follows docs/inspector-questions.md.
func TestQuestionsInTheInspector(t *testing.T) {
	run := filepath.Join(sharedData(), "swe-smith-pydantic-8316.traj")
	if _, err := os.Stat(run); err != nil {
		if os.Getenv("PACT_REQUIRE_SHARED") != "" {
			t.Fatal(err)
		}
		t.Skip("left out: ", err)
	}
	db := sqliteFile(t)
	command(t, db, "import", run, "--name", "run", "--max-tokens", "12000")
	command(t, db, "fork", "run", "@c12", "run, another answer")
	file := filepath.Join(repository, "docs", "inspector-questions.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, db))
	b.signIn()
	parts := strings.Split(string(page), "\n## ")
	for i, question := range parts[1:] {
		b.answer(question)
		parts[i+1] = printed(t, db, question)
	}
	if len(parts) != 16 {
		t.Errorf("the page has %d questions", len(parts)-1)
	}
	if os.Getenv(writePages) != "" {
		if err := os.WriteFile(file, []byte(strings.Join(parts, "\n## ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// answer takes the steps of a question, two at most, and looks for what the page says that
// the screen shows.
func (b *tab) answer(question string) {
	b.t.Helper()
	title, body, _ := strings.Cut(question, "\n")
	b.openStory("/c/run")
	b.until("a block is selected", `location.search.includes('node=')`)
	steps := listed.FindAllStringSubmatch(body, -1)
	if len(steps) < 1 || len(steps) > 2 {
		b.t.Errorf("%s: %d steps", title, len(steps))
	}
	began := time.Now()
	for _, step := range steps {
		b.step(step[1])
	}
	shown := shows.FindStringSubmatch(question)
	if shown == nil {
		b.t.Fatalf("%s: the page does not say what the screen shows", title)
	}
	for _, text := range code.FindAllStringSubmatch(shown[1], -1) {
		b.see(text[1])
	}
	b.t.Logf("%s: %d steps, %.1f s", title, len(steps), time.Since(began).Seconds())
}

func (b *tab) step(text string) {
	b.t.Helper()
	if m := stepColumn.FindStringSubmatch(text); m != nil {
		cycle, _ := strconv.Atoi(m[1])
		x, _ := b.over(cycle, "")
		p := b.canvas()
		b.do(text, chromedp.MouseClickXY(x, p.Y+p.Height-2))
		b.call(cycle)
	} else if m := stepRow.FindStringSubmatch(text); m != nil {
		b.until("the list is as it was asked for", `!document.querySelector('[aria-busy=true]')`)
		b.clickRow(m[1])
	} else if m := stepName.FindStringSubmatch(text); m != nil {
		b.click(m[1])
	} else if m := stepType.FindStringSubmatch(text); m != nil {
		b.press("/")
		b.enter(m[1])
	} else if m := stepKey.FindStringSubmatch(text); m != nil {
		b.press(m[1])
	} else if text == "Click the name at the top." {
		b.clickOn(".bar-name")
	} else if m := stepLimit.FindStringSubmatch(text); m != nil {
		most, _ := strconv.Atoi(m[1])
		const limit = `Number(/limit ([\d\s,]+) token/.exec(document.querySelector('.strata').textContent)?.[1].replace(/\D/g, '') ?? 1e9)`
		for tries := 0; tries < 20 && eval[int](b, limit) > most; tries++ {
			b.press("-")
			b.until("the limit is tried", limit+` < 1e9`)
		}
	} else {
		b.t.Fatalf("the test does not know the step %q", text)
	}
}

// printed compares what the command of a question prints with the page, and returns the
// question with what it prints.
func printed(t *testing.T, db, question string) string {
	t.Helper()
	before, rest, ok := strings.Cut(question, "```console\n$ pact ")
	block, after, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("no command: %s", question)
	}
	line, want, _ := strings.Cut(block, "\n")
	var args []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	got := shortened(command(t, db, args...))
	if os.Getenv(writePages) == "" && got != want {
		t.Errorf("pact %s:\n%s\nthe page has\n%s", line, got, want)
	}
	return before + "```console\n$ pact " + line + "\n" + got + "```" + after
}

// shortened leaves out the middle of a long answer and the end of long lines.
func shortened(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 16 {
		lines = append(append(lines[:11:11], "…"), lines[len(lines)-4:]...)
	}
	for i, line := range lines {
		if runes := []rune(line); len(runes) > 120 {
			lines[i] = string(runes[:119]) + "…"
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
