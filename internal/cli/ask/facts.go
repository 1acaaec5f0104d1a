package ask

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// nodeOrder is an order that --sort asks for.
type nodeOrder struct {
	by      string
	falling bool
}

// sortNames lists the facts that --sort knows, as the help shows them.
var sortNames = []string{"bytes", "tokens", "calls", "first", "last", "tool", "role", "kind", "id"}

// parseOrder reads the value of --sort: a fact, with :asc or :desc behind it.
func parseOrder(cmd *cobra.Command, text string) (*nodeOrder, error) {
	if text == "" {
		return nil, nil
	}
	by, direction, _ := strings.Cut(text, ":")
	if story.Orders[by] == nil || direction != "" && direction != "asc" && direction != "desc" {
		return nil, command.Usage(cmd, "--sort %s is not known: it is one of %s, with :asc or :desc behind it", text,
			strings.Join(sortNames, ", "))
	}
	return &nodeOrder{by, direction == "desc"}, nil
}

// sort sorts facts and keeps the order of equal ones.
func (o *nodeOrder) sort(list []story.Facts) {
	slices.SortStableFunc(list, func(a, b story.Facts) int {
		c := story.Orders[o.by](&a, &b)
		if o.falling {
			return -c
		}
		return c
	})
}

// printFacts prints what select found, in the form that --output asks for.
func printFacts(a *command.App, list []story.Facts) error {
	switch a.Form {
	case "id":
		for _, f := range list {
			a.Printf("%s\n", view.Visible(f.ID))
		}
		return nil
	case "jsonl":
		return a.PrintJSON(list)
	case "json", "":
		ids := make([]string, len(list))
		for i, f := range list {
			ids[i] = f.ID
		}
		return a.PrintJSON(ids)
	}
	rows := make([][]string, len(list))
	for i, f := range list {
		state, partners := record.Tail(f.State).InWords(f.Role), ""
		if f.Failed {
			state = a.Paint.Bad("failed")
		}
		if a.Form == "wide" {
			partners = strings.Join(f.Partners, " ")
		}
		rows[i] = screen.Row(f.ID, f.Role, f.Kind, f.Tool, f.Bytes, f.Tokens, f.Calls, screen.Painted(state), partners, screen.Painted(f.Begins))
	}
	a.Table([]string{"id", "role", "kind", "tool", ">bytes", ">tokens", ">calls", "", "with", "begins"}, rows)
	return nil
}
