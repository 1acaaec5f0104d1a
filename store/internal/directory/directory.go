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
	Rows []page.Row // in the order of (Birth, NID); Size is the length of a content, which is stored elsewhere
	Runs []Run      // between the turns of the page, in order
}

// Run is a run of turns that has a page of its own.
type Run struct {
	Turns int // how many turns of the surrounding page stand before the run
	Stub  tree.Stub

	Branch, No int64 // identify the page
	Sum        [32]byte

	// Where the nodes of the run are, in its page or in the pages below.
	Cycles Span     // in which the turns were made; a node whose id names another cycle is irregular
	NIDs   Span     // of the nodes that were made in those cycles
	Strays []int64  // the nids outside NIDs, ascending
	Odd    int      // how many nodes are irregular
	Refs   []uint64 // Hash of each id that a node refers to from another page, ascending
}

// Span is a range of numbers that includes both ends; the zero Span contains 0.
type Span struct{ Lo, Hi int64 }

// Has reports whether the span includes n.
func (s Span) Has(n int64) bool { return s.Lo <= n && n <= s.Hi }

// With returns the smallest span that includes both spans.
func (s Span) With(o Span) Span { return Span{min(s.Lo, o.Lo), max(s.Hi, o.Hi)} }

// HasNID reports whether the node of a nid can be in the run.
func (r *Run) HasNID(nid int64) bool {
	if r.NIDs.Has(nid) {
		return true
	}
	_, found := slices.BinarySearch(r.Strays, nid)
	return found
}

// RefersTo reports whether a node in the run may refer to an id that is in a page other than
// that of the node.
func (r *Run) RefersTo(hash uint64) bool {
	_, found := slices.BinarySearch(r.Refs, hash)
	return found
}

// Hash returns the hash that Refs holds for an id.
func Hash(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id)) // a hash never fails to take bytes
	return h.Sum64()
}

// Describe fills in where the nodes of a run are. It reads them from the complete nodes of the
// page, the turns among these, and the runs between the turns. It returns false if the page has
// no turn.
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
