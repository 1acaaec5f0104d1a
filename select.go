package pact

import (
	"context"
	"slices"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/search"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Hit is a node that a selector found, and its place.
type Hit struct {
	Snapshot *Snapshot // the snapshot that has the node
	Node     Node      // the node as it is in that snapshot
	Region   string    // the region that it is in: ^sys, ^seq or ^ah; ^root for the root itself
	Turn     string    // id of the sealed turn that it is or is in, "" if there is none
	Parent   string    // id of its parent, "" for the root
}

// Select returns the ids of the nodes that a selector finds (04 §2.2), in document order
// or in the order that its controls say. It asks the snapshot that the selector addresses;
// without an address it asks the working state or the latest snapshot, depending on the
// edition. @* asks all snapshots, newest first, and gives each id once. A range needs
// @mode=union or @mode=latest; any other range is E_SELECTOR_INVALID, because
// [Context.RangeDiffLatest] answers it. [selector.Parse] reads a selector from a text.
//
// Errors: E_SELECTOR_INVALID for an incomplete selector that a program built;
// E_SNAPSHOT_NOT_FOUND for an address without a snapshot; E_LIMIT for a pattern that costs
// too much. Cost: the nodes that the selector cannot rule out (see [Context.Explain]), for
// every snapshot that is asked; a selector that looks only at a node and its ancestors
// costs that for the newest snapshot, and for the others what differs.
//
// Specification: 02 §9, 02 §9.1, 02 §9.2, 06 §3, 06 §3.1, 06 §3.2, 06 §3.3.
func (c *Context) Select(ctx context.Context, q *selector.Selector, o *SelectOptions) (_ []string, err error) {
	list, err := c.find(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return idsOf(list), nil
}

// Find finds nodes as [Context.Select] does, and returns the nodes with their snapshot and
// place instead of ids.
func (c *Context) Find(ctx context.Context, q *selector.Selector, o *SelectOptions) (_ []Hit, err error) {
	list, err := c.find(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return c.Working().hits(list)
}

func (c *Context) find(ctx context.Context, q *selector.Selector, o *SelectOptions) ([]search.Match, error) {
	s, err := search.New(q, c.searchOptions(o))
	if err == nil {
		err = s.CheckGivesIDs()
	}
	if err != nil {
		return nil, err
	}
	state, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	trees, err := c.asked(ctx, state, s)
	if err != nil {
		return nil, err
	}
	return s.Find(ctx, trees)
}

// asked returns the states that a search asks, newest first.
func (c *Context) asked(ctx context.Context, state *state, s *search.Search) ([]*tree.Tree, error) {
	trees, _, err := c.addressed(ctx, state, s.Selector)
	if time := s.Selector.Time; s.Working && time != nil && time.Kind == selector.All {
		trees = slices.Insert(trees, 0, state.State.Working)
	}
	return trees, err
}

// searchOptions returns the options of a search, with the context's own Counter
// unless they have one.
func (c *Context) searchOptions(o *SelectOptions) search.Options {
	options := search.Options(optionsOf(o))
	if options.Counter == nil {
		options.Counter = c.counter
	}
	return options
}

// Explain evaluates a selector as [Context.Select] does and says how. The count does not
// include nodes that only Where looks at. It fails as Select does, with one exception: it
// evaluates a range that gives changes in each of its snapshots, and Where, Skip and
// Limit do not apply to that.
func (c *Context) Explain(ctx context.Context, q *selector.Selector, o *SelectOptions) (_ *inspect.Explanation, err error) {
	s, err := search.New(q, c.searchOptions(o))
	if err != nil {
		return nil, err
	}
	state, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	trees, err := c.asked(ctx, state, s)
	if err != nil {
		return nil, err
	}
	return s.Explain(ctx, trees)
}

// Select returns the ids of the nodes that a selector finds in this snapshot (04 §2.2).
// The selector must not have an address, unless the snapshot stands alone (see
// [ReadSnapshot]). Its errors and its cost are those of [Context.Select].
func (s *Snapshot) Select(ctx context.Context, q *selector.Selector, o *SelectOptions) (_ []string, err error) {
	list, err := s.find(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return idsOf(list), nil
}

// Find finds nodes as [Snapshot.Select] does, and returns the nodes with their place
// instead of ids.
func (s *Snapshot) Find(ctx context.Context, q *selector.Selector, o *SelectOptions) (_ []Hit, err error) {
	list, err := s.find(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return s.hits(list)
}

func (s *Snapshot) find(ctx context.Context, q *selector.Selector, o *SelectOptions) ([]search.Match, error) {
	found, err := s.search(q, o)
	if err != nil {
		return nil, err
	}
	return found.Find(s.asking(ctx), []*tree.Tree{tree.Of(s)})
}

// Explain evaluates a selector without an address in this snapshot and says how, as
// [Context.Explain] does.
func (s *Snapshot) Explain(ctx context.Context, q *selector.Selector, o *SelectOptions) (_ *inspect.Explanation, err error) {
	found, err := s.search(q, o)
	if err != nil {
		return nil, err
	}
	return found.Explain(s.asking(ctx), []*tree.Tree{tree.Of(s)})
}

// search prepares a selector that has no address of its own, or one that names
// this snapshot.
func (s *Snapshot) search(q *selector.Selector, o *SelectOptions) (*search.Search, error) {
	found, err := search.New(q, search.Options(optionsOf(o)))
	if err != nil {
		return nil, err
	}
	return found, s.named(q.Time)
}

// idsOf returns the ids of what was found, never nil.
func idsOf(list []search.Match) []string {
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.Entry.Node().ID
	}
	return ids
}

// hits returns what was found in this snapshot or others of its context.
func (s *Snapshot) hits(list []search.Match) ([]Hit, error) {
	hits := make([]Hit, len(list))
	in := map[*tree.Tree]*Snapshot{tree.Of(s): s}
	for i, m := range list {
		if in[m.Tree] == nil {
			in[m.Tree] = &Snapshot{hiddenTree: tree.Hide(m.Tree, tree.AskerOf(s)), edition: s.edition}
		}
		path, err := m.Tree.Path(m.Entry.Node().ID)
		if err != nil {
			return nil, err
		}
		hits[i] = Hit{Snapshot: in[m.Tree], Node: nodeOf(m.Entry, m.Tree, tree.AskerOf(s)), Region: path[min(1, len(path)-1)].Class().String()}
		if len(path) > 1 {
			hits[i].Parent = path[len(path)-2].Node().ID
		}
		for _, e := range path {
			if e.Class() == tree.Turn {
				hits[i].Turn = e.Node().ID
			}
		}
	}
	return hits, nil
}
