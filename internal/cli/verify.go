package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/wording"
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

func (a *app) verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify (NAME | --all)",
		Short: "Check that nothing of a context was changed since",
		Long: `Check that nothing of a context was changed since it was committed: render every
snapshot again, and check every content hash, every node and the order of siblings,
the log, the digests that each commit recorded and, if the thread was sent, the
SHA-256 of its bytes. The first defect is printed with its cycle and node, and the
exit code is 1. Attempts are compared with what was committed: a cycle whose commit
differs from what was sent is listed, and is no defect.

--all checks every context of the store, and looks for rows that belong to none.`,
		Example:           "  pact verify chat\n  pact verify chat --json\n  pact verify --all",
		ValidArgsFunction: a.completeNames,
	}
	all := cmd.Flags().Bool("all", false, "check the whole store")
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *all != (len(args) == 0) || len(args) > 1 {
			return usage(cmd, "verify takes the NAME of a context, or --all")
		}
		s, err := a.existingStore(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		if *all {
			return a.verifyAll(ctx, s)
		}
		m := a.meter("verifying")
		r, err := pact.VerifyNamed(ctx, s, args[0], m.at)
		m.end()
		if err != nil {
			return err
		}
		a.failed = !r.Holds()
		if a.json {
			return a.printJSON(r)
		}
		a.drawVerified(r)
		return nil
	})
	return cmd
}

// verifyAll checks a whole store.
func (a *app) verifyAll(ctx context.Context, s store.Store) error {
	m := a.meter("verifying")
	r, err := pact.VerifyAll(ctx, s, m.at)
	m.end()
	if err != nil {
		return err
	}
	return a.drawStore(r)
}

// drawStore prints the result for a whole store.
func (a *app) drawStore(r *inspect.StoreVerification) error {
	a.failed = !r.Holds()
	if a.json {
		return a.printJSON(r)
	}
	if r.Defect != nil {
		a.drawDefect(a.shown(), r.Defect)
	}
	for _, c := range r.Contexts {
		a.drawVerified(c)
	}
	if !a.failed {
		a.printf("%s holds: %s\n", visible(a.shown()), plural(len(r.Contexts), "context"))
	}
	return nil
}

func (a *app) drawVerified(r *inspect.Verification) {
	if r.Defect != nil {
		a.drawDefect(r.Context, r.Defect)
		return
	}
	a.printf("%s %s: %s, %s of nodes\n", visible(r.Context), a.paint.good("holds"), plural(r.Snapshots, "snapshot"),
		plural(r.Versions, "version"))
	if n := r.Snapshots - r.Recorded; n > 0 {
		a.printf("  not recorded: the digests of %s\n", plural(n, "snapshot"))
	}
	if r.Sent > 0 {
		a.printf("  as sent, byte for byte: %s\n", plural(r.Sent, "snapshot"))
	}
	if r.Attempts != nil {
		a.drawAttempts(r.Attempts)
	}
	a.drawErasures(r)
}

func (a *app) drawDefect(name string, d *inspect.Defect) {
	where := cycleText(d.Cycle)
	switch {
	case d.NoCycle:
		where = ""
	case d.Working:
		where = "working"
	}
	a.printf("%s %s\n", visible(name), a.paint.bad("does not hold"))
	rows := [][]string{{"  at", where}, {"  node", visible(d.Node)}, {"  among", visible(strings.Join(d.Suspects, " "))},
		{"  what", visible(d.What)}, {"  recorded", visible(d.Recorded)}, {"  found", visible(d.Found)}}
	if d.Derived {
		rows = append(rows, []string{"  remedy", "nothing is lost: pact db compact makes it anew"})
	}
	for _, row := range rows {
		if row[1] != "" {
			a.printf("%-11s%s\n", row[0], row[1])
		}
	}
}

// maxCycles is how many cycles the text names; --json names all.
const maxCycles = 8

func (a *app) drawAttempts(counts *inspect.AttemptCounts) {
	running := ""
	if counts.Running > 0 {
		running = ", " + a.paint.changed(strconv.Itoa(counts.Running)+" of them running")
	}
	a.printf("  attempts: %d%s\n", counts.Records, running)
	if counts.Matching > 0 {
		a.printf("  committed as a completed attempt was sent: %s\n", plural(counts.Matching, "snapshot"))
	}
	if n := len(counts.Differing); n > 0 {
		var cycles []string
		for _, cycle := range counts.Differing[:min(n, maxCycles)] {
			cycles = append(cycles, cycleText(cycle))
		}
		if n > maxCycles {
			cycles = append(cycles, "and "+strconv.Itoa(n-maxCycles)+" more")
		}
		a.printf("  committed %s than sent: %s\n", a.paint.changed("otherwise"), strings.Join(cycles, " "))
	}
	if counts.Incomplete > 0 {
		a.printf("  no attempt completed: %s\n", plural(counts.Incomplete, "snapshot"))
	}
	if counts.Erased > 0 {
		a.printf("  erased what attempts were sent: %s\n", plural(counts.Erased, "snapshot"))
	}
}

// drawErasures says what erasures removed.
func (a *app) drawErasures(r *inspect.Verification) {
	if r.Remains != "" {
		a.printf("  %s: %s; pact erase --clean finishes it\n", a.paint.changed("not cleaned up"), r.Remains)
	}
	if r.Erased > 0 {
		a.printf("  erased: %s\n", plural(r.Erased, "node"))
	}
	for _, e := range r.Erasures {
		what := plural(len(e.IDs), "node")
		if e.Entries > 0 {
			what += ", log entries: " + strconv.Itoa(e.Entries)
		}
		who := wording.Author(diff.Author{Actor: e.Actor, Message: e.Reason})
		a.printf("    %s  %s  %s\n", shortTime(e.TimeNS), who, what)
	}
}
