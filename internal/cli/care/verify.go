package care

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"

	"github.com/spf13/cobra"
)

func verifyCommand(a *command.App) *cobra.Command {
	cmd := a.Command("verify")
	cmd.Args = cobra.ArbitraryArgs
	flags, hash := a.SourceFlags(cmd), newHashFlags(cmd)
	all := cmd.Flags().Bool("all", false, "check the whole store")
	export := cmd.Flags().Bool("export", false, "with --file: import the history, export it again and compare it byte for byte")
	for _, pair := range [][]string{{"all", "hash"}, {"all", "export"}, {"all", "file"}, {"export", "hash"}} {
		cmd.MarkFlagsMutuallyExclusive(pair...)
	}
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		named := len(args) > 0 || flags.File != ""
		switch {
		case hash.given():
			return hash.print(ctx, a, cmd, flags, args)
		case *all == named || len(args) > 1 || len(args) > 0 && flags.File != "":
			return command.Usage(cmd, "verify takes the NAME of a context, --file FILE or --all")
		case *export:
			return replay(ctx, a, flags.File)
		case flags.File != "":
			return validate(ctx, a, flags)
		}
		return verifyStore(ctx, a, args)
	})
	return cmd
}

// verifyStore checks the context of a name, without one the whole store.
func verifyStore(ctx context.Context, a *command.App, name []string) error {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	m := a.Meter("verifying")
	defer m.End()
	if len(name) > 0 {
		meant, err := a.Named(ctx, s, name[0])
		if err != nil {
			return err
		}
		r, err := pact.Verify(ctx, s, meant, m.At)
		if err == nil {
			err = record.VerifyRequests(ctx, s, r)
		}
		return reportVerified(a, r, err, func() { drawVerified(a, r) })
	}
	r, err := pact.VerifyAll(ctx, s, m.At)
	for i := 0; err == nil && i < len(r.Contexts); i++ {
		err = record.VerifyRequests(ctx, s, r.Contexts[i])
	}
	return reportVerified(a, r, err, func() {
		if r.Defect != nil {
			drawDefect(a, a.Shown(), r.Defect)
		}
		for _, c := range r.Contexts {
			drawVerified(a, c)
		}
		if !a.Failed {
			a.Printf("%s holds: %s\n", view.Visible(a.Shown()), view.Plural(len(r.Contexts), "context"))
		}
	})
}

// reportVerified prints the result of a check.
func reportVerified(a *command.App, r interface{ Holds() bool }, err error, draw func()) error {
	if err != nil {
		return err
	}
	a.Failed = !r.Holds()
	return a.Show(r, draw)
}

func drawVerified(a *command.App, r *inspect.Verification) {
	if r.Defect != nil {
		drawDefect(a, r.Context, r.Defect)
		return
	}
	a.Printf("%s %s: %s, %s of nodes\n", view.Visible(r.Context), a.Paint.Good("holds"), view.Plural(r.Snapshots, "snapshot"),
		view.Plural(r.Versions, "version"))
	if n := r.Snapshots - r.Recorded; n > 0 {
		a.Printf("  not recorded: the digests of %s\n", view.Plural(n, "snapshot"))
	}
	if r.Sent > 0 {
		a.Printf("  as sent, byte for byte: %s\n", view.Plural(r.Sent, "snapshot"))
	}
	if r.Attempts != nil {
		drawAttempts(a, r.Attempts)
	}
	drawErasures(a, r)
}

func drawDefect(a *command.App, name string, d *inspect.Defect) {
	where := view.Cycle(d.Cycle)
	switch {
	case d.NoCycle:
		where = ""
	case d.Working:
		where = "working"
	}
	a.Printf("%s %s\n", view.Visible(name), a.Paint.Bad("does not hold"))
	rows := [][]string{{"  at", where}, {"  node", view.Visible(d.Node)}, {"  among", view.Visible(strings.Join(d.Suspects, " "))},
		{"  what", view.Visible(d.What)}, {"  recorded", view.Visible(d.Recorded)}, {"  found", view.Visible(d.Found)}}
	if d.Derived {
		rows = append(rows, []string{"  remedy", "nothing is lost: pact copy --compact makes it anew"})
	}
	for _, row := range rows {
		if row[1] != "" {
			a.Printf("%-11s%s\n", row[0], row[1])
		}
	}
}

// maxShown is how many cycles or attempts the text names; --json names all.
const maxShown = 8

func drawAttempts(a *command.App, counts *inspect.AttemptCounts) {
	running := ""
	if counts.Running > 0 {
		running = ", " + a.Paint.Changed(strconv.Itoa(counts.Running)+" of them running")
	}
	a.Printf("  attempts: %d%s\n", counts.Records, running)
	if counts.Matching > 0 {
		a.Printf("  committed as a completed attempt was sent: %s\n", view.Plural(counts.Matching, "snapshot"))
	}
	if n := len(counts.Differing); n > 0 {
		var cycles []string
		for _, cycle := range counts.Differing {
			cycles = append(cycles, view.Cycle(cycle))
		}
		a.Printf("  committed %s than sent: %s\n", a.Paint.Changed("otherwise"), someOf(cycles))
	}
	if counts.Incomplete > 0 {
		a.Printf("  no attempt completed: %s\n", view.Plural(counts.Incomplete, "snapshot"))
	}
	if counts.Erased > 0 {
		a.Printf("  erased what attempts were sent: %s\n", view.Plural(counts.Erased, "snapshot"))
	}
	if counts.Restored > 0 {
		a.Printf("  restored byte for byte: %s\n", view.Plural(counts.Restored, "request"))
	}
	if len(counts.Unrestored) > 0 {
		a.Printf("  requests %s: %s; pact request says why\n", a.Paint.Changed("not restored"), someOf(counts.Unrestored))
	}
}

// someOf names the first of a list.
func someOf(names []string) string {
	if n := len(names) - maxShown; n > 0 {
		names = append(names[:maxShown:maxShown], "and "+strconv.Itoa(n)+" more")
	}
	return strings.Join(names, " ")
}

// drawErasures lists the erasures.
func drawErasures(a *command.App, r *inspect.Verification) {
	if r.Remains != "" {
		a.Printf("  %s: %s; pact erase --clean finishes it\n", a.Paint.Changed("not cleaned up"), r.Remains)
	}
	if r.Erased > 0 {
		a.Printf("  erased: %s\n", view.Plural(r.Erased, "node"))
	}
	for _, e := range r.Erasures {
		what := view.Plural(len(e.IDs), "node")
		if e.Entries > 0 {
			what += ", log entries: " + strconv.Itoa(e.Entries)
		}
		who := view.Author(diff.Author{Actor: e.Actor, Message: e.Reason})
		a.Printf("    %s  %s  %s\n", view.Time(e.TimeNS), who, what)
	}
}
