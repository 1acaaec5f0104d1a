package commit

import (
	"cmp"
	"container/heap"

	"github.com/contexttree/pact/internal/tree"
)

// queue is a heap of candidates, and of places that hold candidates, in pruning order (02
// §7.1).
type queue []queued

// queued is an element of the queue: a candidate, or a place that holds candidates and has
// the rank of the first of them.
type queued struct {
	candidate             // for a place: its first candidate
	item      *tree.Entry // the place is this item of a region; nil if it is not
	run       *tree.List  // the place is this run of items; nil if it is not
}

// single reports whether an element is a candidate and no place.
func (p *queued) single() bool { return p.item == nil && p.run == nil }

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return compareCandidates(q[i].candidate, q[j].candidate) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// push and pop replace heap.Push and heap.Pop, which allocate an interface value for each
// element.
func (q *queue) push(p queued) {
	*q = append(*q, p)
	heap.Fix(q, len(*q)-1)
}

func (q *queue) pop() queued {
	first, last := (*q)[0], len(*q)-1
	(*q)[0] = (*q)[last]
	if *q = (*q)[:last]; last > 0 {
		heap.Fix(q, 0)
	}
	return first
}

func (*queue) Push(any) {} // for heap.Interface
func (*queue) Pop() any { return nil }

// walk yields the candidates that exceeded limits may take, in pruning order (02 §7.1),
// and looks at no candidate before its turn. It divides the tree into items: the children
// of ^sys and of ^seq, and ^ah as a whole. It opens an item, or a run of items, only when
// the first candidate in it is the next one; each list of the tree remembers which one
// that is (see [tree.Minimum]).
//
// walk skips candidates that can help none of the limits: those that do not count
// themselves and do not have to go with a node that counts. An item alone shows which these
// are if no reference crosses its border. Otherwise walk yields all of its candidates.
//
// Cost: the candidates that it yields and the paths to them; if every limit is on turns,
// a kind, a tag or a region, also the references between items.
type walk struct {
	*pruner
	queue
	wanted   []*limit                 // the limits that were exceeded when the walk began
	byRegion [regions][]*limit        // the wanted limits that candidates of a region can help
	all      bool                     // whether every candidate outside ^sys helps a wanted limit
	firsts   [regions][]*tree.Minimum // by region, for each limit: what finds the first candidate that helps
	crossed  map[string]bool          // the items that a reference from another item leads into
	visited  map[string]bool          // the candidates that were put into the queue before
}

// regions is the length of an array that classes of regions index.
const regions = max(tree.Sys, tree.Seq, tree.Head) + 1

// earlier returns the node of a region that pruning takes first; nil counts as none.
func (w *walk) earlier(a, b *tree.Node, region tree.Class) (*tree.Node, error) {
	if a == nil || b == nil {
		return cmp.Or(a, b), nil
	}
	if before, err := w.comesBefore(b, a, region); before || err != nil {
		return b, err
	}
	return a, nil
}

// comesBefore reports whether pruning takes a before b.
func (w *walk) comesBefore(a, b *tree.Node, region tree.Class) (bool, error) {
	x, err := w.candidate(a, region)
	if err != nil {
		return false, err
	}
	y, err := w.candidate(b, region)
	return compareCandidates(x, y) < 0, err
}

// walkFor begins a walk for exceeded limits.
func (p *pruner) walkFor(wanted []*limit) (*walk, error) {
	w := &walk{pruner: p, wanted: wanted, queue: make(queue, 0, 32),
		crossed: make(map[string]bool), visited: make(map[string]bool)}
	// A removable group in ^sys can have to go with a candidate from elsewhere.
	sys, turns := p.tree.Region(tree.Sys), p.tree.Region(tree.Seq).Children()
	groupsInSys := sys.Summary().Containers > 0
	for _, l := range wanted {
		onSys := l.region == tree.Sys.String()
		if onSys {
			w.byRegion[tree.Sys] = append(w.byRegion[tree.Sys], l)
		}
		if !onSys || groupsInSys {
			w.byRegion[tree.Seq] = append(w.byRegion[tree.Seq], l)
		}
		w.all = w.all || l.anyCandidateHelps()
	}
	w.byRegion[tree.Head] = w.byRegion[tree.Seq]
	for _, region := range [...]tree.Class{tree.Sys, tree.Seq, tree.Head} {
		w.firsts[region] = w.firstHelpers(region)
	}
	if !w.all || len(w.byRegion[tree.Sys]) > 0 {
		if err := w.openReferenced(); err != nil {
			return nil, err
		}
	}
	if err := w.putItem(tree.Head, p.tree.Region(tree.Head)); err != nil {
		return nil, err
	}
	if err := w.open(tree.Seq, turns, turns.Len()-p.in.Policy.ProtectTurns); err != nil {
		return nil, err
	}
	return w, w.open(tree.Sys, sys.Children(), sys.Children().Len())
}

// everyCandidateHelps reports whether every candidate of a region helps some limit.
func (w *walk) everyCandidateHelps(region tree.Class) bool { return w.all && region != tree.Sys }

// next returns the next candidate, false if there is none.
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

// put puts candidates into the queue, also those that were in it before.
func (w *walk) put(list ...candidate) {
	for _, c := range list {
		w.visited[c.id] = true
		w.queue.push(queued{candidate: c})
	}
}

// open puts the first n items of a run into the queue: single items and, where they fit,
// the runs between these.
func (w *walk) open(region tree.Class, run *tree.List, n int) error {
	if n <= 0 || run.Len() == 0 {
		return nil
	}
	items, runs, err := run.Parts()
	if err != nil {
		return err
	}
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
	return w.putFirst(region, queued{run: run}, func(f *tree.Minimum) (*tree.Node, error) { return f.In(w.ctx, run) })
}

func (w *walk) putItem(region tree.Class, item *tree.Entry) error {
	if w.crossed[item.Node().ID] { // openReferenced has put all of its candidates
		return nil
	}
	return w.putFirst(region, queued{item: item}, func(f *tree.Minimum) (*tree.Node, error) { return f.At(w.ctx, item) })
}

// putFirst puts a run or an item into the queue, with the first of the candidates in it.
func (w *walk) putFirst(region tree.Class, q queued, in func(*tree.Minimum) (*tree.Node, error)) error {
	var first *tree.Node
	for _, f := range w.firsts[region] {
		n, err := in(f)
		if err != nil {
			return err
		}
		if first, err = w.earlier(first, n, region); err != nil {
			return err
		}
	}
	if first == nil {
		return nil
	}
	c, err := w.candidate(first, region)
	q.candidate = c
	if err == nil {
		w.queue.push(q)
	}
	return err
}

// openItem puts the candidates of an item into the queue.
func (w *walk) openItem(region tree.Class, item *tree.Entry) error {
	var room [8]*tree.Entry
	path := w.appendPathTo(room[:0], region, item)
	if w.everyCandidateHelps(region) {
		list, err := w.candidatesIn(path)
		if err != nil {
			return err
		}
		w.put(list...)
		return nil
	}
	for _, l := range w.byRegion[region] {
		list, err := w.helpersIn(path, l)
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

// requeue puts the candidates that were set aside for a node into the queue.
func (w *walk) requeue(aside map[string][]candidate, id string) {
	w.put(aside[id]...)
	delete(aside, id)
}

// requeueItem puts the candidates of the item around the node at the end of path, a new
// stub, into the queue: with the stub a candidate may help that did not before.
func (w *walk) requeueItem(path []*tree.Entry) error {
	if region := path[1].Class(); !w.isProtected(path) && !w.everyCandidateHelps(region) && len(w.byRegion[region]) > 0 {
		list, err := w.candidatesIn(itemOf(path))
		if err != nil {
			return err
		}
		w.putNew(list)
	}
	return nil
}

// appendPathTo appends the path to an item.
func (w *walk) appendPathTo(path []*tree.Entry, region tree.Class, item *tree.Entry) []*tree.Entry {
	if path = append(path, w.tree.Root()); item.Class() != tree.Head {
		path = append(path, w.tree.Region(region))
	}
	return append(path, item)
}

// itemOf returns the path to the item that the node at the end of path is or is in, nil if
// there is none.
func itemOf(path []*tree.Entry) []*tree.Entry {
	switch {
	case len(path) > 1 && path[1].Class() == tree.Head:
		return path[:2:2]
	case len(path) > 2:
		return path[:3:3]
	}
	return nil
}
