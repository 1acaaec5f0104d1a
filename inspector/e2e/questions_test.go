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

// The steps that the table may ask its reader to take.
var (
	stepColumn = regexp.MustCompile(`^column \*\*@c(\d+)\*\*$`)
	stepRow    = regexp.MustCompile(`^row \*\*(.+)\*\*$`)
	stepType   = regexp.MustCompile(`^type \*\*(.+)\*\*$`)
	stepKey    = regexp.MustCompile(`^press \*\*(\S+)\*\*$`)
	stepLimit  = regexp.MustCompile(`^\*\*-\*\* until \*\*(\d+)\*\*$`)
	stepName   = regexp.MustCompile(`^\*\*(.+)\*\*$`)
	code       = regexp.MustCompile("`([^`]+)`")
)

// TestQuestionsInTheInspector takes the steps of the questions in testdata,
// two at most, looks for the texts on the screen, and runs the commands beside them.
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
	list, err := os.ReadFile(filepath.Join("testdata", "questions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, db))
	b.signIn()
	questions := 0
	for line := range strings.Lines(string(list)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 4 || !strings.Contains(line, "`pact ") {
			continue
		}
		questions++
		b.answer(cells[0], strings.Split(cells[1], "; "), codes(cells[2]))
		prints(t, db, codes(cells[3]))
	}
	if questions != 15 {
		t.Errorf("there are %d questions", questions)
	}
}

// codes returns the texts between backquotes.
func codes(cell string) (texts []string) {
	for _, m := range code.FindAllStringSubmatch(cell, -1) {
		texts = append(texts, m[1])
	}
	return texts
}

// answer takes the steps of a question and looks for the texts on the screen.
func (b *tab) answer(title string, steps, texts []string) {
	b.t.Helper()
	b.openStory("/c/run")
	b.until("a block is selected", `location.search.includes('node=')`)
	if len(steps) > 2 || len(texts) == 0 {
		b.t.Errorf("%s: steps %q, texts %q", title, steps, texts)
	}
	began := time.Now()
	for _, step := range steps {
		b.step(step)
	}
	for _, text := range texts {
		b.see(text)
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
	} else if m := stepType.FindStringSubmatch(text); m != nil {
		b.press("/")
		b.enter(m[1])
	} else if m := stepKey.FindStringSubmatch(text); m != nil {
		b.press(m[1])
	} else if text == "the name at the top" {
		b.clickOn(".bar-name")
	} else if m := stepLimit.FindStringSubmatch(text); m != nil {
		most, _ := strconv.Atoi(m[1])
		const limit = `Number(/limit ([\d\s,]+) token/.exec(document.querySelector('.strata').textContent)?.[1].replace(/\D/g, '') ?? 1e9)`
		for tries := 0; tries < 20 && eval[int](b, limit) > most; tries++ {
			b.press("-")
			b.until("the limit is tried", limit+` < 1e9`)
		}
	} else if m := stepName.FindStringSubmatch(text); m != nil {
		b.click(m[1])
	} else {
		b.t.Fatalf("the test does not know the step %q", text)
	}
}

// prints runs a command, the first of the texts, and looks for the others in its output.
func prints(t *testing.T, db string, texts []string) {
	t.Helper()
	var args []string
	for i, part := range strings.Split(strings.TrimPrefix(texts[0], "pact "), `"`) {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	got := command(t, db, args...)
	for _, text := range texts[1:] {
		if !strings.Contains(got, text) {
			t.Errorf("%s does not print %q:\n%s", texts[0], text, got)
		}
	}
	if len(texts) < 2 {
		t.Errorf("the page does not say what %s prints", texts[0])
	}
}
