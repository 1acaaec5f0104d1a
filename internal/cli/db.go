package cli

import (
	"context"
	"os"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/spf13/cobra"
)

func (a *app) dbCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "db",
		Short:   "Look after the file of the store",
		Long:    `Look after the file of the store.`,
		Example: "  pact db backup backups/monday.db",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, "pact db has no command %s", quote(args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.backupCommand())
	return cmd
}

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store, while others use it",
		Long: `Copy the store as it is at one moment to FILE, with all contexts, drafts, logs and
attempts. Others may read and write while it does. FILE appears when it is complete
and on the disk, and is a store itself: --db FILE reads it, pact verify checks it.
No other copy is safe: the file and the log beside it, copied apart while a process
writes, make a damaged store.`,
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
				return fault.New(fault.Store, "the store is a database, and no file", "pg_dump copies it; pact copy copies contexts into a file")
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
