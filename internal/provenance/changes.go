package provenance

import (
	"slices"

	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
)

// changes says in which cycle, between two states, each node was added, changed and removed. If
// that happened to a node more than once, the last time counts.
type changes struct {
	states  []*tree.Tree     // the compared states, oldest first
	added   map[string]int64 // all four: cycle by id
	changed map[string]int64
	removed map[string]int64
	updated map[string]int64 // headers or content changed, not the place alone
}

// changesIn compares each state with the previous one. A ttl that shrank with time is not a
// change.
func changesIn(states []*tree.Tree) (*changes, error) {
	c := &changes{
		states: states, added: map[string]int64{}, changed: map[string]int64{},
		removed: map[string]int64{}, updated: map[string]int64{},
	}
	for i, next := range states[1:] {
		cycle := next.Cycle()
		if err := tree.Compare(states[i].WithCycle(cycle), next, func(d tree.Difference) bool {
			switch {
			case d.Old == nil:
				c.added[d.New.ID] = cycle
			case d.New == nil:
				c.removed[d.Old.ID] = cycle
			default:
				c.noteChange(d, cycle)
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *changes) noteChange(d tree.Difference, cycle int64) {
	fields := differ.Fields(d, cycle, cycle)
	if len(fields) > 0 { // an expiry cycle that was read from a ttl of 0 differs without a visible change
		c.changed[d.New.ID] = cycle
	}
	if slices.ContainsFunc(fields, func(f string) bool { return f != "parent" }) {
		c.updated[d.New.ID] = cycle
	}
}

// cycleThatBrought returns the cycle that added a node of the last state: if the first snapshot
// has the node already, the cycle in its header.
func (c *changes) cycleThatBrought(n *tree.Node, first int64) int64 {
	if cycle, ok := c.added[n.ID]; ok && cycle > first {
		return cycle
	}
	return min(n.Cycle, first)
}
