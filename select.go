package pact

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// SelectOption changes what Select returns. The windows apply after all
// controls of the selector, in the order Where, Skip, Limit (003, 001 §3.5.2).
type SelectOption func(*selectOptions)

type selectOptions struct {
	where      *selector.Selector
	skip       int
	limit      int // -1 for none
	rangeAsIDs bool
}

// Where keeps the nodes that another selector matches, or that stand below one
// which it matches, in the same snapshot. It has no address, or the one of the
// selector that is asked, which lets it use derived facets.
func Where(q *selector.Selector) SelectOption { return func(o *selectOptions) { o.where = q } }

// Skip leaves out the first n nodes.
func Skip(n int) SelectOption { return func(o *selectOptions) { o.skip = n } }

// Limit keeps at most n nodes.
func Limit(n int) SelectOption { return func(o *selectOptions) { o.limit = n } }

// RangeAsIDs makes a range of snapshots give ids, as @mode=union does: what
// select_range_returns_diff=false means in edition v0.1 (annex 10), the only
// edition that takes it.
func RangeAsIDs() SelectOption { return func(o *selectOptions) { o.rangeAsIDs = true } }

// Select returns the ids that a selector finds (04 §2.2): in the snapshot that
// it addresses, in the working state or the latest snapshot, as its edition
// says, where it addresses none. @* gives those of all snapshots, newest first,
// each id once; a range with @mode=union or @mode=latest those of the range.
// Any other range is E_SELECTOR_INVALID here: RangeDiffLatest answers it.
//
// Cost: see [query.Plan.Run], for every snapshot; of a selector that goes by a
// node and its ancestors alone, for the newest and for what changed since.
func (c *Context) Select(ctx context.Context, q *selector.Selector, opts ...SelectOption) ([]string, error) {
	s, err := newSelection(q, opts)
	if err == nil && q.Time != nil && q.Time.Kind == selector.Range {
		s.mode, err = s.idsOfRange(q)
	}
	if err != nil {
		return nil, err
	}
	trees, _, err := c.addressed(ctx, c.state.Load(), q)
	if err != nil {
		return nil, err
	}
	return s.ids(ctx, trees)
}

// Select returns the ids that a selector without an address finds in the
// snapshot (04 §2.2).
func (s *Snapshot) Select(ctx context.Context, q *selector.Selector, opts ...SelectOption) ([]string, error) {
	if q.Time != nil {
		return nil, fault.New(fault.SelectorInvalid, "the selector has an address of its own", "leave it out, or ask the context")
	}
	sel, err := newSelection(q, opts)
	if err != nil {
		return nil, err
	}
	return sel.ids(ctx, []*tree.Tree{s.tree})
}

// selection is a selector prepared to be put to snapshots.
type selection struct {
	selectOptions
	plan *query.Plan
	all  bool        // the address is @*
	mode string      // union or latest, where a range gives ids
	keep *query.Plan // of where
	kept map[*tree.Tree]*query.Subtrees
	ran  func(*tree.Tree, query.Result) // hears of every evaluation, where one wants to know
}

func newSelection(q *selector.Selector, opts []SelectOption) (*selection, error) {
	s := &selection{selectOptions: selectOptions{limit: -1}}
	for _, o := range opts {
		o(&s.selectOptions)
	}
	var err error
	if s.plan, err = query.Compile(q); err != nil {
		return nil, err
	}
	s.all = q.Time != nil && q.Time.Kind == selector.All
	if s.where == nil {
		return s, nil
	}
	if at := s.where.Time; at != nil && (q.Time == nil || *at != *q.Time) {
		return nil, fault.New(fault.SelectorInvalid, "the selector of Where has an address of its own",
			"it looks where the other selector looks: leave the address out, or give both the same one")
	}
	if len(s.where.Controls) > 0 {
		return nil, fault.New(fault.SelectorInvalid, "the selector of Where has controls", "they belong to the other selector: leave them out")
	}
	s.kept = make(map[*tree.Tree]*query.Subtrees)
	s.keep, err = query.Compile(s.where)
	return s, err
}

// idsOfRange returns the mode in which a range gives ids.
func (s *selection) idsOfRange(q *selector.Selector) (string, error) {
	mode := ""
	if c, ok := q.Control(selector.ControlMode); ok {
		mode = c.Word
	}
	switch {
	case mode == "union" || mode == "latest":
		return mode, nil
	case s.rangeAsIDs && q.Edition == selector.V01:
		return "union", nil
	case s.rangeAsIDs:
		return "", fault.New(fault.SelectorInvalid, "only edition v0.1 can give the ids of a range without @mode", "write @mode=union behind the selector")
	}
	return "", fault.New(fault.SelectorInvalid, "a range of snapshots gives a RangeDiffLatestResult, not ids",
		"call RangeDiffLatest, or write @mode=union or @mode=latest behind the selector")
}

// found is a selected node and the snapshot it was found in.
type found struct {
	entry *tree.Entry
	tree  *tree.Tree
}

// ids asks the snapshots, newest first.
func (s *selection) ids(ctx context.Context, trees []*tree.Tree) ([]string, error) {
	list, err := s.windowed(ctx, trees)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	for i, f := range list {
		ids[i] = f.entry.Node().ID
	}
	return ids, nil
}

// windowed is find with the windows behind it.
func (s *selection) windowed(ctx context.Context, trees []*tree.Tree) ([]found, error) {
	list, err := s.find(ctx, trees)
	if err == nil && s.keep != nil {
		list, err = s.kin(ctx, list)
	}
	if err != nil {
		return nil, err
	}
	list = list[min(max(s.skip, 0), len(list)):]
	if s.limit >= 0 {
		list = list[:min(s.limit, len(list))]
	}
	return list, nil
}

// find merges what the snapshots give. The controls apply to each snapshot of a
// range, and to what @* merged.
func (s *selection) find(ctx context.Context, trees []*tree.Tree) ([]found, error) {
	var list []found
	seen := make(map[string]bool)
	newest := make(map[string]*tree.Tree) // where a key family matches last
	in := make(map[*tree.Entry]*tree.Tree)
	for i, t := range trees {
		r, err := s.run(ctx, trees[:i+1])
		if err != nil {
			return nil, err
		}
		if s.ran != nil {
			s.ran(t, r)
		}
		nodes := r.Nodes
		if !s.all {
			nodes = s.plan.Window(nodes)
		}
		for _, e := range nodes {
			id := e.Node().ID
			if len(trees) > 1 && seen[id] {
				continue
			}
			if s.mode == "latest" {
				key := e.Node().KeyFacet()
				if newest[key] == nil {
					newest[key] = t
				}
				if newest[key] != t {
					continue
				}
			}
			if len(trees) > 1 {
				seen[id] = true
			}
			in[e] = t
			list = append(list, found{e, t})
		}
	}
	if !s.all {
		return list, nil
	}
	merged := make([]*tree.Entry, len(list))
	for i, f := range list {
		merged[i] = f.entry
	}
	list = list[:0]
	for _, e := range s.plan.Window(merged) {
		list = append(list, found{e, in[e]})
	}
	return list, nil
}

// run puts the selector to the last of some snapshots. Where it is local, only
// what differs from the snapshot before can be selected that was not selected
// there, and so is known: asking all snapshots costs what changed in them.
func (s *selection) run(ctx context.Context, trees []*tree.Tree) (query.Result, error) {
	t := trees[len(trees)-1]
	if len(trees) == 1 || !s.plan.Local() {
		return s.plan.Run(ctx, t)
	}
	was, _ := tops(tree.Differences(t, trees[len(trees)-2]))
	return s.plan.RunBelow(ctx, t, was)
}

// kin keeps what Where asks for.
func (s *selection) kin(ctx context.Context, list []found) ([]found, error) {
	var failed error
	list = slices.DeleteFunc(list, func(f found) bool {
		if s.kept[f.tree] == nil && failed == nil {
			r, err := s.keep.Run(ctx, f.tree)
			s.kept[f.tree], failed = r.Subtrees(f.tree), err
		}
		return failed != nil || !s.kept[f.tree].Has(f.entry)
	})
	return list, failed
}
