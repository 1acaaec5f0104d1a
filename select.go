package pact

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Hit is a node that a selector found, and where.
type Hit struct {
	Snapshot *Snapshot // that it was found in
	Node     Node      // as it is there
	Region   string    // it stands in: ^sys, ^seq, ^ah, or ^root for the root itself
	Turn     string    // id of the turn that it is or stands in, "" for none
	Parent   string    // id of the node above it, "" for the root
}

// Select returns the ids that a selector finds (04 §2.2), in document order or as
// its controls say: in the snapshot that it addresses, in the working state or the
// latest snapshot, as its edition says, where it addresses none. @* gives those of
// all snapshots, newest first, each id once; a range with @mode=union or
// @mode=latest those of the range. Any other range is E_SELECTOR_INVALID here:
// RangeDiffLatest answers it.
//
// E_SELECTOR_INVALID with the place in the text where it is none,
// E_SNAPSHOT_NOT_FOUND for an address without a snapshot, E_LIMIT for a pattern
// that costs too much. Cost: that of the nodes that the selector cannot rule out,
// see Explain, in every snapshot; of a selector that goes by a node and its
// ancestors alone, in the newest and in what changed since.
//
// Specification: 02 §9, 02 §9.1, 02 §9.2, 06 §3, 06 §3.1, 06 §3.2, 06 §3.3.
func (c *Context) Select(ctx context.Context, text string, o *SelectOptions) ([]string, error) {
	list, err := c.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return idsIn(list), nil
}

// Find is Select with what was found and where instead of ids alone.
func (c *Context) Find(ctx context.Context, text string, o *SelectOptions) ([]Hit, error) {
	list, err := c.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return c.Working().hits(list), nil
}

func (c *Context) find(ctx context.Context, text string, o *SelectOptions) ([]found, error) {
	state := c.state.Load()
	s, err := newSelection(text, selector.Edition(state.Edition), orZero(o))
	if err == nil && s.ranged() {
		s.mode, err = s.idsOfRange()
	}
	if err != nil {
		return nil, err
	}
	trees, _, err := c.addressed(ctx, state, s.asked)
	if err != nil {
		return nil, err
	}
	return s.windowed(ctx, trees)
}

// Explain evaluates a selector where it looks, as Select does, and says how. The
// nodes that the selector of Where looks at are not counted. It fails as Select
// does, but for a range that gives changes: that one is evaluated in each of its
// snapshots, and has no windows.
func (c *Context) Explain(ctx context.Context, text string, o *SelectOptions) (*inspect.Explanation, error) {
	state := c.state.Load()
	s, err := newSelection(text, selector.Edition(state.Edition), orZero(o))
	if err != nil {
		return nil, err
	}
	trees, _, err := c.addressed(ctx, state, s.asked)
	if err != nil {
		return nil, err
	}
	return s.explain(ctx, trees)
}

// Select returns the ids that a selector finds in the snapshot (04 §2.2). It has
// no address, unless the snapshot was read on its own, see ReadSnapshot. It fails
// and costs as Context.Select does.
func (s *Snapshot) Select(ctx context.Context, text string, o *SelectOptions) ([]string, error) {
	list, err := s.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return idsIn(list), nil
}

// Find is Select with what was found and where instead of ids alone.
func (s *Snapshot) Find(ctx context.Context, text string, o *SelectOptions) ([]Hit, error) {
	list, err := s.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return s.hits(list), nil
}

func (s *Snapshot) find(ctx context.Context, text string, o *SelectOptions) ([]found, error) {
	sel, err := s.selection(text, o)
	if err != nil {
		return nil, err
	}
	return sel.windowed(ctx, []*tree.Tree{s.tree})
}

// Explain is Context.Explain for one snapshot, and a selector without an address.
func (s *Snapshot) Explain(ctx context.Context, text string, o *SelectOptions) (*inspect.Explanation, error) {
	sel, err := s.selection(text, o)
	if err != nil {
		return nil, err
	}
	return sel.explain(ctx, []*tree.Tree{s.tree})
}

// selection prepares a selector that has no address of its own, or one that names
// this snapshot.
func (s *Snapshot) selection(text string, o *SelectOptions) (*selection, error) {
	sel, err := newSelection(text, s.edition, orZero(o))
	if err != nil {
		return nil, err
	}
	return sel, s.named(sel.asked.Time)
}

// idsIn returns the ids of what was found, never nil.
func idsIn(list []found) []string {
	ids := make([]string, len(list))
	for i, f := range list {
		ids[i] = f.entry.Node().ID
	}
	return ids
}

// hits returns what was found in this snapshot or others of its context.
func (s *Snapshot) hits(list []found) []Hit {
	hits := make([]Hit, len(list))
	in := map[*tree.Tree]*Snapshot{s.tree: s}
	for i, f := range list {
		if in[f.tree] == nil {
			in[f.tree] = &Snapshot{tree: f.tree, edition: s.edition}
		}
		path := f.tree.Path(f.entry.Node().ID)
		hits[i] = Hit{Snapshot: in[f.tree], Node: nodeOf(f.entry, f.tree), Region: path[min(1, len(path)-1)].Class().String()}
		if len(path) > 1 {
			hits[i].Parent = path[len(path)-2].Node().ID
		}
		for _, e := range path {
			if e.Class() == tree.Turn {
				hits[i].Turn = e.Node().ID
			}
		}
	}
	return hits
}

func (s *selection) explain(ctx context.Context, trees []*tree.Tree) (*inspect.Explanation, error) {
	plan := s.plan.Explain()
	x := &plan
	x.Snapshots = len(trees)
	s.ran = func(t *tree.Tree, r query.Result) {
		x.Nodes, x.Visited, x.Skipped = x.Nodes+t.Len(), x.Visited+r.Visited, x.Skipped+r.Skipped
	}
	asked := [][]*tree.Tree{trees}
	if s.ranged() {
		var err error
		if s.mode, err = s.idsOfRange(); err != nil { // it gives changes
			if s.Where != "" || s.Skip != 0 || s.Limit > 0 {
				return nil, fault.New(fault.SelectorInvalid, "a range of snapshots that gives changes has no windows",
					"leave them out, or write @mode=union or @mode=latest behind the selector")
			}
			asked = slices.Collect(slices.Chunk(trees, 1))
		}
	}
	for _, some := range asked {
		list, err := s.windowed(ctx, some)
		if err != nil {
			return nil, err
		}
		x.Returned += len(list)
	}
	return x, nil
}
