package lifecycle

import (
	"context"
	"strings"

	"github.com/contexttree/pact/tree"
)

// takesAny reports whether a limit takes every candidate as it comes, whatever
// the candidate counts.
func (l *limit) takesAny() bool {
	return l.region == "" && l.kind == "" && l.tag == "" && l.unit != turns
}

// firstsOf returns what finds the first candidate of an item of a region that may
// help, for each limit; one for all where every candidate helps some limit.
func (w *walk) firstsOf(region tree.Class) (list []*tree.First) {
	first := func(name string, find func(path []*tree.Entry) ([]candidate, error)) {
		list = append(list, &tree.First{
			Name: name,
			Less: func(a, b *tree.Node) bool { return compareNodes(a, b) < 0 },
			Of: func(_ context.Context, item *tree.Entry) (*tree.Node, error) {
				candidates, err := find(w.pathTo(region, item))
				return firstOf(candidates), err
			},
		})
	}
	if w.takesAll(region) {
		first("first in "+region.String(), func(path []*tree.Entry) ([]candidate, error) { return candidatesIn(path), nil })
		return list
	}
	for _, l := range w.byRegion[region] {
		name := []string{"first in", region.String(), "for", string(l.unit), "of", l.region, l.kind, l.tag}
		if l.unit == tokens {
			name = append(name, w.tokens.Name)
		}
		first(strings.Join(name, "\x00"), func(path []*tree.Entry) ([]candidate, error) {
			item := path[len(path)-1]
			if out, err := leaving.At(w.ctx, item); out != nil || err != nil {
				return candidatesIn(path), err
			}
			if counts, err := w.mayCount(l, item, region); !counts || err != nil {
				return nil, err
			}
			return w.helpers(path, l)
		})
	}
	return list
}

// helpers returns the candidates at and below the end of path, which is an item,
// that may help a limit: those that count for it and those that something ties to a
// node that does; all where a reference leads out of the item. It does not know of
// references into it.
func (w *walk) helpers(path []*tree.Entry, l *limit) ([]candidate, error) {
	t := ties{limit: l, scale: &w.scale, region: path[1].Class(), at: make(map[string]int)}
	if err := t.enter(path, 0); err != nil {
		return nil, err
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if n := &t.nodes[i]; n.counts { // and so does what is around it
			t.nodes[n.above].counts = true
		}
	}
	for i := range t.nodes {
		for _, to := range t.nodes[i].Node().Refs {
			k, inside := t.at[to]
			if !inside {
				return candidatesIn(path), nil
			}
			t.join(i, k)
		}
	}
	for i := range t.nodes {
		if t.nodes[i].counts {
			t.nodes[t.find(i)].helps = true
		}
	}
	var list []candidate
	for i := range t.nodes {
		if n := &t.nodes[i]; n.prunable && t.nodes[t.find(i)].helps {
			list = append(list, candidate{n.Node().ID, n.Node(), t.region == tree.Sys})
		}
	}
	return list, nil
}

// ties are sets of nodes of one item: at least those that may have to go together
// are in one set.
type ties struct {
	limit  *limit
	scale  *scale
	region tree.Class
	nodes  []tied
	at     map[string]int // by id, into nodes
}

// tied is a node and the set that it is in.
type tied struct {
	*tree.Entry
	above    int  // the node around it, itself for the item
	set      int  // leads to the node that stands for the set
	prunable bool // whether it is a candidate
	counts   bool // whether anything at or below it counts for the limit
	helps    bool // whether anything in the set counts; of the node that stands for it
}

// enter takes in the end of path and what is below it. What can go with the item
// alone is in its set, and so are groups with what they hold.
func (t *ties) enter(path []*tree.Entry, above int) error {
	e, i := path[len(path)-1], len(t.nodes)
	weight, err := t.scale.weight(t.limit, e, t.region)
	if err != nil {
		return err
	}
	t.at[e.Node().ID] = i
	t.nodes = append(t.nodes, tied{Entry: e, above: above, set: i, prunable: prunable(path), counts: weight > 0})
	group := mayCascade(path)
	if !t.nodes[i].prunable && !group {
		t.join(i, 0)
	}
	for k := range e.Children().All() {
		below := len(t.nodes)
		if err := t.enter(append(path, k), i); err != nil {
			return err
		}
		if group {
			t.join(below, i)
		}
	}
	return nil
}

// find returns the node that stands for a set.
func (t *ties) find(i int) int {
	for t.nodes[i].set != i {
		t.nodes[i].set = t.nodes[t.nodes[i].set].set
		i = t.nodes[i].set
	}
	return i
}

func (t *ties) join(i, k int) { t.nodes[t.find(i)].set = t.find(k) }

// mayCount reports whether anything at or below an item may count for a limit.
// Cost: nothing to speak of where sums show that nothing does.
func (w *walk) mayCount(l *limit, item *tree.Entry, region tree.Class) (bool, error) {
	if !l.within(region) || l.summed() {
		return l.within(region), nil
	}
	n, err := w.measure(l, region).Sum(w.ctx, item)
	return n > 0, err
}

// leaving finds the items that references lead out of.
var leaving = &tree.First{
	Name: "refers out",
	Less: func(a, b *tree.Node) bool { return compareNodes(a, b) < 0 },
	Of: func(_ context.Context, item *tree.Entry) (*tree.Node, error) {
		if len(refsOut(item)) > 0 {
			return item.Node(), nil
		}
		return nil, nil
	},
}

// follow finds the references from item to item. It puts all candidates of the
// items that they lead into into the queue; what they come from shows itself.
func (w *walk) follow() error {
	var in func(l *tree.List) error
	one := func(item *tree.Entry) error {
		if n, err := leaving.At(w.ctx, item); n == nil || err != nil {
			return err
		}
		for _, id := range refsOut(item) {
			item := itemOf(w.tree.Path(id))
			if item == nil || w.crossed[item[len(item)-1].Node().ID] {
				continue
			}
			w.crossed[item[len(item)-1].Node().ID] = true
			if !w.isRecent(item) && len(w.byRegion[item[1].Class()]) > 0 {
				w.put(candidatesIn(item)...)
			}
		}
		return nil
	}
	in = func(l *tree.List) error {
		if l.Len() == 0 {
			return nil
		}
		if n, err := leaving.In(w.ctx, l); n == nil || err != nil {
			return err
		}
		items, runs := l.Parts()
		for _, run := range runs {
			if err := in(run); err != nil {
				return err
			}
		}
		for _, item := range items {
			if err := one(item); err != nil {
				return err
			}
		}
		return nil
	}
	for _, region := range [...]tree.Class{tree.Sys, tree.Seq} {
		if err := in(w.tree.Region(region).Children()); err != nil {
			return err
		}
	}
	return one(w.tree.Region(tree.Head))
}

// refsOut returns the ids that nodes at and below an item refer to, those of the
// item left out.
func refsOut(item *tree.Entry) (ids []string) {
	inside := make(map[string]bool)
	everything(item, func(id string) { inside[id] = true })
	var look func(e *tree.Entry)
	look = func(e *tree.Entry) {
		for _, id := range e.Node().Refs {
			if !inside[id] {
				ids = append(ids, id)
			}
		}
		for k := range e.Children().All() {
			look(k)
		}
	}
	look(item)
	return ids
}
