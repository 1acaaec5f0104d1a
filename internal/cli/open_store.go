package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// openStore opens the store of --db, and makes it if it is missing.
func (a *app) openStore(ctx context.Context) (store.Complete, error) { return openStoreAt(ctx, a.db) }

// openStoreAt opens a store, and makes it if it is missing.
func openStoreAt(ctx context.Context, at string) (store.Complete, error) {
	if postgres.IsAddress(at) {
		return orNil(postgres.Open(ctx, at))
	}
	if err := refuseScheme(at); err != nil {
		return nil, err
	}
	return orNil(sqlite.Open(ctx, at))
}

// refuseScheme returns E_STORE for the address of something that pact has no store for, which
// would otherwise be taken for a path. It shows the scheme alone: the rest may have a password.
func refuseScheme(at string) error {
	scheme, _, is := strings.Cut(at, "://")
	if !is || strings.ContainsAny(scheme, `/\`) {
		return nil
	}
	return fault.New(fault.Store, "pact cannot keep a store at "+scheme+"://",
		"name a file, or a database as postgres://user@host/database")
}

// existingStore opens the store of --db for a command that needs it to exist.
func (a *app) existingStore(ctx context.Context) (store.Complete, error) {
	return existingStoreAt(ctx, a.db)
}

// existingStoreAt opens a store that must exist.
func existingStoreAt(ctx context.Context, at string) (store.Complete, error) {
	if postgres.IsAddress(at) {
		return orNil(postgres.OpenExisting(ctx, at))
	}
	if err := refuseScheme(at); err != nil {
		return nil, err
	}
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.At(fault.Store, fault.NoOffset, at, "there is no store "+at, "")
	}
	return openStoreAt(ctx, at)
}

// shown returns what --db names, without a password.
func (a *app) shown() string { return shownStore(a.db) }

// shownStore returns the name or address of a store, without a password.
func shownStore(at string) string {
	if postgres.IsAddress(at) {
		return postgres.Shown(at)
	}
	return at
}

// orNil turns a store that failed to open into nil.
func orNil[S store.Complete](s S, err error) (store.Complete, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// openContext opens a context for a command that changes it. counter counts
// tokens, nil for none. The caller closes the store.
func (a *app) openContext(ctx context.Context, name, actor string, counter tree.Counter) (*pact.Context, store.Complete,
	error) {
	a.subject = quote(name)
	s, err := a.existingStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := pact.Open(ctx, s, name, &pact.OpenOptions{Actor: actor, Counter: counter})
	if err != nil {
		if fault.CodeOf(err) == fault.ContextNotFound {
			a.nearest = nearestName(ctx, s, name)
		}
		s.Close()
		return nil, nil, err
	}
	return c, s, nil
}

// nearestName returns the name of the context that was meant by another name: one letter is
// different, or only one context has a name that begins so. It is "" if there is none.
func nearestName(ctx context.Context, s store.Store, name string) (nearest string) {
	list, err := s.Contexts(ctx)
	if err != nil {
		return "" // the error that is reported already says more
	}
	begun := 0
	for _, c := range list {
		if oneLetterAway(name, c.Name) || strings.EqualFold(name, c.Name) {
			return c.Name
		}
		if name != "" && strings.HasPrefix(c.Name, name) {
			begun++
			nearest = c.Name
		}
	}
	if begun != 1 {
		return ""
	}
	return nearest
}

// actorFlag adds --actor.
func (a *app) actorFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("actor", a.getenv("USER", ""), "`WHO` does it, for the log")
}

// completeNames completes the first argument with the names of contexts, and
// those behind it with what the context has.
func (a *app) completeNames(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	file := cmd.Flags().Lookup("file")
	switch {
	case file != nil && file.Changed:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case len(args) > 0:
		return a.completeRest(cmd, args, prefix)
	}
	s, err := a.existingStore(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.Close()
	list, err := s.Contexts(cmd.Context())
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

// quote quotes a word for a shell.
func quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=",
			r))
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
