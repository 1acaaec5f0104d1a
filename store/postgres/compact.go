package postgres

import (
	"context"

	"github.com/contexttree/pact/fault"
)

// Compact packs all rows that are not drafts, deletes damaged directories and writes those that
// are due. Then it rewrites the tables without the room of deleted, erased and packed rows
// (VACUUM FULL), for which the server needs room for a second copy of each; everybody else
// waits while it rewrites a table. It also finishes the clean-up after earlier erasures. If ctx
// is canceled, the database stays as it was or packed. It returns E_STORE if the tables cannot
// be rewritten, as on an engine without such a statement, or if the user does not own them.
// Cost: reading everything in the store, and writing it once.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.PackAll(ctx); err != nil {
		return err
	}
	last, err := lastUnclean(ctx, s.db)
	if err == nil {
		err = rewrite(ctx, s.db, last)
	}
	switch {
	case err == nil:
		return nil
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
