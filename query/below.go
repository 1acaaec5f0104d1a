package query

import (
	"math/bits"
	"slices"

	"github.com/contexttree/pact/tree"
)

// below goes on to the children of e that can be of use. Mostly all of them are
// reached alike; see inside.go for where they are not.
func (r *run) below(e *tree.Entry, at place, lv *level) {
	live, special := false, false
	lv.ends = lv.ends[:0]
	for i := range lv.out {
		g := &r.plan.groups[i]
		s := r.narrow(g, lv.out[i], e, at)
		lv.out[i] = s
		open := s.active()
		if open == 0 {
			continue
		}
		live = true
		special = special || open&g.picks != 0 || open&(g.parts|g.cores) != 0 && r.divided(e, open&g.parts != 0)
		if open&g.last != 0 {
			lv.ends = append(lv.ends, &g.steps[len(g.steps)-1])
		}
	}
	if !live {
		return
	}
	w := walk{run: r, parent: e, at: at, level: lv, out: lv.out}
	spans, few := r.spans(e, at, lv)
	if special {
		w.ways = r.waysInto(e, at, lv)
		w.out = w.ways.all
		few = few && !w.ways.divided
	}
	turns := e.Class() == tree.Seq && at.level == 1
	if !special && !few && !turns && at.level > 0 {
		w.plain(e.Children(), at.of(e, e, 0))
		return
	}
	if !few {
		spans = append(spans[:0], span{0, e.Children().Len()})
	}
	reverse := turns && r.plan.newest
	if reverse {
		slices.Reverse(spans)
	}
	for _, s := range spans {
		s.each(e.Children(), 0, reverse, w.enter, w.one)
	}
}

// divided reports whether a turn has parts or, where the question is of its
// core, an elided one.
func (r *run) divided(e *tree.Entry, parts bool) bool {
	if e.Class() != tree.Turn && e.Class() != tree.Head {
		return false
	}
	return parts || e.Core() == nil && e.HasOwnCoreBlocks()
}

// walk is a way over the children of one node.
type walk struct {
	*run
	parent *tree.Entry
	at     place // of the parent
	level  *level
	out    []state // everything that is open for some child
	ways   *ways   // nil where all children are reached alike
}

// enter reports whether a run of children can be of use.
func (w *walk) enter(l *tree.List) bool { return w.may(l.Sum(), w.out) }

// plain looks at the children at one place, passing over what the summaries
// rule out.
func (w *walk) plain(l *tree.List, at place) {
	items, runs := l.Parts()
	for i, k := range items {
		if runs != nil {
			w.entered(runs[i], at)
		}
		if k.Children() == nil {
			w.leaf(k, at)
		} else if w.may(k.Summary(), w.out) {
			w.visit(k, at, w.out, nil)
		}
	}
	if runs != nil {
		w.entered(runs[len(items)], at)
	}
}

func (w *walk) entered(l *tree.List, at place) {
	if l != nil && w.err == nil && w.enter(l) {
		w.plain(l, at)
	}
}

// leaf is visit for a node without children: only a last step can be of use.
func (w *walk) leaf(k *tree.Entry, at place) {
	looked := false
	for _, s := range w.level.ends {
		if !k.Summary().Marks.May(s.from) {
			continue
		}
		if !looked && !w.look() {
			return
		}
		looked = true
		if w.passes(s.tests, k, at) {
			w.take(k, at)
			return
		}
	}
}

// span is a run of ranks among the children of one node.
type span struct{ lo, hi int }

// each calls f for the items of l with ranks in the span, in either order,
// until f returns false. The first item has the given rank. It passes over the
// runs that enter refuses. It reports whether it came to the end.
func (s span) each(l *tree.List, rank int, reverse bool, enter func(*tree.List) bool, f func(k *tree.Entry, rank int) bool) bool {
	if l == nil || rank >= s.hi || rank+l.Len() <= s.lo || !enter(l) {
		return true
	}
	items, runs := l.Parts()
	if reverse {
		rank += l.Len()
	}
	for n := range 2*len(items) + 1 { // run, item, run, item … run
		if reverse {
			n = 2*len(items) - n
		}
		var below *tree.List
		size := 1
		if n%2 == 0 {
			if runs == nil {
				continue
			}
			below = runs[n/2]
			size = below.Len()
		}
		if reverse {
			rank -= size
		}
		if n%2 == 0 {
			if !s.each(below, rank, reverse, enter, f) {
				return false
			}
		} else if s.lo <= rank && rank < s.hi && !f(items[n/2], rank) {
			return false
		}
		if !reverse {
			rank += size
		}
	}
	return true
}

// one looks at a child of which the rank is known.
func (w *walk) one(k *tree.Entry, rank int) bool {
	at := w.at.of(k, w.parent, rank)
	switch {
	case w.ways != nil:
		w.oneInWays(k, at)
	case k.Children() == nil:
		w.leaf(k, at)
	case w.may(k.Summary(), w.out):
		w.visit(k, at, w.out, nil)
	}
	return w.err == nil
}

// spans returns the children that the open steps can concern where every one
// of them leads to an id or to a depth, and whether that is so.
func (r *run) spans(e *tree.Entry, at place, lv *level) (list []span, few bool) {
	list = lv.spans[:0]
	defer func() { lv.spans = list }()
	for i := range lv.out {
		g := &r.plan.groups[i]
		for m := lv.out[i].active(); m != 0; m &= m - 1 {
			s := &g.steps[bits.TrailingZeros64(m)]
			switch {
			case s.pin >= 0:
				rank := e.Children().Rank(r.paths[s.pin][at.level+1])
				list = append(list, span{rank, rank + 1})
			case len(s.depths) > 0 && e.Class() == tree.Seq && at.level == 1:
				list = ranks(list, s.depths[0], e.Children().Len())
			default:
				return list[:0], false
			}
		}
	}
	slices.SortFunc(list, func(a, b span) int { return a.lo - b.lo })
	merged := list[:0]
	for _, s := range list {
		if n := len(merged); n > 0 && s.lo <= merged[n-1].hi {
			merged[n-1].hi = max(merged[n-1].hi, s.hi)
		} else {
			merged = append(merged, s)
		}
	}
	list = merged
	return list, true
}

// ranks adds the ranks among n turns of depths, which are counted from the
// newest turn.
func ranks(list []span, depths []interval, n int) []span {
	for _, t := range depths {
		lo, hi := max(t.lo, 1), min(t.hi, int64(n))
		if lo <= hi {
			list = append(list, span{n - int(hi), n - int(lo) + 1})
		}
	}
	return list
}
