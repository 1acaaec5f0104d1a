package cli

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/spf13/cobra"
)

// The help of every command fits a terminal of 80 columns.
func TestHelpFitsATerminal(t *testing.T) {
	testrun.OneGoroutine(t)
	var each func(cmd *cobra.Command, path []string)
	each = func(cmd *cobra.Command, path []string) {
		var out strings.Builder
		Run(t.Context(), append(path[:len(path):len(path)], "--help"), command.Streams{Out: &out, Err: &out})
		if out.Len() == 0 {
			t.Errorf("pact %s --help prints nothing", strings.Join(path, " "))
		}
		for line := range strings.Lines(out.String()) {
			if line = strings.TrimSuffix(line, "\n"); lipgloss.Width(line) > 80 {
				t.Errorf("pact %s --help: %d columns: %s", strings.Join(path, " "), lipgloss.Width(line), line)
			}
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "completion" && c.Name() != "help" {
				each(c, append(path[:len(path):len(path)], c.Name()))
			}
		}
	}
	each(root(command.New(command.Streams{})), nil)
}

// Folding breaks paragraphs anew, keeps tables, and loses no word.
func TestFoldedKeepsTablesAndWords(t *testing.T) {
	const long = "word word word word word word word word word word word word word word word word word"
	got := folded(long + "\nshort\n\n  a table      stays as it is\nthe end")
	want := strings.Repeat("word ", 15) + "word\nword short\n\n  a table      stays as it is\nthe end"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
