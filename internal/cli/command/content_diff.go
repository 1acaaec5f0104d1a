package command

import (
	"strings"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/view"
)

// DrawContentDiff prints the change of a content, indented.
func (a *App) DrawContentDiff(d *diff.ContentDiff) {
	if d == nil {
		return
	}
	switch {
	case d.Diff != nil:
		for line := range strings.Lines(*d.Diff) {
			line = view.Visible(strings.TrimSuffix(line, "\n"))
			switch {
			case strings.HasPrefix(line, "+"):
				line = a.Paint.Good(line)
			case strings.HasPrefix(line, "-"):
				line = a.Paint.Bad(line)
			}
			a.Printf("    %s\n", line)
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
