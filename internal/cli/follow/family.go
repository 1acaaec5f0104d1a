package follow

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/view"
)

// listFamily compares the first calls of the sub-agents and forks of a context with its own.
func listFamily(ctx context.Context, a *command.App, s *command.Source) error {
	r, err := view.RelationsOf(ctx, s.Store)
	if err != nil {
		return err
	}
	f, err := runs.FamilyOf(ctx, s.Store, r, s.Context)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(f)
	}
	var rows [][]string
	for i := range f.Kin {
		k := &f.Kin[i]
		same, of, share, ended := "", view.Cycle(k.Of)+" ("+string(k.Known)+")", "", "cannot be compared"
		if k.Shared != nil {
			same = strconv.Itoa(k.Shared.Blocks) + "/" + strconv.Itoa(k.Shared.OfBlocks)
			share = view.Percent(float64(k.Shared.Bytes) / float64(max(1, k.Shared.OfBytes)))
			ended = strings.TrimSpace(k.Cause + " " + strings.Join(k.Names, ", "))
		}
		rows = append(rows, screen.Row(k.Run, k.How, view.Cycle(k.Call), of, same, share, k.Read, ended))
	}
	a.Table([]string{"context", "how", "call", "against", ">same", ">in bytes", ">read", "ended by"}, rows)
	a.Sentence(f.InWords())
	return nil
}
