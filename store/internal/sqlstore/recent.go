package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync"

	"github.com/contexttree/pact/store/internal/page"
)

// recentRows caches the rows that this process wrote and that are in no page yet, by branch, so
// that packing them need not read them back. A reader compares the cached proofs with those in
// the database, so a row that was removed, replaced or erased meanwhile is never used.
type recentRows struct {
	mu       sync.Mutex
	branches map[int64]*recentBranch
	bytes    int
}

type recentBranch struct {
	rows  []recentRow
	bytes int
}

// recentRow is a row as it was written.
type recentRow struct {
	ref
	proof  int64
	reason string // of a death
	of     *birth // nil for a death
}

// The bounds of recentRows: of what it holds for all branches together, and about what a row
// takes besides its content. The content counts twice, for the row and for its node.
const (
	maxRecent     = 8 << 20
	recentRowSize = 512
)

func (r *recentRow) size() int {
	if r.of == nil {
		return recentRowSize
	}
	return recentRowSize + 2*len(r.of.body)
}

// row returns the row as a page has it.
func (r *recentRow) row(texts *headerTexts) page.Row {
	if r.of == nil {
		return page.Row{Birth: r.birth, NID: r.nid, Death: r.reason}
	}
	return r.of.row(texts)
}

// proven reports whether the proof tells the row with its content from any other.
func (r *recentRow) proven() bool { return r.of == nil || r.of.body == nil || r.of.node.HashOK }

// add adds the rows that a branch got. A branch that alone exceeds the bound is dropped.
func (c *recentRows) add(branch int64, steps []step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.branches[branch]
	if b == nil {
		if c.branches == nil {
			c.branches = make(map[int64]*recentBranch)
		}
		b = &recentBranch{}
		c.branches[branch] = b
	}
	before := b.bytes
	for i := range steps {
		for _, d := range steps[i].deaths {
			b.add(recentRow{ref: d.ref, proof: d.proof, reason: d.reason})
		}
		for k := range steps[i].births {
			v := &steps[i].births[k]
			b.add(recentRow{ref: v.ref, proof: v.proof, of: v})
		}
	}
	c.bytes += b.bytes - before
	for other := range c.branches {
		if c.bytes <= maxRecent {
			return
		}
		if other != branch {
			c.remove(other)
		}
	}
	if c.bytes > maxRecent {
		c.remove(branch)
	}
}

func (b *recentBranch) add(r recentRow) {
	b.rows = append(b.rows, r)
	b.bytes += r.size()
}

// remove forgets a branch. The caller holds the lock.
func (c *recentRows) remove(branch int64) {
	if b := c.branches[branch]; b != nil {
		c.bytes -= b.bytes
		delete(c.branches, branch)
	}
}

// drop forgets a branch.
func (c *recentRows) drop(branch int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(branch)
}

// dropPacked forgets the rows of a branch up to one that is in a page now.
func (c *recentRows) dropPacked(branch int64, last ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.branches[branch]
	if b == nil {
		return
	}
	left := &recentBranch{}
	for _, r := range b.rows {
		if byKey(r.ref, last) > 0 {
			left.add(r)
		}
	}
	c.bytes += left.bytes - b.bytes
	c.branches[branch] = left
}

// of returns a copy of the rows of a branch, in the order of the table.
func (c *recentRows) of(branch int64) []recentRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.branches[branch]
	if b == nil {
		return nil
	}
	rows := slices.Clone(b.rows)
	slices.SortStableFunc(rows, func(a, b recentRow) int { return byKey(a.ref, b.ref) })
	return rows
}

func byKey(a, b ref) int { return cmp.Or(cmp.Compare(a.birth, b.birth), cmp.Compare(a.nid, b.nid)) }

// recentIn returns the rows of a branch in a span of cycles from the cache, nil if it lacks one
// of them. Cost: the proofs of the rows.
func (s *Store) recentIn(ctx context.Context, tx *sql.Tx, branch, after, upTo int64) ([]recentRow, error) {
	cached := s.recent.of(branch)
	if len(cached) == 0 {
		return nil, nil
	}
	rows, err := within(ctx, tx, s.stmts.rowProofs).QueryContext(ctx, branch, after, upTo)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var proof sql.NullInt64
	found, at := cached[:0], 0
	for rows.Next() {
		if err := rows.Scan(&proof); err != nil {
			return nil, err
		}
		for at < len(cached) && cached[at].proof != proof.Int64 {
			at++
		}
		if at == len(cached) || !proof.Valid || !cached[at].proven() {
			return nil, nil
		}
		found = append(found, cached[at])
		at++
	}
	return found, rows.Err()
}

// appendRecent appends rows of a branch from the cache, with the nodes that were written.
func (s *Store) appendRecent(list []row, branch int64, recent []recentRow) []row {
	of := make([]page.Row, len(recent))
	for i := range recent {
		of[i] = recent[i].row(&s.headers)
		made := row{Row: &of[i], branch: branch, complete: true}
		if v := recent[i].of; v != nil {
			made.node = v.node
		}
		list = append(list, made)
	}
	return list
}
