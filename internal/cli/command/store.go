package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/internal/safefile"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/spf13/cobra"
)

// Confirm asks a question on the terminal.
func (a *App) Confirm(question string) bool {
	a.Err.Write([]byte(question + " [y/N] "))
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// MustConfirm asks before what cannot be undone. Without a terminal, or a yes, it returns the error that nothing was done.
func (a *App) MustConfirm(nothing, because, remedy, question string) error {
	switch {
	case !a.InTerminal || !a.ErrTerminal || a.JSON:
		return fault.New(fault.Usage, nothing+", because "+because+" cannot be undone", remedy)
	case !a.Confirm(question):
		return fault.New(fault.Conflict, nothing, "repeat the command, and answer with y")
	}
	return nil
}

// SizeOf returns the size of the store, including the log that SQLite has not
// yet moved into the file.
func SizeOf(db string) (bytes int64) {
	for _, name := range [...]string{db, db + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// OpenStore opens the store of --db, and makes it if it is missing.
func (a *App) OpenStore(ctx context.Context) (*pact.DB, error) {
	db, err := OpenStoreAt(ctx, a.DB)
	return a.preferring(db, err)
}

// RecordingStore is OpenStore for a proxy: what it could not record, it does not let begin.
func (a *App) RecordingStore(ctx context.Context) (*pact.DB, error) {
	s, err := storeAt(ctx, a.DB, false)
	if err != nil {
		return nil, err
	}
	// The store writes in all ways that a recorder needs, then meets a record that is not there and takes all back.
	const at = store.MaxSpace
	try := store.Batch{Append: []store.Record{{Space: at, Number: 1}}, Put: []store.Pair{{Key: store.Key{Space: at}}},
		Replace: []store.Record{{Space: at, Number: store.MaxNumber}}}
	if err := s.Write(ctx, &try); !errors.Is(err, store.ErrRefused) {
		return nil, errors.Join(err, s.Close())
	}
	return a.preferring(pact.NewDB(s), nil)
}

// GatheredStore is OpenStore for a command that makes many changes, none of which anybody waits for: they are durable
// when what it returns beside the contexts was flushed, or is closed.
func (a *App) GatheredStore(ctx context.Context) (*pact.DB, *gathered.Store, error) {
	s, err := storeAt(ctx, a.DB, false)
	if err != nil {
		return nil, nil, err
	}
	to := gathered.New(s)
	db, err := a.preferring(pact.NewDB(to), nil)
	return db, to, err
}

// EditionNames are the editions that a flag takes.
const EditionNames = "v0.1, depth, canonical or 1.0"

// NewEdition is the edition of new contexts: canonical, unless PACT_EDITION names another.
func (a *App) NewEdition() string { return a.Getenv("PACT_EDITION", string(selector.Canonical)) }

// preferring returns the contexts of a store, where new ones get the edition of PACT_EDITION.
func (a *App) preferring(db *pact.DB, err error) (*pact.DB, error) {
	if err != nil {
		return nil, err
	}
	if db.Edition, err = selector.ParseEdition(a.NewEdition()); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// OpenStoreAt opens a store, and makes it if it is missing.
func OpenStoreAt(ctx context.Context, at string) (*pact.DB, error) {
	return dbOf(storeAt(ctx, at, false))
}

// ExistingStoreAt opens a store that must exist.
func ExistingStoreAt(ctx context.Context, at string) (*pact.DB, error) {
	return dbOf(storeAt(ctx, at, true))
}

func storeAt(ctx context.Context, at string, existing bool) (store.Store, error) {
	switch isAddress := postgres.IsAddress(at); {
	case isAddress && existing:
		return postgres.OpenExisting(ctx, at)
	case isAddress:
		return postgres.Open(ctx, at)
	case existing:
		if err := StoreExists(at); err != nil {
			return nil, err
		}
	}
	if err := refuseScheme(at); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, at)
}

// refuseScheme returns E_USAGE for the address of something that pact has no store for, which
// would otherwise be taken for a path. It shows the scheme alone: the rest may have a password.
func refuseScheme(at string) error {
	scheme, _, is := strings.Cut(at, "://")
	if !is || strings.ContainsAny(scheme, `/\`) {
		return nil
	}
	return fault.New(fault.Usage, "pact cannot keep a store at "+scheme+"://",
		"name a file, or a database as postgres://user@host/database")
}

// ExistingStore opens the store of --db for a command that needs it to exist.
func (a *App) ExistingStore(ctx context.Context) (*pact.DB, error) {
	db, err := ExistingStoreAt(ctx, a.DB)
	return a.preferring(db, err)
}

// StoreExists returns E_NOT_FOUND if there is no file of a store.
func StoreExists(at string) error {
	if err := refuseScheme(at); err != nil {
		return err
	}
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return fault.At(fault.NotFound, fault.NoOffset, at, "there is no store "+at, "name one that is there")
	}
	return nil
}

// Shown returns what --db names, without a password.
func (a *App) Shown() string { return ShownStore(a.DB) }

// ShownStore returns the name or address of a store, without a password.
func ShownStore(at string) string {
	if postgres.IsAddress(at) {
		return postgres.Shown(at)
	}
	return at
}

// dbOf returns the contexts of a store that was opened.
func dbOf(s store.Store, err error) (*pact.DB, error) {
	if err != nil {
		return nil, err
	}
	return pact.NewDB(s), nil
}

// OnStore makes the RunE of a command that works on a store, which must exist.
func (a *App) OnStore(work func(ctx context.Context, s *pact.DB, args []string) error) func(*cobra.Command,
	[]string) error {
	return a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		s, err := a.ExistingStore(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		return work(ctx, s, args)
	})
}

// OnContext makes the RunE of a command that works on the context which its first argument names. rest
// are the arguments behind that. actor is who does it, nil for a command that changes nothing.
func (a *App) OnContext(actor *string, work func(ctx context.Context, cmd *cobra.Command, c *pact.Context, s *pact.DB,
	rest []string) error) func(*cobra.Command, []string) error {
	return a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		var c *pact.Context
		var s *pact.DB
		var err error
		if actor == nil {
			c, s, err = a.LookAt(ctx, args[0], pact.OpenOptions{})
		} else {
			c, s, err = a.OpenContext(ctx, args[0], *actor)
		}
		if err != nil {
			return err
		}
		defer s.Close()
		return work(ctx, cmd, c, s, args[1:])
	})
}

// OpenContext opens a context for a command that may change it. The caller closes the store.
func (a *App) OpenContext(ctx context.Context, name, actor string) (*pact.Context, *pact.DB, error) {
	return a.open(ctx, pact.OpenOptions{Actor: actor}, func(s *pact.DB) (string, error) { return name, a.Exactly(ctx, s, name) })
}

// LookAt opens a context, by its name or a part of it, for a command that changes nothing. The caller closes the store.
func (a *App) LookAt(ctx context.Context, name string, o pact.OpenOptions) (*pact.Context, *pact.DB, error) {
	return a.open(ctx, o, func(s *pact.DB) (string, error) { return a.Named(ctx, s, name) })
}

// open opens the context that a command is about.
func (a *App) open(ctx context.Context, o pact.OpenOptions, named func(s *pact.DB) (string, error)) (*pact.Context, *pact.DB, error) {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	var c *pact.Context
	full, err := named(s)
	if err == nil {
		c, err = pact.Open(ctx, s, full, &o)
	}
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return c, s, nil
}

// ActorFlag adds --actor.
func (a *App) ActorFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("actor", a.Getenv("USER", ""), "`WHO` does it, for the log")
}

// CompleteNames completes the first argument with the names of contexts, and
// those behind it with what the context has.
func (a *App) CompleteNames(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	file := cmd.Flags().Lookup("file")
	switch {
	case file != nil && file.Changed:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case len(args) > 0:
		return a.completeRest(cmd, args, prefix)
	}
	s, err := a.ExistingStore(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.Close()
	list, err := pact.List(cmd.Context(), s)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, info := range list {
		if strings.HasPrefix(info.Name, prefix) {
			names = append(names, info.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeFilesToo leaves the names of files to the shell, where the name of a context may stand for one.
func (a *App) completeFilesToo(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := a.CompleteNames(cmd, args, prefix)
	return names, cobra.ShellCompDirectiveDefault
}

// ReplaceFile writes a file under a temporary name and renames it when it is
// complete and on the disk. It refuses to replace the store.
func (a *App) ReplaceFile(name string, write func(io.Writer) error) error {
	if there, err := os.Stat(name); err == nil {
		if db, err := os.Stat(a.DB); err == nil && os.SameFile(there, db) {
			return fault.New(fault.Usage, name+" is the store", "name another file")
		}
	}
	return safefile.Replace(name, func(f *os.File) error {
		w := bufio.NewWriterSize(f, screen.FlushAt)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}
