package command

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
)

// DrawLoss prints a line a turn, cut at the width of a terminal.
func (a *App) DrawLoss(l *story.Loss) {
	rows := make([][]string, len(l.ByTurn))
	for i, t := range l.ByTurn {
		what := view.Plural(t.Blocks, "block")
		switch {
		case t.Whole:
			what = "whole turn"
		case t.Results > 0:
			what = view.Plural(t.Results, "result")
			if len(t.Tools) > 0 {
				what += " of " + strings.Join(t.Tools, ", ")
			}
		}
		size := view.Size(t.Bytes)
		if l.Tokens > 0 {
			size = view.Plural(int(t.Tokens), "token")
		}
		begins := t.Begins
		if t.Role != "" {
			begins = t.Role + ": " + begins
		}
		rows[i] = screen.Cells("  @c"+strconv.FormatInt(t.Cycle, 10), what, size, begins)
	}
	c := screen.LayoutOf("llrl")
	for _, row := range rows {
		c.Fit(row)
	}
	for _, row := range rows {
		a.Printf("%s\n", a.Clip(c.Line(row)))
	}
}

// DrawImportLoss prints what the limits of an import took from its calls.
func (a *App) DrawImportLoss(l *story.Loss) {
	if l == nil {
		return
	}
	if text := l.Summary(); text != "" {
		a.Printf("  left out %s\n", text)
	} else {
		a.Printf("  the limits left nothing out\n")
	}
	a.DrawLoss(l)
	if l.Task != "" {
		a.Warnf("the first message of the user was left out: %s", view.Visible(l.Task))
	}
}
