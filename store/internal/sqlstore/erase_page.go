package sqlstore

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// findPackedTexts searches every version in the pages of a branch for the texts.
func (x *erasure) findPackedTexts(b *branch) error {
	err := x.store.eachWholePage(x.ctx, x.store.read, int64(b.Key), ref{beforeAll, beforeAll}, afterAll, true,
		func(p *wholePage) error {
			for i := range p.index.Rows {
				r := &p.index.Rows[i]
				if r.Dead() {
					continue
				}
				n := tree.Node{ID: r.ID, Type: r.Type, CreatedNS: r.CreatedNS}
				if err := x.findTextsIn(n, r.ISO, r.Headers, p.body(r)); err != nil {
					return err
				}
			}
			return x.ctx.Err()
		})
	return x.store.fail(x.ctx, err, "searching the pages")
}

// versionsOf returns the values of all versions of the nodes to erase that a branch has, in
// rows or in pages, in the order of rows.
func (x *erasure) versionsOf(b *branch) ([][]any, error) {
	var list [][]any
	seen := make(map[ref]bool)
	take := func(values []any) {
		birth, _ := values[colBirth].(int64)
		nid, _ := values[colNID].(int64)
		id, _ := values[colID].(string)
		if at := (ref{nid, birth}); x.ids[id] && !seen[at] {
			seen[at] = true
			list = append(list, slices.Clone(values))
		}
	}
	// A row that is packed between the two reads comes twice.
	rows, err := x.store.stmts.versionRows.QueryContext(x.ctx, int64(b.Key), int64(afterAll))
	err = eachRow(rows, err, func(values []any) error {
		take(values)
		return nil
	})
	if err != nil {
		return nil, x.store.fail(x.ctx, err, "reading the rows")
	}
	c := &scanner{store: x.store}
	err = c.eachPage(x.ctx, b.ownSegment()[0], b.ownSegment()[0].afterCycle, afterAll, oldestFirst,
		func(_ *packedPage, rows []page.Row) error {
			for i := range rows {
				if x.ids[rows[i].ID] {
					take(valuesOf(int64(b.Key), &rows[i]))
				}
			}
			return nil
		})
	if err != nil {
		return nil, x.store.fail(x.ctx, err, "reading the pages")
	}
	slices.SortFunc(list, func(a, b []any) int {
		return cmp.Or(cmp.Compare(a[colBirth].(int64), b[colBirth].(int64)),
			cmp.Compare(a[colNID].(int64), b[colNID].(int64)))
	})
	return list, nil
}

// writePacked rewrites the pages that hold some of the versions of a branch. list is in the
// order of rows.
func (w *writer) writePacked(branch int64, list []version) error {
	for len(list) > 0 {
		var at *wholePage
		err := w.store.eachWholePage(w.ctx, w.tx, branch, ref{list[0].nid, list[0].birth}, list[0].birth, true,
			func(p *wholePage) error {
				whole := *p
				at = &whole
				return errFound
			})
		if err != nil {
			return err
		}
		if at == nil {
			return damageError("the rows of node " + list[0].id + " are gone")
		}
		err = w.writeAnew(at, func(r page.Row, body []byte) (page.Row, []byte, bool) {
			if len(list) == 0 || r.Birth != list[0].birth || r.NID != list[0].nid {
				return r, body, true
			}
			v := list[0]
			list = list[1:]
			r.ISO = ""
			r.Headers, _ = v.headers.(string)
			if v.content != nil {
				r.Hash, _ = v.hash.([]byte)
				body = v.body
			}
			return r, body, true
		})
		if err != nil {
			return err
		}
	}
	return nil
}
