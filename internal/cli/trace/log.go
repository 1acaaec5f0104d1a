package trace

import (
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"

	"github.com/spf13/cobra"
)

// logged is a line of pact log --json.
type logged struct {
	history.Entry
	Time   string       `json:"time,omitempty"` // absent if it is unknown
	Call   *story.Call  `json:"call,omitempty"` // nil unless the entry published a snapshot
	Stat   *story.Stat  `json:"stat,omitempty"`
	Origin *pact.Origin `json:"origin,omitempty"` // on the first entry of a fork: where it began
}

func logCommand(a *command.App) *cobra.Command {
	cmd := a.Command("log")
	flags := a.SourceFlags(cmd)
	edits := cmd.Flags().Bool("edits", false, "list edits as well")
	stats := cmd.Flags().Bool("stat", false, "count what each cycle changed")
	some := logLimits{}
	some.register(cmd)
	attempts := cmd.Flags().Bool("attempts", false, "list every call of a provider within the cycles, also those that failed")
	prefix := newPrefixFlags(a, cmd, flags)
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		if !*attempts && prefix.ask(cmd) {
			return prefix.print(ctx, a, s, rest)
		}
		if s.Alone != nil {
			return fault.New(fault.SnapshotNotFound, "a document on its own has no log", "import it, or name a history")
		}
		if *attempts {
			return listAttempts(ctx, a, s.Context, rest)
		}
		first, _ := s.Context.Cycles()
		lowest, last, err := some.span(ctx, cmd, s.Context, rest)
		if err != nil {
			return err
		}
		calls, err := story.Calls(ctx, s.Context, lowest, last)
		if err != nil {
			return err
		}
		origins, err := s.Context.Origins(ctx)
		if err != nil {
			return err
		}
		from := int64(0)
		if some.newest > 0 || len(rest) > 0 {
			from = lowest
		}
		listed := 0
		each := func(do func(logged) error) error {
			listed = 0
			for e, err := range s.Context.Log(ctx, from) {
				if err != nil {
					return err
				}
				if len(rest) > 0 && e.Cycle > last {
					continue
				}
				branched := e.Kind == history.Forked || e.Kind == history.Superseded || e.Kind == history.Erasing
				// an import may have brought the first snapshot
				published := e.Kind != history.Edit && e.Cycle >= first && !branched
				if !published && !branched && !*edits || some.leavesOut(&e) {
					continue
				}
				l := logged{Entry: e, Time: view.ISO(e.TimeNS)}
				for i := range origins {
					if e.Kind == history.Forked && e.Revision == origins[i].Revision {
						l.Origin = &origins[i]
					}
				}
				if published {
					if l.Call = calls[e.Cycle]; *stats && l.Call != nil {
						l.Stat = &l.Call.Stat
					}
				}
				listed++
				if err := do(l); err != nil {
					return err
				}
			}
			return nil
		}
		if a.JSON {
			a.Out.Hold = false // print each line at once: it stands by itself
			return each(func(l logged) error { return a.PrintJSON(l) })
		}
		switch err = drawLog(a, each); {
		case err != nil || listed > 0:
		case slices.Contains(rest, "working"):
			a.Reportf("pact: the working state is no cycle, so the log has no entry of it; with --edits it lists its edits")
		case last < first:
			a.FoundNothing("%s has no cycle yet; pact commit makes one", view.Visible(s.Context.Name()))
		default:
			a.FoundNothing("%s has no cycle since %s", view.Visible(s.Context.Name()), view.Visible(some.since))
		}
		return err
	})
	return cmd
}
