package commit

import (
	"context"
	"strings"

	"github.com/contexttree/pact/internal/tree"
)

// anyCandidateHelps reports whether a limit takes all candidates in their order,
// whatever they weigh (02 §7.3): a limit on the whole snapshot does.
func (l *limit) anyCandidateHelps() bool {
	return l.region == "" && l.kind == "" && l.tag == "" && l.unit != turns
}

// firstHelpers returns, for each limit of a region, a finder of the first candidate of an
// item that may help the limit. It returns one finder for all limits if every candidate
// helps one of them.
func (w *walk) firstHelpers(region tree.Class) (list []*tree.Minimum) {
	less := func(a, b *tree.Node) (bool, error) { return w.comesBefore(a, b, region) }
	if w.everyCandidateHelps(region) {
		return []*tree.Minimum{{
			Name: w.ranking.nameOf("first in " + region.String()),
			Less: less,
			Of: func(_ context.Context, item *tree.Entry) (*tree.Node, error) {
				var room [8]*tree.Entry
				list, err := w.candidatesIn(w.appendPathTo(room[:0], region, item))
				return firstOf(list), err
			},
		}}
	}
	for _, l := range w.byRegion[region] {
		counter := ""
		if l.unit == tokens {
			counter = w.tokens.Name
		}
		name := strings.Join([]string{"first in", region.String(), "for", string(l.unit), "of", l.region, l.kind, l.tag,
			counter}, "\x00")
		list = append(list, &tree.Minimum{
			Name: w.ranking.nameOf(name),
			Less: less,
			Of: func(_ context.Context, item *tree.Entry) (*tree.Node, error) {
				var room [8]*tree.Entry
				path := w.appendPathTo(room[:0], region, item)
				if out, err := refersOutside.At(w.ctx, item); out != nil || err != nil {
					if err != nil {
						return nil, err
					}
					list, err := w.candidatesIn(path)
					return firstOf(list), err
				}
				if counts, err := w.mayContribute(l, item, region); !counts || err != nil {
					return nil, err
				}
				helpers, err := w.helpersIn(path, l)
				return firstOf(helpers), err
			},
		})
	}
	return list
}

// helpersIn returns the candidates of the item at the end of path that may help a limit:
// those that count for it, and those that may have to go together with a node that
// does. Where a reference leads out of the item it returns all candidates. It does not
// look at references into the item; openReferenced does.
func (w *walk) helpersIn(path []*tree.Entry, l *limit) ([]candidate, error) {
	n := path[len(path)-1].Summary().Nodes
	t := disjointSets{limit: l, scale: &w.weigher, region: path[1].Class(), nodes: make([]setMember, 0, n),
		index: make(map[string]int, n)}
	var room [8]*tree.Entry
	if err := t.add(append(room[:0], path...), 0); err != nil {
		return nil, err
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if n := &t.nodes[i]; n.counts { // so do its ancestors, which go with it
			t.nodes[n.parent].counts = true
		}
	}
	for i := range t.nodes {
		for _, to := range t.nodes[i].Node().Refs {
			k, inside := t.index[to]
			if !inside {
				return w.candidatesIn(path)
			}
			t.union(i, k)
		}
	}
	for i := range t.nodes {
		if t.nodes[i].counts {
			t.nodes[t.find(i)].helps = true
		}
	}
	list := make([]candidate, 0, n)
	for i := range t.nodes {
		if n := &t.nodes[i]; n.prunable && t.nodes[t.find(i)].helps {
			c, err := w.candidate(n.Node(), t.region)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// mayContribute reports whether a node at or below an item may count for a limit. Cost:
// O(1) where the sums that the tree keeps show that none does.
func (w *walk) mayContribute(l *limit, item *tree.Entry, region tree.Class) (bool, error) {
	if !l.within(region) || l.summed() {
		return l.within(region), nil
	}
	n, err := w.measureOf(l, region).Sum(w.ctx, item)
	return n > 0, err
}
