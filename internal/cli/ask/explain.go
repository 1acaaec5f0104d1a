package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
)

// explain says how a selector is evaluated.
func explain(ctx context.Context, a *command.App, s *command.Source, q *selector.Selector, o pact.SelectOptions) error {
	warnAll(a, q.Remarks())
	defer func() { warnAll(a, view.MistypedTypes(q, someOf(ctx, s))) }()
	x, err := s.Explain(ctx, q, o)
	if err != nil {
		return command.InArgument(err, q.Source)
	}
	if a.JSON {
		return a.PrintJSON(x)
	}
	drawExplanation(a, x)
	return nil
}

// drawExplanation prints a line for each step.
func drawExplanation(a *command.App, x *inspect.Explanation) {
	a.Printf("%s  %s\n", a.Paint.Strong(view.Visible(x.Selector)), a.Paint.Faint("edition "+x.Edition))
	var rows [][]string
	for i, g := range x.Groups {
		for n, s := range g.Steps {
			name := ""
			if n == 0 && len(x.Groups) > 1 {
				name = fmt.Sprint("group ", i+1)
			}
			rows = append(rows, screen.Cells(name, s.Text, s.Reach, strings.Join(s.Skips, ", ")))
		}
	}
	a.Aligned(append([][]string{{"", "step", "reached by", "ruled out by"}}, rows...), "llll")
	order := x.Order
	if x.Choice != "" {
		order += ", " + x.Choice + " of it"
	}
	if len(x.Window) > 0 {
		order += ", then " + strings.Join(x.Window, " ")
	}
	a.Printf("%s %s\n", a.Paint.Faint("order:"), order)
	looked := "%s of %s in %s looked at, %s, %s returned\n"
	if x.Visited > x.Nodes { // a list looks once for each fragment
		looked = "%s looks at %s in %s, %s, %s returned\n"
	}
	a.Printf(looked, fmt.Sprint(x.Visited), view.Plural(x.Nodes, "node"), view.Plural(x.Snapshots, "snapshot"),
		fmt.Sprint(x.Skipped)+" ruled out", view.Plural(x.Returned, "node"))
}
