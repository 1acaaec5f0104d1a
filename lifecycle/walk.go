package lifecycle

import (
	"container/heap"

	"github.com/contexttree/pact/tree"
)

// queue is a heap of candidates, and of places where candidates are, in the order
// of candidates (02 §7.1).
type queue []place

// place is a candidate, or a place where candidates are: an item of a region or a
// run of items. Such a place stands where the first of its candidates does.
type place struct {
	candidate
	item *tree.Entry
	run  *tree.List
}

// single reports whether a place is a candidate itself.
func (p *place) single() bool { return p.item == nil && p.run == nil }

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return canonical(q[i].candidate, q[j].candidate) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// push and pop do what package heap does with Push and Pop, but for the boxes
// that those put their values in.
func (q *queue) push(p place) {
	*q = append(*q, p)
	heap.Fix(q, len(*q)-1)
}

func (q *queue) pop() place {
	first, last := (*q)[0], len(*q)-1
	(*q)[0] = (*q)[last]
	if *q = (*q)[:last]; last > 0 {
		heap.Fix(q, 0)
	}
	return first
}

func (*queue) Push(any) {} // for heap.Interface
func (*queue) Pop() any { return nil }

// walk hands out the candidates that exceeded limits may take, in their order
// (02 §7.1), and looks at nothing that comes later. It opens a place when the first
// candidate there is the next one; each list of the tree keeps which one that is
// (see [tree.First]). The items of ^sys and ^seq are their children, ^ah is one item.
//
// It passes over candidates that can help none of the limits: neither they count,
// nor anything that they may have to go with. An item by itself shows this where
// no reference crosses its border. It is opened whole where one does.
//
// Cost: what it hands out, with the path that leads there; where every limit is
// for turns, a kind, a tag or a region, also the references between items.
type walk struct {
	*pruner
	queue
	wanted   []*limit
	byRegion map[tree.Class][]*limit      // of these, by region: which its candidates can help
	all      bool                         // whether every candidate outside ^sys helps one of them
	firsts   map[tree.Class][]*tree.First // by region: the first candidate that helps, for each limit
	crossed  map[string]bool              // the items that a reference from elsewhere leads into
	visited  map[string]bool              // the candidates that were in the queue
}

func earlier(a, b *tree.Node) *tree.Node {
	if a == nil || b != nil && compareNodes(b, a) < 0 {
		return b
	}
	return a
}

// walkFor begins a walk for limits that are exceeded.
func (p *pruner) walkFor(wanted []*limit) (*walk, error) {
	w := &walk{pruner: p, wanted: wanted, byRegion: make(map[tree.Class][]*limit), crossed: make(map[string]bool),
		visited: make(map[string]bool)}
	for _, l := range wanted {
		if l.region == tree.Sys.String() {
			w.byRegion[tree.Sys] = append(w.byRegion[tree.Sys], l)
		} else {
			w.byRegion[tree.Seq] = append(w.byRegion[tree.Seq], l)
		}
		w.all = w.all || l.takesAny()
	}
	w.byRegion[tree.Head] = w.byRegion[tree.Seq]
	w.firsts = map[tree.Class][]*tree.First{tree.Sys: w.firstsOf(tree.Sys), tree.Seq: w.firstsOf(tree.Seq),
		tree.Head: w.firstsOf(tree.Head)}
	if !w.all || len(w.byRegion[tree.Sys]) > 0 {
		if err := w.follow(); err != nil {
			return nil, err
		}
	}
	if err := w.putItem(tree.Head, p.tree.Region(tree.Head)); err != nil {
		return nil, err
	}
	turns, sys := p.tree.Region(tree.Seq).Children(), p.tree.Region(tree.Sys).Children()
	if err := w.open(tree.Seq, turns, turns.Len()-p.in.Policy.ProtectTurns); err != nil {
		return nil, err
	}
	return w, w.open(tree.Sys, sys, sys.Len())
}

// takesAll reports whether every candidate of a region helps some limit.
func (w *walk) takesAll(region tree.Class) bool { return w.all && region != tree.Sys }

// next takes the next candidate out, false where there is none.
func (w *walk) next() (candidate, bool, error) {
	for len(w.queue) > 0 {
		p := w.queue.pop()
		if p.single() {
			return p.candidate, true, nil
		}
		region := tree.Seq
		if p.sys {
			region = tree.Sys
		}
		var err error
		if p.run != nil {
			err = w.open(region, p.run, p.run.Len())
		} else {
			err = w.openItem(region, p.item)
		}
		if err != nil {
			return candidate{}, false, err
		}
	}
	return candidate{}, false, nil
}

// put puts candidates into the queue, those again that were in it.
func (w *walk) put(list ...candidate) {
	for _, c := range list {
		w.visited[c.id] = true
		w.queue.push(place{candidate: c})
	}
}

// open puts the first n items of a run into the queue, and the runs around them.
func (w *walk) open(region tree.Class, run *tree.List, n int) error {
	if n <= 0 || run.Len() == 0 {
		return nil
	}
	items, runs := run.Parts()
	for i := 0; i <= len(items) && n > 0; i++ {
		var err error
		if len(runs) > 0 {
			if below := runs[i]; n < below.Len() {
				err = w.open(region, below, n)
			} else {
				err = w.putRun(region, below)
			}
			n -= runs[i].Len()
		}
		if err == nil && i < len(items) && n > 0 {
			err = w.putItem(region, items[i])
			n--
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) putRun(region tree.Class, run *tree.List) error {
	var first *tree.Node
	for _, f := range w.firsts[region] {
		n, err := f.In(w.ctx, run)
		if err != nil {
			return err
		}
		first = earlier(first, n)
	}
	if first != nil {
		w.queue.push(place{candidate: candidate{first.ID, first, region == tree.Sys}, run: run})
	}
	return nil
}

func (w *walk) putItem(region tree.Class, item *tree.Entry) error {
	if w.crossed[item.Node().ID] { // which puts all that is in it
		return nil
	}
	var first *tree.Node
	for _, f := range w.firsts[region] {
		n, err := f.At(w.ctx, item)
		if err != nil {
			return err
		}
		first = earlier(first, n)
	}
	if first != nil {
		w.queue.push(place{candidate: candidate{first.ID, first, region == tree.Sys}, item: item})
	}
	return nil
}

// openItem puts the candidates of an item into the queue.
func (w *walk) openItem(region tree.Class, item *tree.Entry) error {
	path := w.pathTo(region, item)
	if w.takesAll(region) {
		w.put(candidatesIn(path)...)
		return nil
	}
	for _, l := range w.byRegion[region] {
		list, err := w.helpers(path, l)
		if err != nil {
			return err
		}
		w.putNew(list)
	}
	return nil
}

func (w *walk) putNew(list []candidate) {
	for _, c := range list {
		if !w.visited[c.id] {
			w.put(c)
		}
	}
}

// putAgain puts the candidates into the queue that were put aside for a node.
func (w *walk) putAgain(aside map[string][]candidate, id string) {
	w.put(aside[id]...)
	delete(aside, id)
}

// putAround puts everything into the queue that is in an item with the end of
// path: with a stub there, what was passed over may help.
func (w *walk) putAround(path []*tree.Entry) {
	if region := path[1].Class(); !w.isRecent(path) && !w.takesAll(region) && len(w.byRegion[region]) > 0 {
		w.putNew(candidatesIn(itemOf(path)))
	}
}

// pathTo returns the path to an item.
func (w *walk) pathTo(region tree.Class, item *tree.Entry) []*tree.Entry {
	if item.Class() == tree.Head {
		return []*tree.Entry{w.tree.Root(), item}
	}
	return []*tree.Entry{w.tree.Root(), w.tree.Region(region), item}
}

// itemOf returns the path to the item that the end of a path is in, nil for what
// is in none.
func itemOf(path []*tree.Entry) []*tree.Entry {
	switch {
	case len(path) > 1 && path[1].Class() == tree.Head:
		return path[:2:2]
	case len(path) > 2:
		return path[:3:3]
	}
	return nil
}
