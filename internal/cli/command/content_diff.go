package command

import (
	"math"
	"strings"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

// ContentDiffFlags say how changes of contents are shown.
type ContentDiffFlags struct {
	Mode  string
	lines int
}

// AddTo adds the flags to a command. when is what the help says of both, such as "with --rich, ".
func (f *ContentDiffFlags) AddTo(cmd *cobra.Command, when string) {
	cmd.Flags().StringVar(&f.Mode, "content-mode", string(diff.Unified), when+"`HOW` contents are shown: unified, jsonpatch or tokens")
	cmd.Flags().IntVar(&f.lines, "context-lines", 3, when+"`N` lines of context in a unified diff")
	OneOf(cmd, "content-mode", []string{string(diff.Unified), string(diff.JSONPatch), string(diff.Tokens)})
}

// Lines returns the lines of context as the options of the library have them, where 0 is the default and -1 none.
func (f *ContentDiffFlags) Lines(cmd *cobra.Command) (int, error) {
	switch {
	case f.lines < 0:
		return 0, Usage(cmd, "--context-lines takes a number of 0 or more")
	case f.lines == 0:
		return -1, nil
	}
	return f.lines, nil
}

// DrawContentDiff prints the change of a content, indented, of a unified diff not more than some lines; 0 is all of them.
func (a *App) DrawContentDiff(d *diff.ContentDiff, most int) {
	if d == nil {
		return
	}
	switch {
	case d.Diff != nil:
		list := strings.SplitAfter(strings.TrimSuffix(*d.Diff, "\n"), "\n")
		if most == 0 {
			most = math.MaxInt
		} else {
			list = list[min(2, len(list)):] // the line above already says what the labels say
		}
		for _, line := range list[:min(most, len(list))] {
			line = a.Clip("    " + view.Visible(strings.TrimSuffix(line, "\n")))
			switch {
			case strings.HasPrefix(line, "    +"):
				line = a.Paint.Good(line)
			case strings.HasPrefix(line, "    -"):
				line = a.Paint.Bad(line)
			}
			a.Printf("%s\n", line)
		}
		if more := len(list) - most; more > 0 {
			a.Printf("    %s\n", a.Paint.Faint("… "+view.Plural(more, "more line")+"; --json has all of them"))
		}
	case d.Mode == diff.JSONPatch:
		a.Printf("    %s\n", view.Visible(string(d.Patch)))
	default:
		a.Printf("    ")
		for _, h := range d.Hunks {
			switch h.Op {
			case "ins":
				a.Printf("%s", a.Paint.Good("[+"+view.Visible(h.Text)+"+]"))
			case "del":
				a.Printf("%s", a.Paint.Bad("[-"+view.Visible(h.Text)+"-]"))
			default:
				a.Printf("%s", view.Visible(h.Text))
			}
		}
		a.Printf("\n")
	}
}
