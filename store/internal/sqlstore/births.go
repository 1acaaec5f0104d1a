package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// births caches where nodes are stored, by the cycle of their birth. A generated id names that
// cycle, but looking the id up reads through the rows of the cycle; after a few look-ups in one
// cycle, births therefore reads all its rows at once.
type births struct {
	lookUps map[int64]int            // cycle -> look-ups
	byCycle map[int64]map[string]ref // cycle -> every node that was born in it, by id
}

const (
	fewLookUps = 4       // in one cycle, before births reads all of it
	maxBirths  = 1 << 16 // how many nodes a writer leaves to the next one at most
)

// ref finds the newest version of an id as Store.ref does. Cost: for the nodes of one cycle
// together, the rows of that cycle a few times, and for each node a look-up in an index.
func (b *births) ref(ctx context.Context, s *Store, line lineage, id string) (ref, error) {
	cycle := tree.GeneratedCycle(id)
	if cycle < 0 {
		return s.ref(ctx, line, id)
	}
	if b.byCycle[cycle] == nil {
		if b.lookUps == nil {
			b.lookUps, b.byCycle = make(map[int64]int), make(map[int64]map[string]ref)
		}
		if b.lookUps[cycle]++; b.lookUps[cycle] <= fewLookUps {
			return s.ref(ctx, line, id)
		}
		var err error
		if b.byCycle[cycle], err = s.bornIn(ctx, line, cycle); err != nil {
			return ref{}, err
		}
	}
	for _, p := range slices.Backward(line) { // a later version has another birth, which the index of names finds
		var r ref
		err := s.stmts.namedRef.QueryRowContext(ctx, p.branch, id, p.branch, id, p.upToCycle).Scan(&r.nid, &r.birth)
		if err != sql.ErrNoRows {
			return r, s.fail(ctx, err, "looking up an id")
		}
	}
	if r, ok := b.byCycle[cycle][id]; ok {
		return r, nil
	}
	return s.ref(ctx, line, id)
}

// bornIn reads where the nodes that were born in a cycle are stored, by id.
func (s *Store) bornIn(ctx context.Context, line lineage, cycle int64) (map[string]ref, error) {
	all := make(map[string]ref)
	for _, p := range line {
		if cycle > p.upToCycle {
			continue
		}
		rows, err := s.stmts.bornIn.QueryContext(ctx, p.branch, cycle)
		if err != nil {
			return nil, s.fail(ctx, err, "looking up ids")
		}
		for rows.Next() {
			r, id := ref{birth: cycle}, ""
			if err = rows.Scan(&id, &r.nid); err != nil {
				break
			}
			all[id] = r
		}
		if err == nil {
			err = rows.Err()
		}
		rows.Close()
		if err == nil {
			err = s.eachPackedIn(ctx, p.branch, cycle, func(r *page.Row) {
				if !r.Dead() {
					all[r.ID] = ref{r.NID, cycle}
				}
			})
		}
		if err != nil {
			return nil, s.fail(ctx, err, "looking up ids")
		}
	}
	return all, nil
}

// set records where the newest version of a node is.
func (b *births) set(id string, r ref) {
	if all := b.byCycle[tree.GeneratedCycle(id)]; all != nil {
		all[id] = r
	}
}

// forget drops a node that was removed.
func (b *births) forget(id string) { delete(b.byCycle[tree.GeneratedCycle(id)], id) }

// carried returns the cache for the next writer, or an empty one if it has more than maxBirths.
func (b births) carried() births {
	n := 0
	for _, all := range b.byCycle {
		n += len(all)
	}
	if n > maxBirths {
		return births{}
	}
	return b
}
