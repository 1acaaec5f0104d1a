package sqlstore

import (
	"context"
	"database/sql"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/directory"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// directoryDraft is a directory that is being made.
type directoryDraft struct {
	replay   *replay
	state    state
	branch   int64
	previous int64 // cycle of the previous directory of this branch, if any
	first    bool  // there is no previous one
	next     int64 // number of the next page
	kept     map[*run]bool
	pages    []draftPage
	gone     []int64 // numbers of the pages of this branch that it replaces
	root     []byte
	unfit    bool // no directory can describe the tree
	headers  headerTexts
}

type draftPage struct {
	no   int64
	body []byte
}

// writeDirectory writes a directory of the latest snapshot of a context, if Packing.Directory
// snapshots came after the last one. It reads and encodes before it takes the lock; it writes
// nothing if somebody erased or was faster meanwhile. Cost: the runs that changed since the
// last directory; the first time, all nodes.
func (s *Store) writeDirectory(ctx context.Context, key store.Key) error {
	return again(func(plain bool) error { return s.writeDirectoryOnce(ctx, key, plain) })
}

func (s *Store) writeDirectoryOnce(ctx context.Context, key store.Key, plain bool) (err error) {
	defer tree.Recover(&err)
	const doing = "writing a directory"
	c, err := s.scanner(ctx, key)
	if err != nil {
		return err
	}
	c.plain, c.cache = plain, true
	d := &directoryDraft{branch: c.line.own().branch, kept: make(map[*run]bool)}
	var q *reading
	err = s.inReadTx(ctx, doing, func(tx *sql.Tx) error {
		c.tx = tx
		if d.state, err = s.state(ctx, tx, key); err != nil {
			return err
		}
		var previous, no sql.NullInt64
		if err := within(ctx, tx, s.stmts.lastDirectory).QueryRowContext(ctx, d.branch, d.branch).Scan(&previous,
			&no); err != nil {
			return err
		}
		d.previous, d.first, d.next = previous.Int64, !previous.Valid, no.Int64+1
		latest := max(d.state.First-1, c.line.own().afterCycle)
		if !d.first {
			latest = max(latest, d.previous)
		}
		if d.state.Cycle-latest < s.packing.Directory {
			return nil
		}
		q, err = c.read(ctx, &d.state, d.state.Cycle, d.state.Cycle)
		return err
	})
	if err != nil || q == nil {
		return err
	}
	c.tx = nil
	if d.replay, err = c.replayed(ctx, &d.state, q, make(map[string]stored)); err != nil {
		return err
	}
	if d.encode(); d.unfit {
		return nil
	}
	d.replaced()
	return s.transact(ctx, doing, d.write)
}

// encode makes the root page and the pages of the runs that have none yet.
func (d *directoryDraft) encode() {
	var root pageDraft
	t := d.replay.tree
	for e := range t.Root().Children().All() {
		if e.Class() != tree.Seq {
			d.add(&root, e)
			continue
		}
		d.addNode(&root, e.Node())
		if l := e.Children(); l.Len() > 0 {
			d.run(&root, l)
		}
	}
	d.addNode(&root, t.Root().Node())
	if len(root.Rows) > page.MaxRows {
		d.unfit = true
	}
	if !d.unfit {
		d.root = root.Encode()
	}
}

// pageDraft is a page that is being made.
type pageDraft struct {
	directory.Page
	nodes []*tree.Node
	nids  []int64
	turns []*tree.Node
}

// inside adds what is inside a run to a page.
func (d *directoryDraft) inside(p *pageDraft, l *tree.List) {
	items, runs := l.Parts()
	for i := range len(items) + 1 {
		if runs != nil && runs[i].Len() > 0 {
			d.run(p, runs[i])
		}
		if i < len(items) {
			p.turns = append(p.turns, items[i].Node())
			d.add(p, items[i])
		}
	}
}

// run adds a run to a page: under the number of the page that it already has, or as a new one.
func (d *directoryDraft) run(p *pageDraft, l *tree.List) {
	if d.unfit {
		return
	}
	if base := d.replay.base; base != nil {
		if known, ok := base.byStub.Load(l); ok {
			r := known.(*run)
			d.kept[r] = true
			of := r.Run
			of.Turns = len(p.turns)
			p.Runs = append(p.Runs, of)
			return
		}
	}
	stub, ok := l.Stub()
	if !ok {
		d.unfit = true
		return
	}
	var own pageDraft
	d.inside(&own, l)
	of := directory.Run{Turns: len(p.turns), Stub: stub, Branch: d.branch}
	if d.unfit || len(own.Rows) > page.MaxRows || !of.Describe(own.nodes, own.nids, own.turns, own.Runs) {
		d.unfit = true
		return
	}
	body := own.Encode()
	of.No = d.next
	of.Sum = page.Digest(body, of.Branch, of.No)
	d.next++
	d.pages = append(d.pages, draftPage{of.No, body})
	p.Runs = append(p.Runs, of)
}

// add adds a node with everything below it.
func (d *directoryDraft) add(p *pageDraft, e *tree.Entry) {
	d.addNode(p, e.Node())
	for k := range e.Children().All() {
		d.add(p, k)
	}
}

func (d *directoryDraft) addNode(p *pageDraft, n *tree.Node) {
	at, ok := d.replay.where(n.ID)
	if !ok {
		d.unfit = true
		return
	}
	headers, _ := d.headers.of(n.Headers).(string)
	r := page.Row{Birth: at.birth, NID: at.nid, Parent: at.parent, ID: n.ID, Type: n.Type, Offset: n.Offset,
		Priority: n.Priority, Cycle: n.Cycle, CreatedNS: n.CreatedNS, ISO: n.ForeignISO, Index: n.Index, Expiry: n.Expiry,
		Headers: headers, Size: n.Content.Size()}
	if n.HashOK {
		r.Hash = n.Hash[:]
	}
	p.Rows, p.nodes, p.nids = append(p.Rows, r), append(p.nodes, n), append(p.nids, at.nid)
}

// where returns where a node of the tree is stored. Callers ask only for nodes that the replay
// read or that are in open pages.
func (r *replay) where(id string) (stored, bool) {
	if at, ok := r.stored[id]; ok {
		return at, true
	}
	if r.base == nil {
		return stored{}, false
	}
	if cycle := tree.GeneratedCycle(id); cycle >= 0 {
		if path, i := byCycle(r.base.runs, cycle, id); path != nil {
			return path[0].page.nodes[i].stored, true
		}
	}
	var found stored
	r.base.byStub.Range(func(l, of any) bool {
		if l.(*tree.List).Unopened() {
			return true
		}
		p := of.(*run).page
		p.index()
		i, here := p.byID[id]
		if here {
			found = p.nodes[i].stored
		}
		return !here
	})
	return found, found != stored{}
}

// write writes the directory, marks the pages that it replaces, and deletes the pages of
// directories older than the one that it follows.
func (d *directoryDraft) write(w *writer) error {
	st := &w.store.stmts
	var erasures int64
	var previous, no sql.NullInt64
	row := w.stmt(st.contextRowNow).QueryRowContext(w.ctx, d.branch)
	var c contextRow
	if err := row.Scan(c.into()...); err != nil {
		return err
	}
	erasures = c.Erasures
	if err := w.stmt(st.lastDirectoryNow).QueryRowContext(w.ctx, d.branch, d.branch).Scan(&previous, &no); err != nil {
		return err
	}
	sameBefore := previous.Valid == !d.first && previous.Int64 == d.previous
	if c.deleted != 0 || erasures != d.state.Erasures || !sameBefore {
		return nil
	}
	cycle := d.state.Cycle
	if !d.first && d.replay.base == nil { // the previous directory is damaged
		if err := w.dropDirectories(d.branch, beforeAll); err != nil {
			return err
		}
	}
	for _, p := range d.pages {
		if err := w.exec(st.insertRun, d.branch, p.no, cycle, p.body); err != nil {
			return err
		}
	}
	sum := page.Digest(d.root, d.branch, cycle)
	if err := w.exec(st.insertDirectory, d.branch, cycle, sum[:], d.root); err != nil {
		return err
	}
	if d.first {
		return nil
	}
	for _, no := range d.gone {
		if err := w.exec(st.replaceRun, cycle, d.branch, no); err != nil {
			return err
		}
	}
	if err := w.exec(st.deleteDirectories, d.branch, d.previous); err != nil {
		return err
	}
	return w.exec(st.deleteRuns, d.branch, d.previous, d.branch)
}

// replaced finds the pages of this branch that the previous directory has and this one does
// not.
func (d *directoryDraft) replaced() {
	var visit func(runs []*run)
	visit = func(runs []*run) {
		for _, r := range runs {
			if d.kept[r] {
				continue
			}
			if r.Branch == d.branch {
				d.gone = append(d.gone, r.No)
			}
			visit(r.open().runs)
		}
	}
	if d.replay.base != nil {
		visit(d.replay.base.runs)
	}
}

// dropDirectories deletes the directories of a branch for cycles after after, and the pages
// that only they have.
func (w *writer) dropDirectories(branch, after int64) error {
	for _, query := range [...]string{`DELETE FROM directory WHERE branch = ? AND cycle > ?`,
		`DELETE FROM directory_run WHERE branch = ? AND born > ?`} {
		if err := w.execOnce(query, branch, after); err != nil {
			return err
		}
	}
	return nil
}
