package simulate

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// added calls f for each node that a snapshot has and the one before had not, in document order.
// before may be nil.
func added(before, now *tree.Tree, f func(n *tree.Node, parent string)) (gone []string, changed []*tree.Node) {
	if before == nil {
		for e, parent := range now.All() {
			f(e.Node(), parent)
		}
		return nil, nil
	}
	tree.Compare(before.WithCycle(now.Cycle()), now, func(d tree.Difference) bool {
		switch {
		case d.Old == nil:
			f(d.New, d.NewParent)
		case d.New == nil:
			gone = append(gone, d.Old.ID)
		case !d.Old.SameContent(d.New):
			changed = append(changed, d.New)
		}
		return true
	})
	return gone, changed
}

// lastTurn returns the id of the newest turn.
func lastTurn(t *tree.Tree) string {
	turns := t.Region(tree.Seq).Children()
	if turns.Len() == 0 {
		return ""
	}
	return turns.At(turns.Len() - 1).Node().ID
}

// replay returns the working state of this line for a call: its last snapshot, with what the run
// added, changed and removed between two calls.
func (l *line) replay(before, now *tree.Tree) (*tree.Tree, tree.Stamps, error) {
	var failed error
	x := tree.Edit(l.ctx, l.head.WithCycle(l.stamps.Cycle), l.head, l.stamps, l.env)
	add := func(n *tree.Node, parent string) {
		path := now.Path(n.ID)
		e := path[len(path)-1]
		if failed != nil || e.Class().Region() || e.Class() == tree.Turn || len(path) > 1 && tree.IsCore(e, path[len(path)-2].Class()) {
			return
		}
		spec, err := l.specOf(n)
		if err == nil {
			_, err = x.Add(l.place(now, path), spec)
		}
		failed = err
	}
	gone, changed := added(before, now, add)
	for _, n := range changed {
		if path := x.Tree().Path(n.ID); failed == nil && len(path) > 1 && path[1].Class() == tree.Sys {
			content, err := n.Content.Value(l.ctx)
			if failed = err; err == nil {
				failed = x.Update(n.ID, map[string]any{"content": content})
			}
		}
	}
	if failed != nil {
		return nil, x.Stamps, failed
	}
	for i, id := range gone {
		if turn := l.turns[id]; turn != "" {
			gone[i] = turn
		}
	}
	return x.Tree().Without(gone...), x.Stamps, nil
}

// place returns where a node of the run goes: to the same group or region, to the turn of this line
// that stands for its turn, to ^ah if its turn is the one of this call.
func (l *line) place(now *tree.Tree, path []*tree.Entry) string {
	parent := path[len(path)-2]
	if len(path) > 2 && tree.IsCore(parent, path[len(path)-3].Class()) {
		parent = path[len(path)-3]
	}
	id := parent.Node().ID
	switch {
	case parent.Class() == tree.Turn && id == lastTurn(now):
		return tree.Head.String()
	case parent.Class() == tree.Turn && l.turns[id] != "":
		return l.turns[id]
	case parent.Class().Region():
		return parent.Class().String()
	}
	return id
}

// specOf describes a block of the run.
func (l *line) specOf(n *tree.Node) (tree.Spec, error) {
	content, err := n.Content.Value(l.ctx)
	s := tree.Spec{ID: n.ID, Type: n.Type, Offset: n.Offset, Priority: n.Priority, Role: n.Role, Kind: n.Kind, Key: n.Key,
		Tags: n.Tags, Refs: n.Refs, Removable: n.Removable, Pinned: n.Pinned, Attrs: map[string]any{}}
	if content != "" {
		s.Content = content
	}
	for _, h := range n.Headers {
		if tree.CustomName(h.Name) {
			s.Attrs[h.Name] = canon.Value(h.Value)
		}
	}
	return s, err
}
