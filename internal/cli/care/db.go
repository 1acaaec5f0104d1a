package care

import (
	"context"
	"os"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"

	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/spf13/cobra"
)

func dbCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "db",
		Short:   "Look after the store",
		Long:    `Look after the store.`,
		Example: "  pact db check\n  pact db compact\n  pact db backup backups/monday.db",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.Usage(cmd, "pact db has no command %s", screen.Quote(args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(backupCommand(a), checkCommand(a), compactCommand(a))
	return cmd
}

func checkCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the whole store",
		Long: `Check the whole store, as pact verify --all does: let the database check its own
structures (in a file, PRAGMA integrity_check), look for rows that belong to no
context, and verify every context. The exit code is 1 if something is wrong. Other
processes may read and write meanwhile.`,
		Example: "  pact db check\n  pact db check --db backups/monday.db --json",
		Args:    cobra.NoArgs,
		RunE: a.OnStore(func(ctx context.Context, s *pact.DB, _ []string) error {
			return verifyAll(ctx, a, s)
		}),
	}
}

func compactCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Pack settled rows and give free room back to the disk",
		Long: `Join all commits but the last of each context, make checkpoints anew that are damaged,
rewrite the file of the store without the room of deleted, erased and packed rows,
and print how many bytes the file and the log beside it had before and have now. The
disk needs room for a second copy of the file. Other processes may read meanwhile; if
one does, the file does not shrink: the answer says so, the exit code is 1, and the
command can be repeated. Writers wait, and may get E_BUSY. Ctrl-C leaves the store as
it was. The tables of a database are rewritten one by one (VACUUM FULL); all other
processes wait meanwhile.`,
		Example: "  pact db compact\n  pact db compact --db runs.db --json",
		Args:    cobra.NoArgs,
		RunE: a.OnStore(func(ctx context.Context, s *pact.DB, _ []string) error {
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
				facts["remains"], text = remains, "\n"+remains+": pact db compact finishes it"
			}
			return a.Answer(a.DB+": "+view.Size(before)+" before, "+view.Size(after)+" now"+text, facts)
		}),
	}
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

func backupCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store, while others use it",
		Long: `Copy the store, as it is at one moment, to FILE, with all contexts, drafts, logs and
attempts. Other processes may read and write meanwhile. FILE appears when it is
complete and on the disk; it replaces a file of that name. It is a store itself:
--db FILE reads it, pact verify checks it. Do not copy the file and the log beside it by other means: two copies
made while a process writes can be a damaged store.`,
		Example: "  pact db backup backups/monday.db\n  pact verify chat --db backups/monday.db",
		Args:    command.Exactly("FILE"),
		RunE: a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if postgres.IsAddress(a.DB) {
				return fault.New(fault.Store, "the store is a database, and no file",
					"pg_dump copies it; pact copy copies contexts into a file")
			}
			if err := command.StoreExists(a.DB); err != nil {
				return err
			}
			file, err := sqlite.Open(ctx, a.DB)
			if err != nil {
				return err
			}
			defer file.Close()
			if err := file.Backup(ctx, args[0]); err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			return a.Answer(args[0]+": "+view.Size(info.Size()), map[string]any{"file": args[0], "bytes": info.Size()})
		}),
	}
}
