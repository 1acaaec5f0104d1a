package cli

import (
	"context"
	"os"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/spf13/cobra"
)

func (a *app) dbCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "db",
		Short:   "Look after the store",
		Long:    `Look after the store.`,
		Example: "  pact db check\n  pact db compact\n  pact db backup backups/monday.db",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, "pact db has no command %s", quote(args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.backupCommand(), a.checkCommand(), a.compactCommand())
	return cmd
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the whole store",
		Long: `Check the whole store, as pact verify --all does: let the database check its own
structures (in a file, PRAGMA integrity_check), look for rows that belong to no
context, and verify every context. The exit code is 1 if something is wrong. Other
processes may read and write meanwhile.`,
		Example: "  pact db check\n  pact db check --db backups/monday.db --json",
		Args:    cobra.NoArgs,
		RunE: a.does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			s, err := a.existingStore(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			return a.verifyAll(ctx, s)
		}),
	}
}

func (a *app) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Pack settled rows and give free room back to the disk",
		Long: `Pack the rows of all commits into pages, make directories anew that are damaged,
rewrite the file of the store without the room of deleted, erased and packed rows,
and print how many bytes the file and the log beside it had before and have now. The
disk needs room for a second copy of the file. Other processes may read meanwhile; if
one does, the file does not shrink: the answer says so, the exit code is 1, and the
command can be repeated. Writers wait, and may get E_BUSY. Ctrl-C leaves the store as
it was. The tables of a database are rewritten one by one (VACUUM FULL); everybody
else waits meanwhile.`,
		Example: "  pact db compact\n  pact db compact --db runs.db --json",
		Args:    cobra.NoArgs,
		RunE: a.does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			s, err := a.existingStore(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			file, ok := s.(*sqlite.Store)
			if !ok {
				return a.compactDatabase(ctx, s)
			}
			before := sizeOf(a.db)
			remains, err := a.compact(ctx, file, before)
			if err != nil {
				return err
			}
			after := sizeOf(a.db)
			a.failed = remains != ""
			facts, text := map[string]any{"file": a.db, "before": before, "after": after}, ""
			if remains != "" {
				facts["remains"], text = remains, "\n"+remains+": pact db compact finishes it"
			}
			return a.answer(a.db+": "+bytesText(before)+" before, "+bytesText(after)+" now"+text, facts)
		}),
	}
}

// compactDatabase compacts a store in a database, which reports no progress.
func (a *app) compactDatabase(ctx context.Context, s store.Store) error {
	database, err := store.Power[*postgres.Store](s)
	if err != nil {
		return err
	}
	if err := database.Compact(ctx); err != nil {
		return err
	}
	return a.answer(a.shown()+": packed, and its tables are written anew", map[string]any{"store": a.shown()})
}

// compact compacts a store and shows progress by the size of the log beside the
// file: SQLite writes there before it moves the rows into the file.
func (a *app) compact(ctx context.Context, s *sqlite.Store, before int64) (remains string, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		remains, err = s.Compact(ctx)
	}()
	m := a.meter("compacting")
	defer m.end()
	tick := time.NewTicker(patience / 10)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return remains, err
		case <-tick.C:
			m.at(int(min(sizeOf(a.db+"-wal"), before)), int(before))
		}
	}
}

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store, while others use it",
		Long: `Copy the store, as it is at one moment, to FILE, with all contexts, drafts, logs and
attempts. Other processes may read and write meanwhile. FILE appears when it is
complete and on the disk; it replaces a file of that name. It is a store itself:
--db FILE reads it, pact verify checks it. Do not copy the file and the log beside it by other means: two copies
made while a process writes can be a damaged store.`,
		Example: "  pact db backup backups/monday.db\n  pact verify chat --db backups/monday.db",
		Args:    exactly("FILE"),
		RunE: a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := a.existingStore(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			file, ok := s.(*sqlite.Store)
			if !ok {
				return fault.New(fault.Store, "the store is a database, and no file",
					"pg_dump copies it; pact copy copies contexts into a file")
			}
			if err := file.Backup(ctx, args[0]); err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			return a.answer(args[0]+": "+bytesText(info.Size()), map[string]any{"file": args[0], "bytes": info.Size()})
		}),
	}
}
