package pact

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact/diff"
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

// Select asks a selector, such as "@t0 ^seq .seg:depth(1-3) .block[role='user']", written in the edition of the
// context (04 §2.2). It answers with ids, in document order or in the order that its controls say. It asks the
// snapshot that the selector addresses; without an address it asks the working state or the latest snapshot,
// depending on the edition. @* asks all snapshots, newest first, and gives each id once. A range gives the changes
// from each of its snapshots to the next, as [Context.RangeDiffLatest] does, or ids with @mode=union or @mode=latest.
// The last texts that were asked stay parsed.
//
// Errors: E_SELECTOR_INVALID, with the position, for a text that is not a selector; E_SNAPSHOT_NOT_FOUND for an
// address without a snapshot; E_LIMIT for a pattern that costs too much. Cost: the nodes that the selector cannot
// rule out (see [Context.Explain]), for every snapshot that is asked; a selector that looks only at a node and its
// ancestors costs that for the newest snapshot, and for the others what differs.
//
// Specification: 02 §9, 02 §9.1, 02 §9.2, 06 §3, 06 §3.1, 06 §3.2, 06 §3.3.
func (c *Context) Select(ctx context.Context, query string, o *SelectOptions) ([]string, error) {
	list, err := c.find(ctx, query, o)
	if err != nil {
		return nil, err
	}
	return idsOf(list), nil
}

// Find finds nodes as [Context.Select] does, and returns the nodes with their snapshot and
// place instead of ids. A range that gives changes is E_SELECTOR_INVALID. A list of hits has no warnings: which controls
// mean nothing, [selector.Selector.Remarks] of the text says without asking anything.
func (c *Context) Find(ctx context.Context, query string, o *SelectOptions) ([]Hit, error) {
	list, err := c.find(ctx, query, o)
	if err != nil {
		return nil, err
	}
	return c.Working().hits(list)
}

// find runs a search that gives nodes.
func (c *Context) find(ctx context.Context, query string, o *SelectOptions) ([]search.Match, error) {
	s, trees, err := c.asked(ctx, query, o, (*search.Search).CheckGivesIDs)
	if err != nil {
		return nil, err
	}
	return s.Find(ctx, trees)
}

// asked prepares a selector that passes a check, and returns with it the states that it asks, newest first.
func (c *Context) asked(ctx context.Context, query string, o *SelectOptions, check func(*search.Search) error) (
	s *search.Search, trees []*tree.Tree, err error) {
	if s, err = c.search(query, o); err == nil {
		err = check(s)
	}
	if err != nil {
		return nil, nil, err
	}
	state, err := c.current(ctx)
	if err != nil {
		return nil, nil, err
	}
	trees, _, err = c.addressed(ctx, state, s.Selector)
	if time := s.Selector.Time; s.Working && time != nil && time.Kind == selector.All &&
		!s.Selector.Edition.Traits().T0Working {
		trees = slices.Insert(trees, 0, state.open())
	}
	return s, trees, err
}

// search prepares a selector. It counts with the context's own Counter unless the options have one.
func (c *Context) search(query string, o *SelectOptions) (*search.Search, error) {
	options := optionsOf(o)
	if options.Counter == nil {
		options.Counter = c.counter
	}
	return newSearch(query, c.Info().Edition, options)
}

// newSearch prepares a selector that is written in an edition, unless the options name another.
func newSearch(query string, e selector.Edition, o SelectOptions) (*search.Search, error) {
	e = cmp.Or(o.Edition, e)
	q, err := search.Parse(query, e)
	if err != nil {
		return nil, err
	}
	options := search.Options{Skip: o.Skip, Limit: o.Limit, RangeAsIDs: o.RangeAsIDs, Counter: o.Counter, Working: o.Working}
	if o.Where != "" {
		if options.Where, err = search.Parse(o.Where, e); err != nil {
			return nil, err
		}
	}
	return search.New(q, options)
}

// Explain evaluates a selector as [Context.Select] does and says how. The count does not include nodes that only
// Where looks at. It fails as Select does, with one exception: it evaluates a range that gives changes in each of its
// snapshots, and Where, Skip and Limit do not apply to that.
func (c *Context) Explain(ctx context.Context, query string, o *SelectOptions) (*inspect.Explanation, error) {
	s, trees, err := c.asked(ctx, query, o, func(*search.Search) error { return nil })
	if err != nil {
		return nil, err
	}
	return s.Explain(ctx, trees)
}

// Select returns the ids of the nodes that a selector finds in this snapshot (04 §2.2).
// The selector must not have an address, unless the snapshot stands alone (see
// [ReadSnapshot]). Its errors and its cost are those of [Context.Select]; [Context.Find] says where its warnings are.
func (s *Snapshot) Select(ctx context.Context, query string, o *SelectOptions) ([]string, error) {
	list, err := s.find(ctx, query, o)
	if err != nil {
		return nil, err
	}
	return idsOf(list), nil
}

// Find finds nodes as [Snapshot.Select] does, and returns the nodes with their place instead of ids.
func (s *Snapshot) Find(ctx context.Context, query string, o *SelectOptions) ([]Hit, error) {
	list, err := s.find(ctx, query, o)
	if err != nil {
		return nil, err
	}
	return s.hits(list)
}

func (s *Snapshot) find(ctx context.Context, query string, o *SelectOptions) ([]search.Match, error) {
	found, err := s.search(query, o)
	if err == nil {
		err = found.CheckGivesIDs()
	}
	if err != nil {
		return nil, err
	}
	return found.Find(s.asking(ctx), []*tree.Tree{tree.Of(s)})
}

// Explain evaluates a selector without an address in this snapshot and says how, as [Context.Explain] does.
func (s *Snapshot) Explain(ctx context.Context, query string, o *SelectOptions) (*inspect.Explanation, error) {
	found, err := s.search(query, o)
	if err != nil {
		return nil, err
	}
	return found.Explain(s.asking(ctx), []*tree.Tree{tree.Of(s)})
}

// search prepares a selector that has no address of its own, or one that names this snapshot.
func (s *Snapshot) search(query string, o *SelectOptions) (*search.Search, error) {
	found, err := newSearch(query, s.edition, optionsOf(o))
	if err != nil {
		return nil, err
	}
	return found, s.named(found.Selector)
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

// RangeDiffLatest answers a selector that addresses a range of snapshots, such as "@t-3..@t0 .block", with the
// changes from each snapshot of the range to the next (04 §2.2, annex 10). The controls of the selector apply inside
// each snapshot. @mode=reduce gives one block of changes, from the newest to the oldest. Ends beyond the existing
// snapshots are clamped, with a warning. Errors: E_SNAPSHOT_NOT_FOUND if no snapshot is in the range,
// E_SELECTOR_INVALID if the selector has no range or asks for ids.
func (c *Context) RangeDiffLatest(ctx context.Context, query string, o *diff.RangeOptions) (*diff.RangeDiffLatestResult, error) {
	options := optionsOf(o)
	q, err := search.Parse(query, cmp.Or(options.Edition, c.Info().Edition))
	if err != nil {
		return nil, err
	}
	r, err := search.NewRange(q, options, c.counter)
	if err != nil {
		return nil, err
	}
	state := c.state.Load()
	trees, warnings, err := c.addressed(ctx, state, r.Selector)
	if err != nil {
		return nil, err
	}
	latest := state.Info.Cycle
	if r.Selector.Edition.Traits().T0Working {
		latest++
	}
	return r.Changes(ctx, trees, latest, warnings)
}
