package postgres

import (
	"context"

	"github.com/contexttree/pact/fault"
)

// Compact packs all rows that are not drafts, deletes directories that are damaged, writes
// those that are due, and then writes the tables anew without the room of deleted, erased
// and packed rows (VACUUM FULL), for which the server needs room for a second copy of each.
// Everybody else waits while a table is written. It cleans up what earlier erasures left
// besides. If ctx is canceled, the database stays as it was or packed. It returns E_STORE if
// the tables cannot be written anew, as on an engine that has no such statement, or where
// the user does not own them. Cost: reading everything that is stored, and writing it once.
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
