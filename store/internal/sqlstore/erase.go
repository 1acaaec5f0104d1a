package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// maxTries is how often Erase plans again because other writers changed the family meanwhile.
const maxTries = 8

// Erase implements store.Eraser. It plans everything before it takes the lock, and plans again
// if another writer changed the family meanwhile. Cost: the rows of all contexts of the family,
// and the snapshots from the first one that changes; in memory the trees of one context at a
// time, two digests for each of these snapshots, and what is written.
func (s *Store) Erase(ctx context.Context, key store.Key, e store.Erase) (*store.Erased, error) {
	switch {
	case e.Nothing() && e.DryRun:
		return s.pending(ctx)
	case e.Nothing():
		return s.clean(ctx, &store.Erased{}, nil)
	}
	if _, err := s.state(ctx, nil, key); err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	for range maxTries {
		x := &erasure{Erase: e, ctx: ctx, store: s, finder: e.Finder()}
		err := x.plan(key)
		if moved, failed := x.familyMoved(nil); failed == nil && moved {
			continue // the plan, and its error, mixed two states of the family
		}
		if err != nil {
			return nil, err
		}
		if e.DryRun || len(x.newEntries) == 0 {
			return s.unchanged(ctx, x)
		}
		if e.Before != nil && len(x.rows) > 0 {
			if err := e.Before(); err != nil {
				return nil, err
			}
		}
		moved := false
		err = s.transact(ctx, "erasing", func(w *writer) error {
			var err error
			if moved, err = x.familyMoved(w.tx); err != nil || moved {
				return err
			}
			return x.write(w)
		})
		if moved || s.dialect.IsConstraint(err) {
			continue
		}
		if err == nil {
			x.dropCached()
		}
		return s.clean(ctx, &x.total, err)
	}
	return nil, fault.New(fault.Conflict, "other writers changed the contexts during every attempt",
		"nothing was erased: repeat the call")
}

// erasure is one erasure: its plan and its progress.
type erasure struct {
	store.Erase
	ctx    context.Context
	store  *Store
	finder *store.Finder

	line       lineage   // of the context that the caller named
	family     []*branch // origins before their forks
	byKey      map[store.Key]*branch
	ids        map[string]bool
	entries    map[logKey]bool // of the log, to blank
	rows       []version
	logs       []logRow
	newEntries []newEntry
	links      map[logKey]linkPair // by the entry at which forks begin
	total      store.Erased

	done, all int // trees walked and in all, for Progress
}

// branch is a context of the family, or what a deleted one left to its forks.
type branch struct {
	store.Info
	deleted bool
	next    int64 // the next free nid
	chain   []byte
	digest  []byte               // of the last row of the log
	forks   []*branch            // in the order of the cycle at which they begin
	digests map[int64]digestPair // by cycle, for cycles in which a row of the lineage changes
	working digestPair

	attempts      []attemptRow   // its own that change
	attemptCycles map[int64]bool // in which it has attempts of its own

	// What changes in the context and in its origins.
	rows                            []version    // oldest first
	blanked, stale, changedAttempts []int64      // its own revisions and cycles that change
	shared                          changeCounts // together with its origins
	needsWalk                       bool         // the erasure has to walk its trees
}

type logKey struct{ branch, revision int64 }

const familyRows = `WITH RECURSIVE family (key) AS (
	SELECT CAST(? AS BIGINT) UNION SELECT c.key FROM context c JOIN family f ON c.origin = f.key)
	SELECT c.key, c.name, c.deleted, c.edition, c.first, coalesce(c.origin, 0), coalesce(c.origin_cycle, 0), coalesce(c.origin_revision, 0), c.fork,
	l.revision, l.latest, l.work_cycle, l.last_ns, l.next_index, l.given, l.next_nid, l.digest, l.chain
	FROM family f JOIN context c ON c.key = f.key
	JOIN log l ON l.branch = c.key AND l.revision = (SELECT max(revision) FROM log WHERE branch = c.key) ORDER BY c.key`

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *Store) bound(query string) string { return s.dialect.statement(query) }

// readFamily reads the first context of a family and all its forks, in the order of
// their keys.
func (x *erasure) readFamily(q querier, first int64) ([]*branch, error) {
	rows, err := q.QueryContext(x.ctx, x.store.bound(familyRows), first)
	if err != nil {
		return nil, x.store.fail(x.ctx, err, "reading a family of contexts")
	}
	defer rows.Close()
	var list []*branch
	for rows.Next() {
		b := &branch{}
		var deleted int64
		if err := rows.Scan(&b.Key, &b.Name, &deleted, &b.Edition, &b.First, &b.Origin.Key, &b.Origin.Cycle,
			&b.Origin.Revision, &b.Fork,
			&b.Revision, &b.Cycle, &b.Stamps.Cycle, &b.Stamps.LastNS, &b.Stamps.Next, &b.Stamps.Given, &b.next, &b.digest,
			&b.chain); err != nil {
			return nil, x.store.fail(x.ctx, err, "reading a family of contexts")
		}
		b.deleted = deleted != 0
		list = append(list, b)
	}
	return list, x.store.fail(x.ctx, rows.Err(), "reading a family of contexts")
}

// loadFamily reads the family, links forks to their origins and checks the guard.
// It returns the branch of the context.
func (x *erasure) loadFamily(key store.Key) (*branch, error) {
	var err error
	if x.line, err = x.store.lineage(x.ctx, key); err != nil {
		return nil, err
	}
	if x.family, err = x.readFamily(x.store.read, x.line[0].branch); err != nil {
		return nil, err
	}
	x.byKey = map[store.Key]*branch{}
	for _, b := range x.family {
		x.byKey[b.Key] = b
		if b.Origin.Key == 0 {
			continue
		}
		origin := x.byKey[b.Origin.Key]
		if origin == nil || b.Origin.Cycle > origin.Cycle {
			return nil, damageError("a fork has no origin")
		}
		origin.forks = append(origin.forks, b)
	}
	for _, b := range x.family {
		slices.SortStableFunc(b.forks, func(a, b *branch) int { return cmp.Compare(a.Origin.Cycle, b.Origin.Cycle) })
	}
	own := x.byKey[key]
	if own == nil || own.deleted || own.Cycle != x.Guard.Cycle || own.Revision != x.Guard.Revision {
		st, err := x.store.state(x.ctx, nil, key)
		if err != nil {
			return nil, err
		}
		return nil, store.Moved(x.Guard, st.Cycle, st.Revision)
	}
	return own, nil
}

// familyMoved reports whether a writer changed the family after loadFamily read it.
func (x *erasure) familyMoved(tx *sql.Tx) (bool, error) {
	if len(x.family) == 0 {
		return false, nil
	}
	var q querier = x.store.read
	if tx != nil {
		q = tx
	}
	now, err := x.readFamily(q, int64(x.family[0].Key))
	return !slices.EqualFunc(now, x.family, func(a, b *branch) bool { return a.Info == b.Info && a.deleted == b.deleted }),
		err
}

// plan works out every row that the erasure writes.
func (x *erasure) plan(key store.Key) error {
	own, err := x.loadFamily(key)
	if err != nil {
		return err
	}
	if err := x.findTargets(own); err != nil {
		return err
	}
	for _, b := range x.family {
		if err := cmp.Or(x.planVersions(b), x.loadAttemptCycles(b)); err != nil {
			return err
		}
	}
	x.links = map[logKey]linkPair{}
	if err := x.digestTrees(); err != nil {
		return err
	}
	for _, b := range x.family {
		if err := x.planLog(b); err != nil {
			return err
		}
	}
	ids := map[string]bool{}
	for _, v := range x.rows {
		ids[v.id] = true
	}
	x.total.IDs, x.total.Versions, x.total.Entries = slices.Sorted(maps.Keys(ids)), len(x.rows), len(x.entries)
	slices.Sort(x.total.Contexts)
	return nil
}

// dropCached drops the cached snapshots and rows of the family and all open pages, so that the
// erased text leaves the memory.
func (x *erasure) dropCached() {
	for _, b := range x.family {
		x.store.cache.drop(b.Key)
		x.store.recent.drop(int64(b.Key))
	}
	x.store.pages.clear()
}

// unchanged ends an erasure that writes nothing: a dry run, or an erasure of text that is
// already gone, after which free space may still need cleaning.
func (s *Store) unchanged(ctx context.Context, x *erasure) (*store.Erased, error) {
	if x.DryRun {
		return &x.total, nil
	}
	return s.clean(ctx, &x.total, nil)
}

// pending reports what earlier erasures left to clean up.
func (s *Store) pending(ctx context.Context) (*store.Erased, error) {
	const doing = "asking for what is left to clean up"
	var n int64
	if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM unclean`).Scan(&n); err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	of := &store.Erased{}
	if n > 0 {
		of.Remains = "text that earlier erasures removed may still be in parts of the file that nothing refers to"
	}
	return of, nil
}

// clean lets the database clean up after an erasure.
func (s *Store) clean(ctx context.Context, done *store.Erased, err error) (*store.Erased, error) {
	if err != nil {
		return nil, err
	}
	if done.Remains, err = s.dialect.Clean(context.WithoutCancel(ctx), s.write); err != nil {
		if _, done.Remains, _ = s.dialect.Explain(err); done.Remains == "" {
			done.Remains = err.Error()
		}
	}
	return done, nil
}
