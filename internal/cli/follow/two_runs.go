package follow

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/tokens"
)

// namesRuns reports whether the arguments of pact diff are the names of two runs: no address stands in or beside them.
func namesRuns(args []string) bool {
	if len(args) != 2 {
		return false
	}
	for _, arg := range args {
		if name, _ := view.SplitAddress(arg); name != "" || view.IsAddress(arg) {
			return false
		}
	}
	return true
}

// compareRuns compares two runs by what they say.
func compareRuns(ctx context.Context, a *command.App, cmd *cobra.Command, names []string) error {
	var sides [2]*command.Source
	for i, name := range names {
		s, _, err := a.Source(ctx, cmd, &command.SourceFlags{}, []string{name})
		if err != nil {
			return err
		}
		defer s.Close()
		sides[i] = s
	}
	counter, err := tokens.Named(command.DefaultTokenizer)
	if err != nil {
		return err
	}
	m := a.Meter("comparing")
	r, err := runs.Compare(ctx, sides[0].Context, sides[1].Context, nil, counter, m.At)
	m.End()
	if err != nil {
		return err
	}
	return a.Show(r, func() { drawComparison(a, r) })
}

// mostOnly is how many blocks that one run alone has the command prints; as JSON it prints all.
const mostOnly = 40

// partly writes the sum of what is known of some calls, "" if it is of none.
func partly(sum string, known, calls int) string {
	switch {
	case known == 0:
		return ""
	case known < calls:
		return "at least " + sum
	}
	return sum
}

func drawComparison(a *command.App, r *runs.Comparison) {
	for _, only := range r.Only[:min(mostOnly, len(r.Only))] {
		sign := a.Paint.Bad("-")
		if only.In == "b" {
			sign = a.Paint.Good("+")
		}
		a.Printf("%s\n", a.Clip(sign+" "+view.Cycle(only.Call)+"  "+strings.TrimPrefix(only.InWords(), "it ")))
	}
	if more := len(r.Only) - mostOnly; more > 0 {
		a.Printf("and %d more; --json has each\n", more)
	}
	if len(r.Only) > 0 {
		a.Printf("\n")
	}
	var rows [][]string
	for _, row := range []struct {
		name string
		of   view.Totals
	}{{"to there, A", r.A.To}, {"to there, B", r.B.To}, {"after, A", r.A.After}, {"after, B", r.B.After}} {
		cells := screen.Row(row.name, row.of.Calls)
		t := &row.of
		rows = append(rows, append(cells, partly(number(t.In), t.Counted, t.Calls), partly(number(t.Read), t.Told, t.Calls),
			partly(number(t.Out), t.Counted, t.Calls), partly(cost(t.Paid), t.Priced, t.Calls)))
	}
	a.Table([]string{"calls", ">number", ">in", ">read", ">out", ">paid"}, rows)
	rows = nil
	for _, t := range r.Tools {
		row := []string{view.Visible(t.Tool)}
		for _, s := range []runs.ToolSum{t.To, t.After.A, t.After.B} {
			row = append(row, strconv.Itoa(s.Calls), number(s.Tokens))
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		a.Table([]string{"tool", ">to there", ">tokens", ">after, A", ">tokens", ">after, B", ">tokens"}, rows)
	}
	a.Sentence("A is " + view.Visible(r.A.Run) + ", B is " + view.Visible(r.B.Run) + "; blocks that say the same: " + strconv.Itoa(r.Same) +
		", in A alone: " + strconv.Itoa(r.A.Blocks-r.Same) + ", in B alone: " + strconv.Itoa(r.B.Blocks-r.Same))
	switch p := r.Parts; {
	case p != nil:
		a.Sentence("The runs part at " + view.Cycle(p.A) + " of A and " + view.Cycle(p.B) + " of B: " + p.Says)
	case r.A.After.Calls+r.B.After.Calls+len(r.Only) == 0:
		a.Sentence("The runs do not part")
	default:
		a.Sentence("The runs do not part: one goes on where the other ends")
	}
	if len(rows) > 0 {
		a.Sentence("The tokens of a tool are those of its results, computed by " + r.Tokenizer)
	}
}
