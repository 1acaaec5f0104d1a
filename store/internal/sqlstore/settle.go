package sqlstore

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
)

// settling packs the rows of a history that is written at once into pages while they are
// planned, as far as packing would do so anyway. So each row is written once, in its smaller
// form, and its content need not stay in memory until then.
type settling struct {
	upTo    int64 // the last cycle to pack
	packing Packing
	texts   *headerTexts
	pending []settledRow // of the cycle that is not published yet
	builder page.Builder
	first   int64 // birth of the first row in the builder
	last    ref   // the last row in the builder
	named   []name
	pages   []settledPage
}

type settledRow struct {
	page.Row
	body []byte
}

// settledPage is a page that has no place yet, with its last row and the versions in it whose
// id does not name their birth.
type settledPage struct {
	last  ref
	page  page.Page
	named []name
}

// settlingOf returns what packs the rows of a new context, nil if they stay rows.
func (s *Store) settlingOf(g store.Creation) *settling {
	latest := g.Tree.Cycle()
	for _, c := range g.Changes {
		if c.Sealed != nil {
			latest = c.Sealed.Cycle()
		}
	}
	upTo := latest - s.packing.Keep
	if len(g.Changes) == 0 || upTo-g.Tree.Cycle()+1 < s.packing.Cycles {
		return nil
	}
	return &settling{upTo: upTo, packing: s.packing, texts: &s.headers}
}

// take takes the rows of a step that are born in a cycle. When the cycle is published, it puts
// them into a page.
func (l *settling) take(s *step, cycle int64, published bool) {
	if l == nil || cycle > l.upTo {
		return
	}
	for _, gone := range s.drops {
		l.pending = slices.DeleteFunc(l.pending, func(r settledRow) bool { return r.NID == gone.nid })
	}
	for _, d := range s.deaths {
		l.pending = append(l.pending, settledRow{Row: page.Row{Birth: d.birth, NID: d.nid, Death: d.reason}})
	}
	for i := range s.births {
		l.pending = append(l.pending, settledRow{s.births[i].row(l.texts), s.births[i].body})
	}
	s.drops, s.deaths, s.births = nil, nil, nil
	if !published {
		return
	}
	slices.SortFunc(l.pending, func(a, b settledRow) int { return cmp.Compare(a.NID, b.NID) })
	for i := range l.pending {
		l.add(&l.pending[i])
	}
	clear(l.pending)
	l.pending = l.pending[:0]
}

func (l *settling) add(r *settledRow) {
	n := l.builder.Len()
	if n == pageRows || l.builder.Size() >= pageSize || n > 0 && r.Birth >= l.first+l.packing.Cycles {
		l.close()
	}
	if l.builder.Len() == 0 {
		l.first = r.Birth
	}
	l.builder.Add(r.Row, r.body)
	l.last = ref{r.NID, r.Birth}
	if r.Named {
		l.named = append(l.named, name{r.ID, l.last})
	}
}

// close ends the current page.
func (l *settling) close() {
	if l != nil && l.builder.Len() > 0 {
		l.pages = append(l.pages, settledPage{l.last, l.builder.Page(), l.named})
		l.named = nil
	}
}

// row is the row of a version in a page, without its content.
func (b *birth) row(texts *headerTexts) page.Row {
	n := b.node
	headers, _ := texts.of(n.Headers).(string)
	r := page.Row{Birth: b.birth, NID: b.nid, Parent: b.parent, ID: n.ID, Type: n.Type, Offset: n.Offset,
		Priority: n.Priority, Cycle: n.Cycle, CreatedNS: n.CreatedNS, ISO: n.ForeignISO, Index: n.Index, Expiry: n.Expiry,
		Headers: headers, Size: len(b.body), Named: b.named}
	if b.body != nil && n.HashOK {
		r.Hash = n.Hash[:]
	}
	return r
}

// writeSettled writes the pages of a new context.
func (w *writer) writeSettled(pages []settledPage) error {
	if len(pages) == 0 {
		return nil
	}
	insert, err := w.prepareForMany(`INSERT INTO page_name (branch, id, birth, nid) VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range pages {
		p := &pages[i]
		at := &packedPage{branch: w.key, birth: p.last.birth, nid: p.last.nid, number: int64(i) + 1}
		if err := w.insertPage(at, &p.page); err != nil {
			return err
		}
		for _, n := range p.named {
			if _, err := insert.ExecContext(w.ctx, w.key, n.id, n.birth, n.nid); err != nil {
				return err
			}
		}
	}
	return nil
}
