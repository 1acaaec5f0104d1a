// Package directory writes down where the turns of a snapshot are, so that a tree can
// be opened without reading them: each run of ^seq that is a stub in the tree
// (tree.Stub) is a page of its own, and the rest of the tree is the root page. A page
// holds the rows of its nodes, without contents, and says of each run between its
// turns what a stub has to know and which page it is.
//
// The bytes of a page are covered by the sum that the page above it has, those of the
// root by the row that it is in. Decoding is safe without that: damaged bytes give an
// error with a store.Damage, and take no more memory than a valid page of their
// length.
package directory

import (
	"hash/fnv"
	"slices"
	"sort"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// Page is a page of a directory.
type Page struct {
	Rows []page.Row // in the order of (Birth, NID); Size says how long a content is that is elsewhere
	Runs []Run      // between the turns of the page, in their order
}

// Run is a run of turns that is a page of its own.
type Run struct {
	Turns int // of the page around it that stand before it
	Stub  tree.Stub

	Branch, No int64 // the page
	Sum        [32]byte

	// Where nodes are that the run has, in its page or in those below.
	Cycles Span     // the turns were made in; a node whose id tells another cycle is irregular
	NIDs   Span     // of the nodes that were made in those cycles
	Strays []int64  // the nids beyond, ascending
	Odd    int      // how many nodes are irregular
	Refs   []uint64 // Hash of the ids that its nodes refer to and that are in another page, ascending
}

// Span is a range of numbers, both ends included; the zero Span has 0.
type Span struct{ Lo, Hi int64 }

// Has reports whether the span includes n.
func (s Span) Has(n int64) bool { return s.Lo <= n && n <= s.Hi }

// With returns the span that includes another one too.
func (s Span) With(o Span) Span { return Span{min(s.Lo, o.Lo), max(s.Hi, o.Hi)} }

// HasNID reports whether the node of a nid can be in the run.
func (r *Run) HasNID(nid int64) bool {
	if r.NIDs.Has(nid) {
		return true
	}
	_, found := slices.BinarySearch(r.Strays, nid)
	return found
}

// RefersTo reports whether a node in the run may refer to an id that is in another
// page than that node.
func (r *Run) RefersTo(hash uint64) bool {
	_, found := slices.BinarySearch(r.Refs, hash)
	return found
}

// Hash returns the hash of an id that Refs have.
func Hash(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id)) // a hash never fails to take bytes
	return h.Sum64()
}

// Describe fills in where the nodes of a run are, from those of its page, which are
// complete, with the turns among them, and from the runs between these. It is false
// where the page has no turn.
func (r *Run) Describe(nodes []*tree.Node, nids []int64, turns []*tree.Node, runs []Run) bool {
	if len(turns) == 0 {
		return false
	}
	r.Cycles = Span{turns[0].Cycle, turns[0].Cycle}
	for _, t := range turns {
		r.Cycles = r.Cycles.With(Span{t.Cycle, t.Cycle})
	}
	here, first := make(map[string]bool, len(nodes)), true
	span := func(s Span) {
		if first {
			r.NIDs, first = s, false
		}
		r.NIDs = r.NIDs.With(s)
	}
	for i, n := range nodes {
		here[n.ID] = true
		if r.Cycles.Has(n.Cycle) {
			span(Span{nids[i], nids[i]})
		}
	}
	for i := range runs {
		r.Cycles = r.Cycles.With(runs[i].Cycles)
		span(runs[i].NIDs)
	}
	for i, n := range nodes {
		if !r.NIDs.Has(nids[i]) {
			r.Strays = append(r.Strays, nids[i])
		}
		if cycle := tree.GeneratedCycle(n.ID); cycle < 0 || !r.Cycles.Has(cycle) {
			r.Odd++
		}
		for _, to := range n.Refs {
			if !here[to] {
				r.Refs = append(r.Refs, Hash(to))
			}
		}
	}
	for i := range runs {
		r.Odd += runs[i].Odd
		r.Refs = append(r.Refs, runs[i].Refs...)
		for _, nid := range runs[i].Strays {
			if !r.NIDs.Has(nid) {
				r.Strays = append(r.Strays, nid)
			}
		}
	}
	slices.Sort(r.Strays)
	slices.Sort(r.Refs)
	r.Refs = slices.Compact(r.Refs)
	return true
}

// Sort puts rows into their order.
func Sort(rows []page.Row) {
	sort.Slice(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		return a.Birth < b.Birth || a.Birth == b.Birth && a.NID < b.NID
	})
}

func damaged(what string) error {
	return (&store.Damage{NoCycle: true, What: "a page of a directory is damaged: " + what}).Err()
}
