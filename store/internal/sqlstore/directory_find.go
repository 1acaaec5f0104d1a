package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"github.com/contexttree/pact/store/internal/directory"
	"github.com/contexttree/pact/tree"
)

// find is tree.Unloaded.Find.
func (o *opened) find(id string) (n *tree.Node, parent string, err error) {
	defer tree.Recover(&err)
	path, i, err := o.locate(id)
	if len(path) == 0 || err != nil {
		return nil, "", err
	}
	at := &path[len(path)-1].page.nodes[i]
	return at.node, at.parent, nil
}

// locate returns the runs that lead to the page of an id, and the index of its node there; no
// runs if the id is in no page. Most ids name their cycle, and the cycle gives the page. For
// the others the store looks up the nid.
func (o *opened) locate(id string) (path []*run, i int32, err error) {
	cycle := tree.GeneratedCycle(id)
	if cycle >= 0 {
		if path, i = byCycle(o.runs, cycle, id); path != nil {
			slices.Reverse(path)
			return path, i, nil
		}
	}
	if o.odd == 0 || cycle > max(o.cycle, o.given) {
		return nil, 0, nil
	}
	r, err := o.store.ref(context.Background(), o.line, id)
	if err != nil || r == (ref{}) {
		return nil, 0, err
	}
	if path, i = byNID(o.runs, r.nid); path != nil && path[0].page.nodes[i].node.ID == id {
		slices.Reverse(path)
		return path, i, nil
	}
	return nil, 0, nil
}

// byCycle finds an id that names its cycle. It returns the runs from the innermost outwards.
func byCycle(runs []*run, cycle int64, id string) ([]*run, int32) {
	for _, r := range runs {
		if !r.Cycles.Has(cycle) {
			continue
		}
		p := r.open()
		p.index()
		if i, here := p.byID[id]; here {
			return []*run{r}, i
		}
		if path, i := byCycle(p.runs, cycle, id); path != nil {
			return append(path, r), i
		}
	}
	return nil, 0
}

// byNID finds a node by its nid, and returns what byCycle does.
func byNID(runs []*run, nid int64) ([]*run, int32) {
	for _, r := range runs {
		if !r.HasNID(nid) {
			continue
		}
		p := r.open()
		p.index()
		if i, here := p.byNID[nid]; here {
			return []*run{r}, i
		}
		if path, i := byNID(p.runs, nid); path != nil {
			return append(path, r), i
		}
	}
	return nil, 0
}

// idOf returns the id of a node in a run by its nid, "" if no run has it. It panics if a page
// cannot be loaded (tree.LoadError).
func (o *opened) idOf(nid int64) string {
	if path, i := byNID(o.runs, nid); path != nil {
		return path[0].page.nodes[i].node.ID
	}
	return ""
}

// referrers is tree.Unloaded.Referrers: what refers to an id is in the page of the id, or in a
// page that lists the hash of the id.
func (o *opened) referrers(id string) (list []string, err error) {
	defer tree.Recover(&err)
	path, _, err := o.locate(id)
	if err != nil {
		return nil, err
	}
	hash := directory.Hash(id)
	var visit func(runs []*run)
	visit = func(runs []*run) {
		for _, r := range runs {
			if !slices.Contains(path, r) && !r.RefersTo(hash) {
				continue
			}
			p := r.open()
			for i := range p.nodes {
				if n := p.nodes[i].node; slices.Contains(n.Refs, id) {
					list = append(list, n.ID)
				}
			}
			visit(p.runs)
		}
	}
	visit(o.runs)
	return list, nil
}

// rebuild makes a run from the rows of the context. Its page is damaged, or a newer directory
// replaced it while somebody held a snapshot that was opened through this one. Cost: that of
// all rows of the context, once for all runs.
func (r *run) rebuild(ctx context.Context) (*tree.List, error) {
	o := r.of
	whole, err := o.fromRows(ctx)
	if err != nil {
		return nil, err
	}
	seq := whole.tree.Region(tree.Seq)
	if seq == nil {
		return nil, directoryDamage(o.cycle, "is that of another snapshot")
	}
	list := runOf(seq.Children(), r.Stub)
	if list == nil {
		return nil, directoryDamage(o.cycle, "is that of another snapshot")
	}
	p := &runPage{}
	var add func(e *tree.Entry, parent string)
	add = func(e *tree.Entry, parent string) {
		n := e.Node()
		p.nodes = append(p.nodes, pagedNode{n, parent, whole.stored[n.ID]})
		for k := range e.Children().All() {
			add(k, n.ID)
		}
	}
	for turn := range list.All() {
		add(turn, o.seq)
	}
	r.page = p
	return list, nil
}

// fromRows makes the tree of the directory from the rows, unless it did so before. If an
// erasure changed the rows since, it returns E_CONFLICT.
func (o *opened) fromRows(ctx context.Context) (*replay, error) {
	o.reading.Lock()
	defer o.reading.Unlock()
	c := &scanner{store: o.store, line: o.line, known: make(map[string][]tree.Header)}
	var live []row
	err := o.store.inReadTx(ctx, "reading a run of turns", func(tx *sql.Tx) error {
		st, err := o.store.state(ctx, tx, o.key)
		switch {
		case err != nil:
			return err
		case st.Erasures != o.erasures:
			return erasedMeanwhile()
		case o.whole != nil:
			return nil
		}
		c.tx = tx
		live, _, err = c.live(ctx, o.cycle, o.cycle)
		return err
	})
	if err != nil || o.whole != nil {
		return o.whole, err
	}
	c.tx = nil
	whole := &replay{scanner: c, ids: make(map[int64]string, len(live)), stored: make(map[string]stored, len(live))}
	if err := whole.build(o.cycle, live, nil, nil); err != nil {
		return nil, err
	}
	o.whole = whole
	return whole, nil
}

// runOf finds the run of the list l that the stub s stands for.
func runOf(l *tree.List, s tree.Stub) *tree.List {
	if l.Len() < s.Count {
		return nil
	}
	if own, ok := l.Stub(); ok && own.Digest == s.Digest {
		return l
	}
	_, runs := l.Parts()
	for _, below := range runs {
		if found := runOf(below, s); found != nil {
			return found
		}
	}
	return nil
}
