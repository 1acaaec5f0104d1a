package cli

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// logged is a line of pact log --json.
type logged struct {
	store.Entry
	Time   string       `json:"time"`
	Call   *loggedCall  `json:"call,omitempty"` // nil unless the entry published a snapshot
	Stat   *stat        `json:"stat,omitempty"`
	Origin *pact.Origin `json:"origin,omitempty"` // on the first entry of a fork: where it began
}

// stat counts what a cycle changed since the previous one.
type stat struct {
	Added   int   `json:"added"`
	Removed int   `json:"removed"`
	Changed int   `json:"changed"`
	Blocks  int   `json:"blocks"`
	Bytes   int64 `json:"bytes"`
}

func (a *app) logCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log NAME | log --file FILE",
		Short: "List the cycles of a context",
		Long: `List the cycles of a context, each of which is a call of the model, in the order in
which they were made, as a conversation is read: when, the model, how long it took, the
bytes that the thread had, the tokens in and out and those of them that the provider
read from its cache, the tools that what was new called, and its first words; then who
committed it and why, and what the commit removed and held back. A terminal gets a few
lines for each cycle, with --oneline one.

-n N lists the newest N cycles, the newest last, --since those from a time on. --stat
counts what each cycle changed; --edits lists the edits between the commits as well.
Cycles that a fork shares with its origin are included. With --json each line is an
object.`,
		Example: `  pact log chat
  pact log chat -n 3 --oneline
  pact log chat --since 2026-11-01
  pact log chat --stat --edits
  pact log chat --json | jq .message`,
	}
	flags := a.sourceFlags(cmd)
	edits := cmd.Flags().Bool("edits", false, "list edits as well")
	stats := cmd.Flags().Bool("stat", false, "count what each cycle changed")
	some := logLimits{}
	some.register(cmd)
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if err := count(cmd, flags.file, args); err != nil {
			return err
		}
		s, _, err := a.source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.close()
		if s.alone != nil {
			return fault.New(fault.SnapshotNotFound, "a document on its own has no log", "import it, or name a history")
		}
		first, last := s.context.Cycles()
		lowest, err := some.lowest(cmd, first, last)
		if err != nil {
			return err
		}
		calls, err := callsOf(ctx, s.context, lowest, last)
		if err != nil {
			return err
		}
		counted := map[int64]*stat{}
		if *stats && last >= first {
			if counted, err = statsOf(ctx, s.context); err != nil {
				return err
			}
		}
		origins, err := s.context.Origins(ctx)
		if err != nil {
			return err
		}
		listed := 0
		each := func(do func(logged) error) error {
			listed = 0
			for e, err := range s.context.Log(ctx) {
				if err != nil {
					return err
				}
				branched := e.Kind == store.Forked || e.Kind == store.Superseded || e.Kind == store.Erasing
				// an import may have brought the first snapshot
				published := e.Kind != store.Edit && e.Cycle >= first && !branched
				if !published && !branched && !*edits || some.leavesOut(&e, lowest) {
					continue
				}
				l := logged{Entry: e, Time: tree.ISO(e.TimeNS)}
				for i := range origins {
					if e.Kind == store.Forked && e.Revision == origins[i].Revision {
						l.Origin = &origins[i]
					}
				}
				if published {
					l.Stat, l.Call = counted[e.Cycle], calls[e.Cycle]
				}
				listed++
				if err := do(l); err != nil {
					return err
				}
			}
			return nil
		}
		if a.json {
			a.out.hold = false // print each line at once: it stands by itself
			return each(func(l logged) error { return a.printJSON(l) })
		}
		if a.outTerminal && !some.oneline && a.form == "" {
			err = each(func(l logged) error { a.drawEntry(l); return nil })
		} else {
			err = a.drawLog(each)
		}
		switch {
		case err != nil || listed > 0:
		case last < first:
			a.foundNothing("%s has no cycle yet; pact commit makes one", visible(s.context.Name()))
		default:
			a.foundNothing("%s has no cycle since %s", visible(s.context.Name()), visible(some.since))
		}
		return err
	})
	return cmd
}

func statsOf(ctx context.Context, c *pact.Context) (map[int64]*stat, error) {
	first, _ := c.Cycles()
	byCycle := make(map[int64]*stat)
	var before *pact.Snapshot
	for s, err := range c.History(ctx, pact.Cycle(first), pact.Latest) {
		if err != nil {
			return nil, err
		}
		n := &stat{Added: s.Tree().Len()}
		if before != nil {
			d, err := pact.Diff(ctx, before, s, nil)
			if err != nil {
				return nil, err
			}
			n.Added, n.Removed, n.Changed = len(d.Added), len(d.Removed), len(d.Changed)
		}
		n.Blocks, n.Bytes = s.ThreadSize()
		byCycle[s.Cycle()], before = n, s
	}
	return byCycle, nil
}

func said(message string) []string {
	if message == "" {
		return nil
	}
	return []string{message}
}

// reported puts the report of a commit into words.
func reported(raw json.RawMessage) (list []string) {
	var r lifecycle.Report
	if len(raw) == 0 || json.Unmarshal(raw, &r) != nil {
		return nil
	}
	reasons := map[lifecycle.Reason]int{}
	for _, gone := range r.Removed {
		reasons[gone.Reason]++
	}
	for _, reason := range []lifecycle.Reason{lifecycle.Expired, lifecycle.Cascaded, lifecycle.Pruned,
		lifecycle.Orphaned} {
		if n := reasons[reason]; n > 0 {
			list = append(list, strconv.Itoa(n)+" "+string(reason))
		}
	}
	if n := len(r.Held); n > 0 {
		list = append(list, strconv.Itoa(n)+" held back")
	}
	if n := len(r.Stubs); n > 0 {
		list = append(list, plural(n, "stub"))
	}
	if n := len(r.Orphans) - reasons[lifecycle.Orphaned]; n > 0 {
		list = append(list, plural(n, "orphan")+" kept")
	}
	if r.Budget != "" {
		list = append(list, r.Budget)
	}
	return list
}
