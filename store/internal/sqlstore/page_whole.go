package sqlstore

import (
	"context"
	"database/sql"

	"github.com/contexttree/pact/store/internal/page"
)

// wholePage is a page with its rows and their contents.
type wholePage struct {
	packedPage
	index    page.Index
	contents [][]byte // of each block; nil if the caller wants none
}

// body returns the content of a row, nil if it has none.
func (p *wholePage) body(r *page.Row) []byte {
	if r.Size == 0 {
		return nil
	}
	return p.contents[r.Block][r.At : r.At+r.Size]
}

// wholePages reads pages with their blocks in one statement, because a transaction in
// PostgreSQL runs one statement at a time. The head comes with the first block.
const wholePages = `SELECT p.last_birth, p.last_nid, p.number, p.digest,
	CASE WHEN b.no IS NULL OR b.no = 0 THEN p.head END, b.no, b.body FROM page p LEFT JOIN page_block b
	ON b.branch = p.branch AND b.last_birth = p.last_birth AND b.last_nid = p.last_nid
	WHERE p.branch = ? AND (p.last_birth, p.last_nid) >= (?, ?)
	AND p.last_birth <= coalesce((SELECT min(last_birth) FROM page WHERE branch = ? AND last_birth > ?), ?)
	ORDER BY p.last_birth, p.last_nid, b.no`

// eachWholePage reads and checks the pages of a branch, and calls f with each until f fails. It
// begins with the page in which the row from would be, and ends with the last page that has
// rows of the cycle upTo. It compares every block with its sum, and decompresses it if the
// caller wants contents. What f gets is valid until f returns; errFound ends the loop without
// an error.
func (s *Store) eachWholePage(ctx context.Context, q querier, branch int64, from ref, upTo int64, contents bool,
	f func(*wholePage) error) error {
	found, err := q.QueryContext(ctx, s.bound(wholePages), branch, from.birth, from.nid, branch, upTo, int64(afterAll))
	if err != nil {
		return err
	}
	defer found.Close()
	p := wholePage{}
	give := func() error {
		if p.number == 0 {
			return nil
		}
		if len(p.contents) != len(p.blocks) {
			return p.damage("lacks a block of contents")
		}
		return f(&p)
	}
	for found.Next() {
		var digest, head, stored []byte
		var no sql.NullInt64
		at := packedPage{branch: branch}
		if err := found.Scan(&at.birth, &at.nid, &at.number, &digest, &head, &no, &stored); err != nil {
			return err
		}
		if at.birth != p.birth || at.nid != p.nid || p.number == 0 {
			if err := give(); err != nil {
				return orDone(err)
			}
			p.packedPage, p.contents = at, p.contents[:0]
			if err := p.open(digest, head, &p.index); err != nil {
				return err
			}
		}
		if !no.Valid {
			continue
		}
		if no.Int64 != int64(len(p.contents)) || len(p.contents) == len(p.blocks) {
			return p.damage("lacks a block of contents, or has one too many")
		}
		block := &p.blocks[no.Int64]
		var of []byte
		if contents {
			of, err = block.Open(stored)
		} else {
			err = block.Check(stored)
		}
		if err != nil {
			return p.damage("has a block of contents that is not as it was written")
		}
		p.contents = append(p.contents, of)
	}
	if err := found.Err(); err != nil {
		return err
	}
	return orDone(give())
}

func orDone(err error) error {
	if err == errFound {
		return nil
	}
	return err
}

// writeAnew replaces a page by what keep leaves of its rows, under the same number. keep
// returns the new row and its content, and false for a row to remove.
func (w *writer) writeAnew(p *wholePage, keep func(r page.Row, body []byte) (page.Row, []byte, bool)) error {
	var b page.Builder
	var last page.Row
	for i := range p.index.Rows {
		r := &p.index.Rows[i]
		if now, body, stays := keep(*r, p.body(r)); stays {
			b.Add(now, body)
			last = now
		}
	}
	for _, gone := range [...]string{deleteBlocks, deletePage} {
		if err := w.execOnce(gone, p.branch, p.birth, p.nid); err != nil {
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	now := &packedPage{branch: p.branch, birth: last.Birth, nid: last.NID, number: p.number}
	of := b.Page()
	return w.insertPage(now, &of)
}

const (
	deletePage   = `DELETE FROM page WHERE branch = ? AND last_birth = ? AND last_nid = ?`
	deleteBlocks = `DELETE FROM page_block WHERE branch = ? AND last_birth = ? AND last_nid = ?`
)

// trimPages deletes the packed rows of a branch that were born after a cycle.
func (w *writer) trimPages(branch, cycle int64) error {
	var pages []wholePage
	if cycle != beforeAll {
		from := ref{birth: cycle + 1, nid: beforeAll}
		err := w.store.eachWholePage(w.ctx, w.tx, branch, from, cycle+1, true, func(p *wholePage) error {
			pages = append(pages, *p) // only the first page may have rows up to the cycle
			return errFound
		})
		if err != nil {
			return err
		}
	}
	for i := range pages {
		err := w.writeAnew(&pages[i], func(r page.Row, body []byte) (page.Row, []byte, bool) {
			return r, body, r.Birth <= cycle
		})
		if err != nil {
			return err
		}
	}
	for _, gone := range [...]string{
		`DELETE FROM page_block WHERE branch = ? AND last_birth > ?`,
		`DELETE FROM page WHERE branch = ? AND last_birth > ?`,
		`DELETE FROM page_name WHERE branch = ? AND birth > ?`,
	} {
		if err := w.execOnce(gone, branch, cycle); err != nil {
			return err
		}
	}
	return nil
}
