package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// genHistory drives a context through random edits and commits.
type genHistory struct {
	*driver
	*rand.Rand
}

// act makes one to three changes in one step.
func (r *genHistory) act() {
	before := r.state
	var changes []engine.Change
	for range 1 + r.IntN(3)/2 {
		c := engine.Change{Before: r.state.Working, After: r.state.Working, Stamps: r.state.Stamps,
			Entry: history.Entry{Cycle: r.state.Stamps.Cycle}}
		switch r.IntN(16) {
		case 0, 1:
		case 2: // puts the working state back
			c = r.edited(func(*tree.Editor) {})
			c.After = r.state.Head.WithCycle(c.Stamps.Cycle)
		default:
			c = r.edited(func(x *tree.Editor) {
				for range r.IntN(6) {
					r.one(x)
				}
			})
		}
		if r.IntN(3) == 0 {
			in := commit.Input{Retained: func(id string) bool { return len(id)%11 == 0 }}
			if r.IntN(6) == 0 {
				in.Policy = lifecycle.Policy{MaxNodes: 10 + r.IntN(30), ProtectTurns: r.IntN(3)}
			}
			c = r.committed(c, in)
		}
		changes = append(changes, c)
		r.take(c)
	}
	guard := engine.Guard{Cycle: before.Cycle, Revision: before.Revision}
	must(r.T, r.store.Apply(background, r.state.Key, guard, changes...))
}

// one makes one edit. An edit that the rules refuse does not count.
func (r *genHistory) one(x *tree.Editor) {
	var err error
	id, other := r.pick(x), r.pick(x)
	switch r.IntN(11) {
	case 0, 1, 2, 3:
		_, err = x.Add(r.parent(other), r.spec(id))
	case 4:
		_, err = x.AddAt(tree.Gap{Parent: r.parent(other), Core: r.IntN(2) == 0, Edge: tree.Edge(r.IntN(4)), N: 1},
			r.spec(id))
	case 5:
		err = x.Update(id, map[string]any{"content": fmt.Sprint("updated ", r.IntN(100))})
	case 6:
		err = x.Update(id, map[string]any{"ttl": r.IntN(4), "data_x": r.IntN(3), "offset": r.IntN(3) - 1})
	case 7:
		_, err = x.Move(id, r.parent(other), int64(r.IntN(3)-1))
	case 8:
		err = x.Remove(id)
	case 9:
		err = x.Reorder(id)
	default:
		err = x.SetRoot("pact:x", r.IntN(3))
	}
	if err != nil && fault.CodeOf(err) == "" || errors.Is(err, fault.Store) {
		r.Fatal(err)
	}
}

// pick returns the id of a node, the regions least often.
func (r *genHistory) pick(x *tree.Editor) string {
	n := r.IntN(x.Tree().Len())
	for e := range sure.All(x.Tree().All()) {
		if n == 0 {
			return e.Node().ID
		}
		n--
	}
	return "root"
}

func (r *genHistory) parent(id string) string {
	switch r.IntN(5) {
	case 0, 1:
		return "^ah"
	case 2:
		return "^sys"
	}
	return id
}

func (r *genHistory) spec(refs string) tree.Spec {
	s := tree.Spec{Offset: int64(r.IntN(3) - 1), Priority: int64(r.IntN(3))}
	if r.IntN(3) > 0 {
		s.Content = fmt.Sprint("content ", r.IntN(1000))
	}
	switch r.IntN(5) {
	case 0:
		s.NodeType, s.Content = "cont", nil
		s.Removable = r.IntN(2) == 0 && s.Offset != 0
	case 1:
		s.NodeType = "x:odd"
	}
	if r.IntN(3) == 0 {
		s.TTL = new(int64(r.IntN(4)))
	}
	if r.IntN(4) == 0 {
		s.Refs = []string{refs}
	}
	if r.IntN(6) == 0 {
		s.ID = fmt.Sprintf("block:%d-%d", r.IntN(30), r.IntN(40))
	}
	return s
}
