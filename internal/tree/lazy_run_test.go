package tree_test

import (
	"context"
	"slices"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// shelf stands for the store of a tree with stubs: it holds runs until they are
// asked for, and finds the nodes in them from a plain list of all that it holds.
type shelf struct {
	seq       string                                 // id of ^seq
	cut       func(s tree.LazyRun, above uint8) bool // whether to keep a run below one of a level
	runs      map[string]*shelved                    // by the id of every node that is in none of the runs below
	referrers map[string][]string
	mu        sync.Mutex
	loads     int
	fails     bool
}

// shelved is a run on a shelf.
type shelved struct {
	above *shelved // the run that this one is in, nil for none
	list  *tree.List
	nodes map[string]tree.Placed // with what was loaded
	all   []tree.Placed
}

var errShelf = fault.New(fault.Store, "the shelf is empty", "")

// onShelf makes a tree anew, with the runs of ^seq that cut chooses as stubs.
func onShelf(t failer, tr *tree.Tree, cut func(s tree.LazyRun, above uint8) bool) (*tree.Tree, *shelf) {
	t.Helper()
	s := &shelf{seq: tr.Region(tree.Seq).Node().ID, cut: cut, runs: map[string]*shelved{},
		referrers: map[string][]string{}}
	var p page
	at := p.add(tr.Root(), -1)
	for region := range sure.All(tr.Root().Children().All()) {
		if region.Class() != tree.Seq {
			p.below(region, at)
			continue
		}
		seq := p.add(region, at)
		s.part(&p, region.Children(), seq, nil, topmost)
	}
	again, err := tree.BuildAround(tr.Cycle(), p.nodes, p.runs, &tree.Unloaded{Find: s.find, Referrers: s.refer})
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return again, s
}

// topmost stands for the level of a run above all the turns of a tree.
const topmost = 255

// byTwoLevels cuts as a store does: what two levels hold is one piece, and the
// topmost two are in the tree.
func byTwoLevels(s tree.LazyRun, above uint8) bool { return above != topmost && s.Level/2 < above/2 }

// page holds the arguments of Build and BuildRun.
type page struct {
	nodes []tree.Placed
	runs  []tree.Between
	turns int
}

func (p *page) add(e *tree.Entry, parent int) int {
	p.nodes = append(p.nodes, tree.Placed{Node: e.Node(), Parent: parent})
	return len(p.nodes) - 1
}

func (p *page) below(e *tree.Entry, parent int) {
	at := p.add(e, parent)
	for k := range sure.All(e.Children().All()) {
		p.below(k, at)
	}
}

// part adds a run to a page: as a stub where it is to be cut out.
func (s *shelf) part(p *page, l *tree.List, seq int, in *shelved, above uint8) {
	if l.Len() == 0 {
		return
	}
	stub, ok := l.LazyRun()
	if !ok || !s.cut(stub, above) {
		s.inside(p, l, seq, in, stub.Level)
		return
	}
	run := &shelved{above: in}
	var whole page
	s.inside(&whole, l, -1, run, stub.Level)
	for _, n := range whole.nodes {
		s.runs[n.Node.ID] = run
		for _, to := range n.Node.Refs {
			if !slices.Contains(s.referrers[to], n.Node.ID) {
				s.referrers[to] = append(s.referrers[to], n.Node.ID)
			}
		}
	}
	run.all = whole.nodes
	run.list = stub.List(func(context.Context) (*tree.List, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.loads++
		if s.fails {
			return nil, errShelf
		}
		run.nodes = map[string]tree.Placed{}
		for i, p := range whole.nodes { // as new ones, which share nothing with those of the tree
			n := *p.Node
			n.Headers = append([]tree.Header(nil), n.Headers...)
			whole.nodes[i].Node = tree.NewNode(n, nil)
			run.nodes[n.ID] = whole.nodes[i]
		}
		return tree.BuildRun(whole.nodes, whole.runs)
	})
	p.runs = append(p.runs, tree.Between{Turns: p.turns, Run: run.list})
}

func (s *shelf) inside(p *page, l *tree.List, seq int, in *shelved, level uint8) {
	items, runs := sure.Get2(l.Parts())
	for i := range len(items) + 1 {
		if runs != nil {
			s.part(p, runs[i], seq, in, level)
		}
		if i < len(items) {
			p.below(items[i], seq)
			p.turns++
		}
	}
}

func (r *shelved) open() error {
	if r.above != nil {
		if err := r.above.open(); err != nil {
			return err
		}
	}
	_, _, err := r.list.Parts()
	return err
}

func (s *shelf) find(id string) (n *tree.Node, parent string, err error) {
	run := s.runs[id]
	if run == nil {
		return nil, "", nil
	}
	if err := run.open(); err != nil {
		return nil, "", err
	}
	found := run.nodes[id]
	if found.Parent < 0 {
		return found.Node, s.seq, nil
	}
	return found.Node, run.all[found.Parent].Node.ID, nil
}

func (s *shelf) refer(id string) ([]string, error) {
	if s.fails {
		return nil, errShelf
	}
	return s.referrers[id], nil
}
