package simulate

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// step is the difference between two calls of a run.
type step struct {
	added   []*tree.Entry // that the first call lacks, in document order
	changed []*tree.Entry // whose contents differ
	gone    []string
}

// between returns the difference between two snapshots. before may be nil.
func between(before, now *tree.Tree) (s step, err error) {
	if before == nil {
		for e, err := range now.All() {
			if err != nil {
				return step{}, err
			}
			s.added = append(s.added, e.Entry)
		}
		return s, nil
	}
	differences, err := tree.Differences(before.WithCycle(now.Cycle()), now)
	if err != nil {
		return step{}, err
	}
	for _, d := range differences {
		if d.New == nil {
			s.gone = append(s.gone, d.Old.ID)
			continue
		}
		e, err := now.Entry(d.New.ID)
		switch {
		case err != nil:
			return step{}, err
		case d.Old == nil:
			s.added = append(s.added, e)
		case !d.Old.SameContent(d.New):
			s.changed = append(s.changed, e)
		}
	}
	return s, nil
}

// lastTurn returns the id of the newest turn.
func lastTurn(t *tree.Tree) (string, error) {
	turns := t.Region(tree.Seq).Children()
	if turns.Len() == 0 {
		return "", nil
	}
	item, err := turns.At(turns.Len() - 1)
	if err != nil {
		return "", err
	}
	return item.Node().ID, nil
}

// replay returns the working state of this line for a call: its last snapshot, with the additions, changes and
// removals of the run between two calls.
func (l *line) replay(before, now *tree.Tree) (*tree.Tree, tree.Stamps, error) {
	s, err := between(before, now)
	if err != nil {
		return nil, tree.Stamps{}, err
	}
	x := tree.Edit(l.ctx, l.head.WithCycle(l.stamps.Cycle), l.head, l.stamps, l.env)
	for _, e := range s.added {
		if err := l.addTo(x, now, e); err != nil {
			return nil, tree.Stamps{}, err
		}
	}
	for _, e := range s.changed {
		n := e.Node()
		path, err := x.Tree().Path(n.ID)
		if err == nil && len(path) > 1 && path[1].Class() == tree.Sys {
			var content tree.JSON
			if content, err = n.Content.Value(l.ctx); err == nil {
				err = x.Update(n.ID, map[string]any{"content": content})
			}
		}
		if err != nil {
			return nil, tree.Stamps{}, err
		}
	}
	for i, id := range s.gone {
		if turn := l.turns[id]; turn != "" {
			s.gone[i] = turn
		}
	}
	working, err := x.Tree().Without(s.gone...)
	return working, x.Stamps, err
}

// addTo adds a node of the run to the working state of this line, unless sealing makes it.
func (l *line) addTo(x *tree.Editor, now *tree.Tree, e *tree.Entry) error {
	path, err := now.Path(e.Node().ID)
	if err != nil {
		return err
	}
	if e.Class().Region() || e.Class() == tree.Turn || len(path) > 1 && tree.IsCore(e, path[len(path)-2].Class()) {
		return nil
	}
	spec, err := l.specOf(e.Node())
	if err != nil {
		return err
	}
	parent, err := l.place(now, path)
	if err == nil {
		_, err = x.Add(parent, spec)
	}
	return err
}

// place returns where a node of the run goes: to the same group or region, to the turn of this line
// that stands for its turn, to ^ah if its turn is the one of this call.
func (l *line) place(now *tree.Tree, path []*tree.Entry) (string, error) {
	parent := path[len(path)-2]
	if len(path) > 2 && tree.IsCore(parent, path[len(path)-3].Class()) {
		parent = path[len(path)-3]
	}
	id := parent.Node().ID
	last, err := lastTurn(now)
	switch {
	case err != nil:
		return "", err
	case parent.Class() == tree.Turn && id == last:
		return tree.Head.String(), nil
	case parent.Class() == tree.Turn && l.turns[id] != "":
		return l.turns[id], nil
	case parent.Class().Region():
		return parent.Class().String(), nil
	}
	return id, nil
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
