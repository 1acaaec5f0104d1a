package pact

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/search"
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
	return idsOf(list), nil
}

// Find is Select with what was found and where instead of ids alone.
func (c *Context) Find(ctx context.Context, text string, o *SelectOptions) ([]Hit, error) {
	list, err := c.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return c.Working().hits(list), nil
}

func (c *Context) find(ctx context.Context, text string, o *SelectOptions) ([]search.Match, error) {
	state := c.state.Load()
	s, err := search.New(text, selector.Edition(state.Edition), search.Options(orZero(o)))
	if err == nil {
		err = s.CheckGivesIDs()
	}
	if err != nil {
		return nil, err
	}
	trees, _, err := c.addressed(ctx, state, s.Selector)
	if err != nil {
		return nil, err
	}
	return s.Find(ctx, trees)
}

// Explain evaluates a selector where it looks, as Select does, and says how. The
// nodes that the selector of Where looks at are not counted. It fails as Select
// does, but for a range that gives changes: that one is evaluated in each of its
// snapshots, and has no windows.
func (c *Context) Explain(ctx context.Context, text string, o *SelectOptions) (*inspect.Explanation, error) {
	state := c.state.Load()
	s, err := search.New(text, selector.Edition(state.Edition), search.Options(orZero(o)))
	if err != nil {
		return nil, err
	}
	trees, _, err := c.addressed(ctx, state, s.Selector)
	if err != nil {
		return nil, err
	}
	return s.Explain(ctx, trees)
}

// Select returns the ids that a selector finds in the snapshot (04 §2.2). It has
// no address, unless the snapshot was read on its own, see ReadSnapshot. It fails
// and costs as Context.Select does.
func (s *Snapshot) Select(ctx context.Context, text string, o *SelectOptions) ([]string, error) {
	list, err := s.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return idsOf(list), nil
}

// Find is Select with what was found and where instead of ids alone.
func (s *Snapshot) Find(ctx context.Context, text string, o *SelectOptions) ([]Hit, error) {
	list, err := s.find(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return s.hits(list), nil
}

func (s *Snapshot) find(ctx context.Context, text string, o *SelectOptions) ([]search.Match, error) {
	q, err := s.search(text, o)
	if err != nil {
		return nil, err
	}
	return q.Find(ctx, []*tree.Tree{s.tree})
}

// Explain is Context.Explain for one snapshot, and a selector without an address.
func (s *Snapshot) Explain(ctx context.Context, text string, o *SelectOptions) (*inspect.Explanation, error) {
	q, err := s.search(text, o)
	if err != nil {
		return nil, err
	}
	return q.Explain(ctx, []*tree.Tree{s.tree})
}

// search prepares a selector that has no address of its own, or one that names
// this snapshot.
func (s *Snapshot) search(text string, o *SelectOptions) (*search.Search, error) {
	q, err := search.New(text, s.edition, search.Options(orZero(o)))
	if err != nil {
		return nil, err
	}
	return q, s.named(q.Selector.Time)
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
func (s *Snapshot) hits(list []search.Match) []Hit {
	hits := make([]Hit, len(list))
	in := map[*tree.Tree]*Snapshot{s.tree: s}
	for i, m := range list {
		if in[m.Tree] == nil {
			in[m.Tree] = &Snapshot{tree: m.Tree, edition: s.edition}
		}
		path := m.Tree.Path(m.Entry.Node().ID)
		hits[i] = Hit{Snapshot: in[m.Tree], Node: nodeOf(m.Entry, m.Tree), Region: path[min(1, len(path)-1)].Class().String()}
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
