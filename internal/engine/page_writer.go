package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// pageWriter makes the pages of a checkpoint.
type pageWriter struct {
	e     *Engine
	l     *branch
	known map[tree.Digest]*runIndex // pages that are there, by the digest of their runs
	next  int64
	put   []store.Pair
	err   error

	// Of a snapshot whose contents are in memory:
	ctx    context.Context
	before []runIndex      // runs of the last checkpoint that were not looked into yet
	placed map[string]*row // rows with the places of contents, by id; nil where each content has its own
}

// errNoPlace is the error of a snapshot with a content whose place is not known.
var errNoPlace = errors.New("the place of a content is not known")

// pagesAfter returns a writer for a version that was made from a checkpoint, so that every content
// has its place.
func (e *Engine) pagesAfter(v version, l *branch, s *settled) *pageWriter {
	return &pageWriter{e: e, l: l, known: v.o.pages(), next: s.next}
}

// pagesBeside returns a writer for a snapshot in memory, which records made from a checkpoint.
func (e *Engine) pagesBeside(ctx context.Context, l *branch, s *settled, p *point, list []*record) (*pageWriter, error) {
	d := &pageWriter{e: e, l: l, known: make(map[tree.Digest]*runIndex), next: s.next, ctx: ctx}
	rows := int64(0)
	for _, x := range list {
		rows += x.size()
	}
	d.placed = make(map[string]*row, 2*rows)
	for _, x := range list {
		for i := range x.rows {
			if r := &x.rows[i]; r.placed() {
				d.placed[r.id] = r
			}
		}
	}
	if p == nil {
		return d, nil
	}
	first, err := decodePage(p.first)
	if err == nil {
		d.notePage(first)
	}
	return d, err
}

// notePage notes what a page of the last checkpoint has.
func (d *pageWriter) notePage(p *page) {
	for i := range p.rows {
		if r := &p.rows[i]; r.placed() && d.placed[r.id] == nil {
			d.placed[r.id] = r
		}
	}
	for i := range p.runs {
		d.known[p.runs[i].stub.Digest] = &p.runs[i]
	}
	d.before = append(d.before, p.runs...)
}

// lookInto reads the pages of the last checkpoint down to a level, but for those of the runs that
// the snapshot still has.
func (d *pageWriter) lookInto(level uint8, still []tree.LazyRun) {
	for i := 0; i < len(d.before) && d.err == nil; {
		x := d.before[i]
		same := slices.ContainsFunc(still, func(s tree.LazyRun) bool { return s.Digest == x.stub.Digest })
		if !same && x.stub.Level < level {
			i++
			continue
		}
		d.before = slices.Delete(d.before, i, i+1)
		if same {
			continue
		}
		var p *page
		if p, d.err = d.e.page(d.ctx, d.e.store, &x); d.err == nil {
			d.notePage(p)
		}
	}
}

// firstPage makes the first page of a tree.
func (d *pageWriter) firstPage(t *tree.Tree) ([]byte, error) {
	var p page
	if err := d.add(&p, t.Root(), ""); err != nil {
		return nil, err
	}
	return d.encode(&p), nil
}

// place sets where the content of a row is.
func (d *pageWriter) place(r *row) error {
	c, ok := r.node.Content.Source().(*content)
	at, known := contentPlace(c, ok && c.e == d.e, d.l)
	switch {
	case known:
		r.at = at
	case r.size > 0 && (r.hash == nil || d.placed == nil):
		return r.include(context.Background())
	case r.size > 0:
		was := d.placed[r.id]
		if was == nil || was.size != r.size || was.hash == nil || *was.hash != *r.hash {
			return errNoPlace
		}
		r.at = was.at
	}
	return nil
}

func (d *pageWriter) add(p *page, e *tree.Entry, parent string) error {
	n := e.Node()
	r := rowOf(n, parent)
	if d.err == nil {
		d.err = d.place(&r)
	}
	p.rows = append(p.rows, r)
	kids := e.Children()
	if e.Class() == tree.Seq && kids.Len() > 0 {
		if stub, ok := kids.LazyRun(); ok {
			return d.run(p, kids, stub, 0)
		}
	}
	for k, err := range kids.All() {
		if err != nil {
			return err
		}
		if err := d.add(p, k, n.ID); err != nil {
			return err
		}
	}
	return nil
}

// run leads from a page to that of a run, which it makes if it is not there.
func (d *pageWriter) run(p *page, l *tree.List, stub tree.LazyRun, turns int) error {
	if known := d.known[stub.Digest]; known != nil {
		x := *known
		x.turns = turns
		p.runs = append(p.runs, x)
		return nil
	}
	var own page
	var ids []string // of turns
	x := runIndex{stub: stub, turns: turns, key: d.l.key, no: d.next}
	d.next++
	if stub.Level <= pageLevel {
		d.lookInto(stub.Level, nil)
		own.rows, ids = make([]row, 0, stub.Summary.Nodes), make([]string, 0, stub.Count)
		for e, err := range l.All() {
			if err != nil {
				return err
			}
			ids = append(ids, e.Node().ID)
			if err := d.add(&own, e, ""); err != nil {
				return err
			}
		}
	} else {
		items, runs, err := l.Parts()
		if err != nil {
			return err
		}
		below := make([]tree.LazyRun, len(runs))
		for i := range runs {
			if runs[i].Len() > 0 {
				below[i], _ = runs[i].LazyRun() // it consists of turns as the run around it does
			}
		}
		d.lookInto(stub.Level, below)
		for i := range len(items) + 1 {
			if runs[i].Len() > 0 {
				if err := d.run(&own, runs[i], below[i], i); err != nil {
					return err
				}
			}
			if i < len(items) {
				ids = append(ids, items[i].Node().ID)
				if err := d.add(&own, items[i], ""); err != nil {
					return err
				}
			}
		}
	}
	x.describe(&own, ids)
	body := d.encode(&own)
	packed := d.e.packing.pack(body)
	x.size, x.sum = len(body), sha256.Sum256(packed)
	d.put = append(d.put, store.Pair{Key: in(d.l.key, pagePrefix+ordered(x.no)), Value: packed})
	d.known[stub.Digest] = &x
	p.runs = append(p.runs, x)
	return nil
}
