package trace

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/differ/content"
)

// drawContent draws how one text became another on a terminal of some width.
func drawContent(t *testing.T, width int, older, newer string) string {
	t.Helper()
	var out bytes.Buffer
	a := command.New(command.Streams{Out: &out})
	a.Width = width
	d := richDrawing{App: a, ctx: context.Background()}
	diff := content.Compare(content.Side{Value: canon.String(older), Label: "a"}, content.Side{Value: canon.String(newer),
		Label: "b"}, diff.Unified, 1)
	d.content(&diff)
	if err := a.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A wide terminal has what went beside what came there, a narrow one has one
// below the other; neither has a line that is too wide.
func TestContentsAreDrawnAsWideAsTheTerminal(t *testing.T) {
	long := strings.Repeat("long ", 60)
	older, newer := "same\nold one\nold two\nend\n", "same\nnew one "+long+"\nend\n"
	for _, width := range []int{60, 119, 120, 200} {
		text := drawContent(t, width, older, newer)
		beside := false
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if lipgloss.Width(line) > width {
				t.Errorf("%d columns: %q", width, line)
			}
			beside = beside || strings.Contains(line, "old one") && strings.Contains(line, "│ new one")
		}
		if beside != (width >= 120) {
			t.Errorf("%d columns:\n%s", width, text)
		}
		for _, part := range []string{"same", "old one", "old two", "new one", "end", "…", "@@ -1,4 +1,3 @@"} {
			if !strings.Contains(text, part) {
				t.Errorf("%d columns: no %q in\n%s", width, part, text)
			}
		}
	}
}

// What is too long is cut off with a note that counts the rest: 100 changed
// lines are 200 in one column and 100 in two, and there is the head of the hunk.
func TestLongContentsAreClipped(t *testing.T) {
	older, newer := strings.Repeat("a\n", 100), strings.Repeat("b\n", 100)
	for width, more := range map[int]string{80: "… 161 more lines", 0: "… 161 more lines", 150: "… 61 more lines"} {
		text := drawContent(t, width, older, newer)
		if !strings.Contains(text, more+"; --json has all of them\n") || strings.Count(text, "\n") != drawnLines+1 {
			t.Errorf("%d columns: %d lines, want the note %q in\n%s", width, strings.Count(text, "\n"), more, text)
		}
	}
}

func TestRowsPairWhatWentWithWhatCame(t *testing.T) {
	got := sidePairs([]string{"@@ -1 +1 @@\n", " a\n", "-b\n", "-c\n", "+d\n", " e\n", "+f\n", "-g\n",
		"\\ No newline at end of file\n"})
	want := []sidePair{{head: "@@ -1 +1 @@"}, {"a", "a", true, ""}, {"b", "d", false, ""}, {"c", "", false, ""},
		{"e", "e", true, ""}, {"", "f", false, ""}, {"g", "", false, ""}}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

// A difference at the end of long lines is shown, with a little of what is
// before it.
func TestDifferencesAreNotCutOff(t *testing.T) {
	start := strings.Repeat("word ", 50)
	text := drawContent(t, 130, start+"before the old end\n", start+"before the new end\n")
	if !strings.Contains(text, "… before the old end") || !strings.Contains(text, "│ … before the new end") {
		t.Error(text)
	}
}
