package postgres

import (
	"context"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Compact joins all cycles of each context but the last one. Then it rewrites the tables without the
// room of deleted, erased and joined rows (VACUUM FULL), for which the server needs room for a second
// copy of each; everybody else waits while it rewrites a table. It also finishes the clean-up after
// earlier erasures. If ctx is canceled, the database stays as it was or joined. It returns E_STORE if
// the tables cannot be rewritten, as on an engine without such a statement, or if the user does not
// own them. Cost: reading everything in the store, and writing it once.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.SettleAll(ctx); err != nil {
		return err
	}
	err := rewrite(ctx, s.db)
	switch {
	case err == nil:
		_, err = s.Erase(ctx, 0, store.Erase{}) // nothing of what erasures left is there any more
		return err
	case ctx.Err() != nil:
		return fault.Wrap(fault.Store, ctx.Err(), "the tables were not written anew: the call was interrupted", "")
	}
	code, why, remedy := explain(err)
	message := "the tables were not written anew"
	if why != "" {
		message += ": " + why
	}
	return fault.Wrap(code, err, message, remedy)
}
