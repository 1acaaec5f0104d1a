package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/contexttree/pact/store"
)

// Check implements store.Checker: the chain that runs through the log, the proof
// that each row of the context, of a node or an attempt carries, and the number
// of attempts. Rows of version 1 of the schema have none of these
// and are passed over; the log tells which rows can be of that version.
func (s *Store) Check(ctx context.Context, key store.Key) (*store.Damage, error) {
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return nil, err
	}
	line, err := s.lineage(ctx, key)
	if err != nil {
		return nil, err
	}
	c := checker{ctx: ctx, store: s, revision: st.Revision, cycle: st.Cycle, ids: make(map[int64]string),
		unproven: make(map[int64]int64)}
	for _, check := range [...]func(segment) (*store.Damage, error){c.log, c.versions, c.attempts} {
		for _, p := range line {
			if d, err := check(p); d != nil || err != nil {
				return d, s.fail(ctx, err, "checking the rows")
			}
		}
	}
	return nil, nil
}

// checker checks the segments of a lineage, the oldest first.
type checker struct {
	ctx      context.Context
	store    *Store
	revision int64            // the latest
	cycle    int64            // of the latest snapshot
	chain    []byte           // the link of the row before
	ids      map[int64]string // by nid, of the rows checked so far
	unproven map[int64]int64  // by branch, the last cycle that may have rows without proof
}

// each calls f with the values of every row until it finds damage.
func (c *checker) each(rows *sql.Rows, err error, f func(values []any) *store.Damage) (found *store.Damage, _ error) {
	err = eachRow(rows, err, func(values []any) error {
		if found = f(values); found != nil {
			return errFound
		}
		return nil
	})
	if found != nil {
		return found, nil
	}
	return nil, err
}

var errFound = errors.New("there is damage")

// log checks the chain through the log of a segment.
func (c *checker) log(p segment) (*store.Damage, error) {
	row, err := c.store.contextRow(c.ctx, nil, p.branch)
	if err != nil {
		return nil, err
	}
	l, next := chainReader{c.chain, chainStart(c.chain, row.Info)}, p.afterRevision+1
	c.unproven[p.branch] = beforeAll
	end := min(p.endRevision, c.revision)
	rows, err := c.store.stmts.logRows.QueryContext(c.ctx, p.branch, int64(beforeAll), end)
	d, err := c.each(rows, err, func(values []any) *store.Damage {
		revision, _ := values[colRevision].(int64)
		cycle, _ := values[colCycle].(int64)
		if revision != next {
			return &store.Damage{Cycle: cycle, What: noRevision(next)}
		}
		if !l.next(values) {
			return &store.Damage{Cycle: cycle, What: altered(revision)}
		}
		if l.last == nil {
			latest, _ := values[colLatest].(int64)
			c.unproven[p.branch] = latest + 1 // with its drafts
		}
		c.chain = l.last
		next++
		return nil
	})
	if d == nil && err == nil && next != end+1 {
		d = &store.Damage{NoCycle: true, What: noRevision(next)}
	}
	return d, err
}

// versions checks the proof of every row of nodes of a segment.
func (c *checker) versions(p segment) (*store.Damage, error) {
	rows, err := c.store.stmts.versionRows.QueryContext(c.ctx, p.branch, p.upToCycle)
	return c.each(rows, err, func(values []any) *store.Damage {
		birth, _ := values[1].(int64)
		nid, _ := values[2].(int64)
		if birth > c.cycle+1 {
			return &store.Damage{Cycle: birth, What: "there are rows of the cycle, and the log ends before it"}
		}
		if id, ok := values[5].(string); ok {
			c.ids[nid] = id
		} else if c.ids[nid] == "" && values[3] == sealed {
			return &store.Damage{Cycle: birth, What: "the active head that was sealed is missing"}
		}
		last := len(values) - 1
		proof, proven := values[last].(int64)
		if proven && proof != rowProof(values[:last]) || !proven && birth > c.unproven[p.branch] {
			return &store.Damage{Cycle: birth, Node: c.ids[nid], What: "the row of the node is not as it was written"}
		}
		return nil
	})
}
