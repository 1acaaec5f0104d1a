package care

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/spf13/cobra"
)

func copyCommand(a *command.App) *cobra.Command {
	cmd := a.Command("copy")
	cmd.Args = cobra.ArbitraryArgs
	from := cmd.Flags().String("from", "", "copy from this `STORE`, a file or an address; by default the store of --db")
	to := cmd.Flags().String("to", "", "copy to this `STORE`; it is made if it is missing")
	discard := cmd.Flags().Bool("discard", false, "copy nothing: delete what interrupted copies left in --to")
	backsUp := cmd.Flags().String("backup", "", "copy the whole store of --db to `FILE`, as it is at one moment")
	compacts := cmd.Flags().Bool("compact", false, "copy nothing: pack the store of --db, and reclaim space")
	edition := cmd.Flags().String("edition", "", "copy CONTEXT to the new one of `EDITION` 1.0, with the selectors that it keeps")
	force := cmd.Flags().Bool("force", false, "with --edition, also if a selector does not mean the same for sure")
	cmd.MarkFlagsMutuallyExclusive("from", "discard")
	cmd.MarkFlagsMutuallyExclusive("to", "backup", "compact")
	for _, flag := range []string{"from", "to", "backup"} {
		_ = cmd.MarkFlagFilename(flag)
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if *from != "" {
			a.DB = *from
		}
		names, directive := a.CompleteNames(cmd, nil, prefix)
		return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(args, name) }), directive
	}
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		switch {
		case (*backsUp != "" || *compacts) && (len(args) > 0 || *from != ""):
			return command.Usage(cmd, "--backup and --compact take the whole store of --db")
		case *backsUp != "":
			return backup(ctx, a, *backsUp)
		case *compacts:
			return compactStore(ctx, a)
		case *edition != "":
			if len(args) != 2 {
				return command.Usage(cmd, "copy --edition takes the name of a context and of the one to make")
			}
			return migrate(ctx, a, args[0], args[1], cmp.Or(*to, a.DB), selector.Edition(*edition), *force)
		case *to == "":
			return command.Usage(cmd, "copy needs --to, the store to copy to")
		}
		if *discard {
			return discardCopies(ctx, a, *to, args)
		}
		if *from != "" {
			a.DB = *from
		}
		return copyContexts(ctx, a, *to, args)
	})
	return cmd
}

// copyContexts copies contexts from the store of --db to another one.
func copyContexts(ctx context.Context, a *command.App, at string, names []string) error {
	from, err := command.ExistingStoreAt(ctx, a.DB)
	if err != nil {
		return err
	}
	defer from.Close()
	names = slices.Clone(names)
	for i, name := range names { // check the names before making a store that nothing would be copied to
		if names[i], err = a.Named(ctx, from, name); err != nil {
			return err
		}
	}
	to, err := command.OpenStoreAt(ctx, at)
	if err != nil {
		return err
	}
	defer to.Close()
	m := a.Meter("copying")
	copied, err := transfer.Copy(ctx, engine.Of(from), engine.Of(to), names, m.At)
	m.End()
	if err != nil {
		return err
	}
	return a.Show(struct {
		From string `json:"from"`
		To   string `json:"to"`
		*inspect.Copied
	}{a.Shown(), command.ShownStore(at), copied}, func() { drawCopied(a, copied, at) })
}

// discardCopies deletes what interrupted copies left in a store.
func discardCopies(ctx context.Context, a *command.App, at string, names []string) error {
	s, err := command.ExistingStoreAt(ctx, at)
	if err != nil {
		return err
	}
	defer s.Close()
	gone, err := transfer.Discard(ctx, engine.Of(s), names)
	if err != nil {
		return err
	}
	text := "there was no unfinished copy in " + command.ShownStore(at)
	if len(gone) > 0 {
		text = "deleted what was copied of " + strings.Join(screen.Cells(gone...), ", ")
	}
	return a.Answer(text, map[string]any{"discarded": gone})
}

// migrate copies a context to another name in edition 1.0.
func migrate(ctx context.Context, a *command.App, name, made, at string, e selector.Edition, force bool) error {
	c, s, err := a.OpenContext(ctx, name, "")
	if err != nil {
		return err
	}
	defer s.Close()
	to := s
	if at != a.DB {
		if to, err = command.OpenStoreAt(ctx, at); err != nil {
			return err
		}
		defer to.Close()
	}
	_, list, err := c.Migrate(ctx, to, made, e, force)
	if err != nil {
		return err
	}
	text := "copied " + screen.Quote(name) + " to " + screen.Quote(made) + " of edition " + string(e)
	for _, m := range list {
		text += "\nrule " + strconv.Itoa(m.Rule)
		if m.Cycle > 0 {
			text += " of snapshot " + strconv.FormatInt(m.Cycle, 10)
		}
		text += "  " + view.Visible(m.From) + "  became  " +
			view.Visible(cmp.Or(m.To, "nothing: it was left out"))
		for _, doubt := range m.Doubts {
			text += "\n        " + view.Visible(doubt)
		}
	}
	return a.Answer(text, map[string]any{"context": made, "edition": e, "selectors": append([]inspect.Migrated{}, list...)})
}

// drawCopied prints for a person what the copy brought to a store.
func drawCopied(a *command.App, c *inspect.Copied, at string) {
	for _, k := range c.Contexts {
		text := view.Plural(int(k.Snapshots), "snapshot") + ", " + view.Plural(int(k.Revisions), "revision")
		if k.Attempts > 0 {
			text += ", " + view.Plural(k.Attempts, "attempt")
		}
		if k.Resumed > 0 {
			text += " (" + strconv.FormatInt(k.Resumed, 10) + " found from before)"
		}
		a.Printf("%s  %s\n", view.Visible(k.Name), text)
	}
	a.Printf("copied %s to %s, all digests compared\n", view.Plural(len(c.Contexts), "context"), command.ShownStore(at))
}

// compactStore packs the store of --db and reclaims space.
func compactStore(ctx context.Context, a *command.App) error {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if postgres.IsAddress(a.DB) {
		return compactDatabase(ctx, a, s)
	}
	before := command.SizeOf(a.DB)
	remains, err := compact(ctx, a, s, before)
	if err != nil {
		return err
	}
	after := command.SizeOf(a.DB)
	a.Failed = remains != ""
	facts, text := map[string]any{"file": a.DB, "before": before, "after": after}, ""
	if remains != "" {
		facts["remains"], text = remains, "\n"+remains+": pact copy --compact finishes it"
	}
	return a.Answer(a.DB+": "+view.Size(before)+" before, "+view.Size(after)+" now"+text, facts)
}

// compactDatabase compacts a store in a database, which reports no progress.
func compactDatabase(ctx context.Context, a *command.App, s *pact.DB) error {
	if _, err := s.Compact(ctx); err != nil {
		return err
	}
	return a.Answer(a.Shown()+": packed, and its tables are written anew", map[string]any{"store": a.Shown()})
}

// compact compacts a store and shows progress by the size of the log beside the
// file: SQLite writes there before it moves the rows into the file.
func compact(ctx context.Context, a *command.App, s *pact.DB, before int64) (remains string, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		remains, err = s.Compact(ctx)
	}()
	m := a.Meter("compacting")
	defer m.End()
	tick := time.NewTicker(screen.Patience / 10)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return remains, err
		case <-tick.C:
			m.At(int(min(command.SizeOf(a.DB+"-wal"), before)), int(before))
		}
	}
}

// backup copies the file of the store of --db, while others use it.
func backup(ctx context.Context, a *command.App, to string) error {
	if postgres.IsAddress(a.DB) {
		return fault.New(fault.Store, "the store is a database, and no file",
			"pg_dump copies it; pact copy --to copies contexts into a file")
	}
	if err := command.StoreExists(a.DB); err != nil {
		return err
	}
	file, err := sqlite.Open(ctx, a.DB)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Backup(ctx, to); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return err
	}
	return a.Answer(to+": "+view.Size(info.Size()), map[string]any{"file": to, "bytes": info.Size()})
}
