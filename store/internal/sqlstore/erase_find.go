package sqlstore

import (
	"database/sql"
	"encoding/hex"
	"math"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// afterAll is a cycle and a revision after all others: the end of an open segment.
const afterAll = math.MaxInt64

// findTargets collects the nodes and entries to erase, and returns an error if one of them
// cannot be erased.
func (x *erasure) findTargets(own *branch) error {
	f := store.NewFamily(x.IDs)
	x.ids, x.entries = f.Below, map[logKey]bool{}
	leaves, err := x.leaves(f)
	if err != nil {
		return err
	}
	if !leaves {
		last := map[*branch]*tree.Tree{}
		for _, b := range x.family {
			b.needsWalk = true
		}
		err := x.walk(beforeAll, func(b *branch, t *tree.Tree, _ bool) error {
			if last[b] != nil || b.Origin.Key == 0 { // a fork begins with a tree that its origin has shown
				f.Look(last[b], t)
			}
			last[b] = t
			return x.ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	for _, id := range x.IDs {
		if !f.Seen[id] {
			return store.Unnamed(id)
		}
	}
	for _, revision := range x.Revisions {
		if revision < 1 || revision > own.Revision {
			return store.NoRevision(revision)
		}
		x.entries[logKey{x.line.revision(revision), revision}] = true
	}
	if len(x.Texts) == 0 {
		return nil
	}
	for _, b := range x.family {
		if !b.deleted && x.finder.In(b.Name) {
			return store.StuckInName(b.Name)
		}
		if err := x.findTexts(b); err != nil {
			return err
		}
		if err := x.findStaleDigests(b); err != nil {
			return err
		}
	}
	return nil
}

// leaves reports whether the rows show that the named nodes never had a node below them, and
// records which of the named nodes exist. A node below a head names the coming turn as its
// parent, so leaves never takes a head for a leaf. Cost: the rows of the family, without their
// contents.
func (x *erasure) leaves(f *store.Family) (bool, error) {
	if len(x.IDs) == 0 {
		return true, nil
	}
	nids, parents, sure := map[int64]bool{}, map[int64]bool{}, true
	look := func(r *page.Row) {
		if r.Dead() {
			return
		}
		parents[r.Parent] = true
		if !f.Below[r.ID] {
			return
		}
		f.Seen[r.ID], nids[r.NID] = true, true
		class, named := tree.ClassOfType(r.Type)
		sure = sure && !(named && class == tree.Head)
	}
	for _, b := range x.family {
		if err := x.eachRowOf(b, look); err != nil {
			return false, err
		}
	}
	for nid := range nids {
		sure = sure && !parents[nid]
	}
	return sure, nil
}

// eachRowOf calls f with the rows of a branch, and then with those in pages. A row that is
// packed between the two comes twice.
func (x *erasure) eachRowOf(b *branch, f func(*page.Row)) error {
	rows, err := x.store.stmts.versionRows.QueryContext(x.ctx, int64(b.Key), int64(afterAll))
	err = eachRow(rows, err, func(values []any) error {
		r := rowOf(values)
		f(&r)
		return nil
	})
	if err != nil {
		return x.store.fail(x.ctx, err, "reading the rows")
	}
	c, own := &scanner{store: x.store}, b.ownSegment()[0]
	err = c.eachPage(x.ctx, own, own.afterCycle, afterAll, oldestFirst, func(_ *packedPage, rows []page.Row) error {
		for i := range rows {
			f(&rows[i])
		}
		return x.ctx.Err()
	})
	return x.store.fail(x.ctx, err, "reading the pages")
}

// revision returns the branch whose log has the revision n.
func (l lineage) revision(n int64) int64 {
	for _, p := range l {
		if n <= p.endRevision {
			return p.branch
		}
	}
	return l.own().branch
}

const searched = `SELECT v.id, v.type, v.created_ns, v.created_iso, v.headers, c.body
	FROM node_version v LEFT JOIN content c ON {same} WHERE v.branch = ? AND v.id IS NOT NULL`

// findTexts searches every version of the nodes of a branch for the texts. It reads the rows
// before the pages: a row may move to a page between the two.
func (x *erasure) findTexts(b *branch) error {
	rows, err := x.store.read.QueryContext(x.ctx, x.store.bound(searched), int64(b.Key))
	if err != nil {
		return x.store.fail(x.ctx, err, "searching the rows")
	}
	defer rows.Close()
	for rows.Next() {
		var n tree.Node
		var iso, headers sql.NullString
		var body []byte
		if err := rows.Scan(&n.ID, &n.Type, &n.CreatedNS, &iso, &headers, &body); err != nil {
			return x.store.fail(x.ctx, err, "searching the rows")
		}
		if err := x.findTextsIn(n, iso.String, headers.String, body); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return x.store.fail(x.ctx, err, "searching the rows")
	}
	rows.Close()
	return x.findPackedTexts(b)
}

// findTextsIn searches a version for the texts.
func (x *erasure) findTextsIn(n tree.Node, iso, headers string, body []byte) error {
	full, err := nodeOf(n, iso, headers, body)
	if err != nil {
		return err
	}
	goes, stays := x.finder.InNode(full, tree.JSON(body))
	if stays {
		return store.StuckInNode(full)
	}
	if goes {
		x.ids[n.ID] = true
	}
	return nil
}

// findStaleDigests records the entries of a branch that hold digests of drafts that are gone.
func (x *erasure) findStaleDigests(b *branch) error {
	rows, err := x.store.read.QueryContext(x.ctx,
		x.store.bound(`SELECT revision, kind, digest FROM log WHERE branch = ? AND digest IS NOT NULL ORDER BY revision`),
		int64(b.Key))
	if err != nil {
		return x.store.fail(x.ctx, err, "reading the log")
	}
	defer rows.Close()
	for last := hex.EncodeToString(b.digest); rows.Next(); {
		var e store.Entry
		var digest []byte
		if err := rows.Scan(&e.Revision, &e.Kind, &digest); err != nil {
			return x.store.fail(x.ctx, err, "reading the log")
		}
		if e.Digest = hex.EncodeToString(digest); e.Stale(last) {
			b.stale = append(b.stale, e.Revision)
		}
	}
	return x.store.fail(x.ctx, rows.Err(), "reading the log")
}

// nodeOf builds a node from columns of its row.
func nodeOf(n tree.Node, iso, headers string, body []byte) (*tree.Node, error) {
	n.ForeignISO = iso
	if headers != "" {
		c := scanner{known: map[string][]tree.Header{}}
		list, err := c.headers(headers)
		if err != nil {
			return nil, err
		}
		n.Headers = list
	}
	n.Content = tree.Hold(tree.JSON(body))
	return tree.NewNode(n, nil), nil
}
