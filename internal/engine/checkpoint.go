package engine

import (
	"context"
	"crypto/sha256"
	"slices"
	"sort"
	"sync"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// point is a checkpoint as its row says it.
type point struct {
	cycle, revision int64
	pages           int64 // number of the first page that was written with it
	digest          tree.Digest
	first           []byte // the first page
}

func (p *point) encode(by *packing) []byte {
	packed := by.pack(p.first)
	w := writer{make([]byte, 0, len(packed)+100)}
	w.count(format)
	for _, n := range [...]int64{p.cycle, p.revision, p.pages} {
		w.signed(n)
	}
	w.raw(p.digest[:])
	w.count(len(p.first))
	w.raw(packed)
	w.sum(0)
	return w.b
}

func (e *Engine) decodePoint(value []byte) (*point, error) {
	if !summed(value) {
		return nil, damaged("a checkpoint is not as it was written")
	}
	r, p := reader{rest: string(value[:len(value)-sumSize])}, &point{}
	if r.int() != format {
		return nil, damaged("a checkpoint has another format")
	}
	for _, n := range [...]*int64{&p.cycle, &p.revision, &p.pages} {
		*n = r.signed()
	}
	p.digest = r.digest()
	size := r.int()
	if r.bad {
		return nil, damaged("a checkpoint is too short")
	}
	first, err := e.packing.unpack([]byte(r.rest), size)
	p.first = first
	return p, err
}

// opened is a checkpoint that was opened: its tree has stubs that lead here.
type opened struct {
	e     *Engine
	l     *branch
	seq   string
	runs  []*openRun
	mu    sync.Mutex // guards known
	known map[tree.Digest]*runIndex

	revision  int64
	replaying sync.Mutex
	replayed  *tree.Tree // what replay made
}

// openRun is a run that is read when a caller looks inside it.
type openRun struct {
	runIndex
	of    *opened
	list  *tree.List
	nodes map[string]placedNode // once open
	runs  []*openRun
}

type placedNode struct {
	node   *tree.Node
	parent string
}

// open makes the tree of a checkpoint of a branch from its first page.
func (e *Engine) open(l *branch, p *point) (*tree.Tree, *opened, error) {
	t, o, err := e.openPoint(l, p)
	return t, o, derived(p.cycle, err)
}

func (e *Engine) openPoint(l *branch, p *point) (*tree.Tree, *opened, error) {
	first, err := decodePage(p.first)
	if err != nil {
		return nil, nil, err
	}
	o := &opened{e: e, l: l, known: make(map[tree.Digest]*runIndex), revision: p.revision}
	placed, err := o.placed(first.rows, nil)
	if err != nil {
		return nil, nil, err
	}
	var between []tree.Between
	o.runs, between = o.lazyRuns(first.runs)
	var unloaded *tree.Unloaded
	if len(between) > 0 {
		unloaded = &tree.Unloaded{Find: o.find, Referrers: o.referrers}
	}
	t, err := tree.BuildAround(p.cycle, placed, between, unloaded)
	if err != nil {
		return nil, nil, err
	}
	if t.Digest() != p.digest {
		return nil, nil, damaged("a checkpoint is not the snapshot that it stands for")
	}
	if seq := t.Region(tree.Seq); seq != nil {
		o.seq = seq.Node().ID
	}
	return t, o, nil
}

func (o *opened) lazyRuns(list []runIndex) ([]*openRun, []tree.Between) {
	runs, between := make([]*openRun, len(list)), make([]tree.Between, len(list))
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range list {
		r := &openRun{runIndex: list[i], of: o}
		r.stub.Names = r.mayName
		r.list = r.stub.List(r.load)
		o.known[r.stub.Digest] = &r.runIndex
		runs[i], between[i] = r, tree.Between{Turns: r.turns, Run: r.list}
	}
	return runs, between
}

// pages returns the pages that are known, by the digests of their runs.
func (o *opened) pages() map[tree.Digest]*runIndex {
	known := make(map[tree.Digest]*runIndex)
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		for d, x := range o.known {
			known[d] = x
		}
	}
	return known
}

func (o *opened) placed(rows []row, into map[string]placedNode) ([]tree.Placed, error) {
	list, at := make([]tree.Placed, len(rows)), make(map[string]int, len(rows))
	for i := range rows {
		r := &rows[i]
		n := o.e.node(o.l, r)
		parent := -1
		if r.parent != "" {
			above, here := at[r.parent]
			if !here {
				return nil, damaged("a page has a node before its parent")
			}
			parent = above
		}
		at[r.id] = i
		list[i] = tree.Placed{Node: n, Parent: parent}
		if into != nil {
			name := r.parent
			if name == "" {
				name = o.seq
			}
			into[r.id] = placedNode{n, name}
		}
	}
	return list, nil
}

func (r *openRun) load(ctx context.Context) (*tree.List, error) {
	list, err := r.read(ctx)
	if d, _ := damageOrError(err); d != nil {
		return r.rebuild(ctx, err)
	}
	return list, err
}

// read makes a run from its page.
func (r *openRun) read(ctx context.Context) (*tree.List, error) {
	p, err := r.of.e.page(ctx, r.of.e.store, &r.runIndex)
	if err != nil {
		return nil, err
	}
	nodes := make(map[string]placedNode, len(p.rows))
	placed, err := r.of.placed(p.rows, nodes)
	if err != nil {
		return nil, err
	}
	runs, between := r.of.lazyRuns(p.runs)
	list, err := tree.BuildRun(placed, between)
	r.nodes, r.runs = nodes, runs
	return list, err
}

// page reads the page of a run.
func (e *Engine) page(ctx context.Context, from store.Reader, x *runIndex) (*page, error) {
	packed, err := from.Get(ctx, in(x.key, pagePrefix+ordered(x.no)))
	if err != nil {
		return nil, err
	}
	if packed == nil {
		return nil, damaged("a page is missing")
	}
	if sha256.Sum256(packed) != x.sum {
		return nil, damaged("a page is not as it was written")
	}
	raw, err := e.packing.unpack(packed, x.size)
	if err != nil {
		return nil, err
	}
	return decodePage(raw)
}

// find returns a node of an id in the runs, as the checkpoint has it.
func (o *opened) find(id string) (n *tree.Node, parent string, err error) {
	found, err := findIn(o.runs, id, tree.GeneratedCycle(id), hashID(id))
	if err != nil {
		return nil, "", err
	}
	return found.node, found.parent, nil
}

func findIn(runs []*openRun, id string, cycle int64, hash uint64) (n placedNode, err error) {
	for _, r := range runs {
		if !r.may(cycle, hash) {
			continue
		}
		if _, _, err := r.list.Parts(); err != nil { // it opens the run
			return placedNode{}, err
		}
		n, here := r.nodes[id]
		if !here {
			if n, err = findIn(r.runs, id, cycle, hash); err != nil {
				return placedNode{}, err
			}
		}
		if n.node != nil {
			return n, nil
		}
	}
	return n, nil
}

func (o *opened) referrers(id string) (list []string, err error) {
	cycle, hash := tree.GeneratedCycle(id), hashID(id)
	var visit func(runs []*openRun) error
	visit = func(runs []*openRun) error {
		for _, r := range runs {
			if !r.mayRefer(cycle, hash) {
				continue
			}
			if _, _, err := r.list.Parts(); err != nil {
				return err
			}
			for _, n := range r.nodes {
				if slices.Contains(n.node.Refs, id) {
					list = append(list, n.node.ID)
				}
			}
			if err := visit(r.runs); err != nil {
				return err
			}
		}
		return nil
	}
	err = visit(o.runs)
	sort.Strings(list)
	return list, err
}
