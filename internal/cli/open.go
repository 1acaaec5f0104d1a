package cli

import (
	"context"
	"os"
	"slices"
	"strconv"

	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

func (a *app) openCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open FILE",
		Short: "Import a conversation and say what is in it",
		Long: `Import a document, a history or a transcript (see pact import) and print what is
in it. For each cycle, which is one model call, this is the turn that it added, and
the nodes, blocks and bytes of its thread; then how much of the thread before it
repeats from the beginning, in whole blocks and in bytes, and where the two first
differ ("complete" if it repeats all of it). Providers cache by that prefix. Commands
to try next follow.

If a context of that name was made of the same file, it is reported as it is.`,
		Example: `  pact open conversation.json
  pact open results.json --conversation 17 --all
  pact open run.traj --db runs.db --name run-17 --json`,
		Args: exactly("FILE"),
	}
	flags := a.importFlags(cmd)
	all := cmd.Flags().Bool("all", false, "list every cycle and every context")
	cmd.Flags().Bool("no-browser", false, "never start a browser")
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		in, err := a.plan(ctx, args[0], flags)
		if err != nil {
			return err
		}
		f := &openReport{File: in.name, Kind: in.kind}
		f.Store.Path = a.shown()
		before := sizeOf(a.db)
		s, err := a.openStore(ctx)
		if err != nil {
			return err
		}
		list, err := a.examine(ctx, s, in, f)
		if closed := s.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		f.Store.Bytes = sizeOf(a.db)
		if !slices.ContainsFunc(list, func(l imported) bool { return l.existed }) {
			f.Store.Grew = f.Store.Bytes - before
		}
		f.Next = a.next(f)
		if a.json {
			return a.printJSON(f)
		}
		a.drawOpenReport(f, *all)
		return nil
	})
	return cmd
}

// examine imports a file and describes the contexts that it gave.
func (a *app) examine(ctx context.Context, s store.Store, in *plan, f *openReport) ([]imported, error) {
	list, err := a.importAll(ctx, s, in, true)
	if err != nil {
		return nil, err
	}
	f.Contexts = make([]openedContext, len(list))
	total := 0
	for _, l := range list {
		first, last := l.context.Cycles()
		total += int(last - first + 1)
	}
	m, done := a.meter("comparing"), 0
	defer m.end()
	for i, l := range list {
		f.Contexts[i], err = describeContext(ctx, l, func() { done++; m.at(done, total) })
		if err != nil {
			return nil, err
		}
		f.ThreadBytes += f.Contexts[i].ThreadBytes
	}
	return list, nil
}

// sizeOf returns the size of the store, including the log that SQLite has not
// yet moved into the file.
func sizeOf(db string) (bytes int64) {
	for _, name := range [...]string{db, db + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// next returns commands to try, ready to paste. They are about the context
// whose prefix broke most often.
func (a *app) next(f *openReport) []string {
	of, breaks := &f.Contexts[0], []int64(nil)
	for i := range f.Contexts {
		if b, _ := f.Contexts[i].breaks(); len(b) > len(breaks) {
			of, breaks = &f.Contexts[i], b
		}
	}
	db := a.inStore()
	name := quote(of.Name)
	if len(of.Cycles) == 0 {
		return []string{"pact show " + name + db, "pact commit " + name + db, "pact thread " + name + " working" + db}
	}
	list := []string{"pact show " + name + " @t0" + db}
	switch {
	case len(breaks) > 0:
		at := breaks[0]
		list = append(list, "pact diff "+name+" @c"+strconv.FormatInt(at-1, 10)+" @c"+strconv.FormatInt(at, 10)+db)
	case len(of.Cycles) > 1:
		list = append(list, "pact diff "+name+" @t-1 @t0"+db)
	}
	words := of.Edition.Traits()
	if of.newest != "" {
		list = append(list, "pact select "+name+" "+quote("@t0 ^seq ."+words.TurnType+":depth(1-3) ."+words.BlockType)+db)
		list = append(list, "pact hash "+name+" @t0 --node "+quote(of.newest)+db)
	} else {
		list = append(list, "pact select "+name+" "+quote("@* ."+words.BlockType)+db)
	}
	return append(list, "pact thread "+name+" @t0 --as openai"+db)
}
