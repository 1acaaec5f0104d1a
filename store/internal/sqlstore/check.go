package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
)

// Check implements store.Checker. It checks the chain that runs through the log, the proof that
// each row of a context, a node or an attempt carries, and the number of attempts. Rows of
// version 1 of the schema have none of these, and Check passes over them; the log tells which
// rows can be of that version.
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
			d, err := check(p)
			if d == nil {
				d = damageOf(err)
			}
			if d != nil {
				return d, nil
			}
			if err != nil {
				return nil, s.fail(ctx, err, "checking the rows")
			}
		}
	}
	d, _, err := s.checkDirectories(ctx, key)
	return d, err
}

// checker checks the segments of a lineage, the oldest first.
type checker struct {
	ctx      context.Context
	store    *Store
	revision int64            // the latest
	cycle    int64            // of the latest snapshot
	chain    []byte           // the link of the previous row
	ids      map[int64]string // by nid, of the rows checked so far
	last     page.Row         // the previous row
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
			c.unproven[p.branch] = latest + 1 // drafts have the cycle after the latest
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

// versions checks the pages of a segment and the proof of every row of nodes.
func (c *checker) versions(p segment) (d *store.Damage, err error) {
	err = c.store.inReadTx(c.ctx, "checking the rows", func(tx *sql.Tx) error {
		if d, err = c.packed(tx, p); d != nil || err != nil {
			return err
		}
		rows, err := within(c.ctx, tx, c.store.stmts.versionRows).QueryContext(c.ctx, p.branch, p.upToCycle)
		d, err = c.each(rows, err, func(values []any) *store.Damage {
			r := rowOf(values)
			if d := c.version(&r); d != nil {
				return d
			}
			last := len(values) - 1
			proof, proven := values[last].(int64)
			if proven && proof != rowProof(values[:last]) || !proven && r.Birth > c.unproven[p.branch] {
				return &store.Damage{Cycle: r.Birth, Node: c.ids[r.NID], What: "the row of the node is not as it was written"}
			}
			return nil
		})
		return err
	})
	return d, err
}

// version checks whether a row may stand after the previous one.
func (c *checker) version(r *page.Row) *store.Damage {
	if r.Birth > c.cycle+1 {
		return &store.Damage{Cycle: r.Birth, What: "there are rows of the cycle, and the log ends before it"}
	}
	if before(r, &c.last) {
		return &store.Damage{Cycle: r.Birth, What: inPageToo}
	}
	c.last = *r
	if r.ID != "" {
		c.ids[r.NID] = r.ID
	} else if c.ids[r.NID] == "" && r.Death == sealed {
		return &store.Damage{Cycle: r.Birth, What: "the active head that was sealed is missing"}
	}
	return nil
}

// packed checks the pages of a segment, whose digests cover everything in them, and that the
// table page_name has the names of the versions in them. Contents stay compressed: whoever
// verifies a context reads each content anyway.
func (c *checker) packed(tx *sql.Tx, p segment) (found *store.Damage, err error) {
	names := make(map[name]bool)
	next := int64(1)
	c.last = page.Row{Birth: beforeAll, NID: beforeAll}
	all := ref{beforeAll, beforeAll}
	err = c.store.eachWholePage(c.ctx, tx, p.branch, all, p.upToCycle, false, func(of *wholePage) error {
		if of.number != next {
			return of.damage("does not follow the previous page")
		}
		next++
		for i := range of.index.Rows {
			r := &of.index.Rows[i]
			if r.Birth > p.upToCycle {
				break
			}
			if found = c.version(r); found != nil {
				return found.Err()
			}
			if r.Named {
				names[name{r.ID, ref{r.NID, r.Birth}}] = true
			}
		}
		return c.ctx.Err()
	})
	if found != nil || err != nil {
		return damageOf(err), err
	}
	rows, err := tx.QueryContext(c.ctx, c.store.bound(namesIn), p.branch, p.upToCycle)
	found, err = c.each(rows, err, func(values []any) *store.Damage {
		id, _ := values[0].(string)
		birth, _ := values[1].(int64)
		nid, _ := values[2].(int64)
		at := name{id, ref{nid, birth}}
		if !names[at] {
			return &store.Damage{Cycle: birth, What: "there is a name of a node that no page has"}
		}
		delete(names, at)
		return nil
	})
	for at := range names {
		if found == nil || at.birth < found.Cycle || at.birth == found.Cycle && at.id < found.Node {
			found = &store.Damage{Cycle: at.birth, Node: at.id, What: "the name of a node in a page is missing"}
		}
	}
	return found, err
}

const namesIn = `SELECT id, birth, nid FROM page_name WHERE branch = ? AND birth <= ?`

// name is what the table page_name says of a version.
type name struct {
	id string
	ref
}

// damageOf returns the damage that an error carries, or nil.
func damageOf(err error) *store.Damage {
	var d *store.Damage
	errors.As(err, &d)
	return d
}
