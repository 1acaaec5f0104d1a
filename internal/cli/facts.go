package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// nodeFacts is a line of pact select --output jsonl, and a row of its table.
type nodeFacts struct {
	ID       string   `json:"id"`
	Role     string   `json:"role,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Tool     string   `json:"tool,omitempty"`
	Failed   bool     `json:"failed,omitempty"`
	Bytes    int64    `json:"bytes"`
	Tokens   *int64   `json:"tokens,omitempty"` // nil unless they were asked for
	First    int64    `json:"first"`            // cycle of the first snapshot that holds the node
	Last     int64    `json:"last"`             // cycle of the snapshot that it was found in
	Calls    int64    `json:"calls"`            // the snapshots from First to Last, which is how many calls carried it
	Partners []string `json:"partners,omitempty"`
	Begins   string   `json:"begins"` // the first words of the content
}

// factsOfNode collects the facts of a found node. last is the newest cycle that
// was committed.
func factsOfNode(ctx context.Context, h pact.Hit, counter tree.Counter, last int64) (f nodeFacts, err error) {
	t := h.Snapshot.Tree()
	e := t.Entry(h.Node.ID)
	n := e.Node()
	f = nodeFacts{ID: n.ID, Role: h.Node.Role, Kind: n.Kind, Failed: toolcall.Failed(t, n), Bytes: int64(n.Content.Size()),
		First: n.Cycle, Last: min(h.Snapshot.Cycle(), last)}
	f.Calls = max(0, f.Last-f.First+1)
	if f.Tool, err = toolcall.Name(ctx, t, n); err != nil {
		return f, err
	}
	if counter != nil {
		count, err := tree.Tokens(counter).Own(ctx, e)
		if err != nil {
			return f, err
		}
		f.Tokens = &count
	}
	for _, p := range toolcall.Partners(t, n) {
		f.Partners = append(f.Partners, p.ID)
	}
	content, err := n.Content.Value(ctx)
	if err == nil && content != "" {
		f.Begins = firstWords(n.Kind, canon.Value(content))
	}
	return f, err
}

// wordsShown is how many characters of a content a list shows.
const wordsShown = 60

// nodeOrder is what --sort asks for.
type nodeOrder struct {
	by      string
	falling bool
}

// nodeOrders are the facts that --sort knows.
var nodeOrders = map[string]func(a, b *nodeFacts) int{
	"id":     func(a, b *nodeFacts) int { return cmp.Compare(a.ID, b.ID) },
	"role":   func(a, b *nodeFacts) int { return cmp.Compare(a.Role, b.Role) },
	"kind":   func(a, b *nodeFacts) int { return cmp.Compare(a.Kind, b.Kind) },
	"tool":   func(a, b *nodeFacts) int { return cmp.Compare(a.Tool, b.Tool) },
	"bytes":  func(a, b *nodeFacts) int { return cmp.Compare(a.Bytes, b.Bytes) },
	"tokens": func(a, b *nodeFacts) int { return cmp.Compare(valueOf(a.Tokens), valueOf(b.Tokens)) },
	"first":  func(a, b *nodeFacts) int { return cmp.Compare(a.First, b.First) },
	"last":   func(a, b *nodeFacts) int { return cmp.Compare(a.Last, b.Last) },
	"calls":  func(a, b *nodeFacts) int { return cmp.Compare(a.Calls, b.Calls) },
}

// sortNames lists the facts that --sort knows, as the help shows them.
var sortNames = []string{"bytes", "tokens", "calls", "first", "last", "tool", "role", "kind", "id"}

func valueOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// parseOrder reads the value of --sort: a fact, with :asc or :desc behind it.
func parseOrder(cmd *cobra.Command, text string) (*nodeOrder, error) {
	if text == "" {
		return nil, nil
	}
	by, direction, _ := strings.Cut(text, ":")
	if nodeOrders[by] == nil || direction != "" && direction != "asc" && direction != "desc" {
		return nil, usage(cmd, "--sort %s is not known: it is one of %s, with :asc or :desc behind it", text,
			strings.Join(sortNames, ", "))
	}
	return &nodeOrder{by, direction == "desc"}, nil
}

// sort sorts facts and keeps the order of equal ones.
func (o *nodeOrder) sort(list []nodeFacts) {
	slices.SortStableFunc(list, func(a, b nodeFacts) int {
		c := nodeOrders[o.by](&a, &b)
		if o.falling {
			return -c
		}
		return c
	})
}

// printFacts prints what select found, in the form that --output asks for.
func (a *app) printFacts(list []nodeFacts) error {
	switch a.form {
	case "id":
		for _, f := range list {
			a.printLine(f.ID)
		}
		return nil
	case "jsonl":
		return a.printJSON(list)
	case "json", "":
		ids := make([]string, len(list))
		for i, f := range list {
			ids[i] = f.ID
		}
		return a.printJSON(ids)
	}
	wide := a.form == "wide"
	head, align := []string{"id", "role", "kind", "tool", "bytes", "calls", "", "begins"}, "llllrrll"
	if wide {
		head, align = slices.Insert(head, 7, "with"), align+"l"
	}
	counted := len(list) > 0 && list[0].Tokens != nil
	if counted {
		head, align = slices.Insert(head, 5, "tokens"), "llllr"+align[4:]
	}
	rows := make([][]string, len(list))
	for i, f := range list {
		failed := ""
		if f.Failed {
			failed = a.paint.bad("failed")
		}
		row := append(cells(f.ID, f.Role, f.Kind, f.Tool), strconv.FormatInt(f.Bytes, 10), strconv.FormatInt(f.Calls, 10),
			failed, f.Begins)
		if wide {
			row = slices.Insert(row, 7, visible(strings.Join(f.Partners, " ")))
		}
		if counted {
			row = slices.Insert(row, 5, strconv.FormatInt(*f.Tokens, 10))
		}
		rows[i] = row
	}
	a.table(head, rows, align)
	return nil
}
