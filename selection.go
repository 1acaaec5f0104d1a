package pact

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// selection is a selector prepared to be put to snapshots.
type selection struct {
	SelectOptions
	asked *selector.Selector
	plan  *query.Plan
	all   bool        // the address is @*
	mode  string      // union or latest, where a range gives ids
	keep  *query.Plan // of where
	kept  map[*tree.Tree]*query.Subtrees
	ran   func(*tree.Tree, query.Result) // hears of every evaluation, where one wants to know
}

func newSelection(text string, edition selector.Edition, o SelectOptions) (*selection, error) {
	edition = cmp.Or(o.Edition, edition)
	q, err := selector.Parse(text, edition)
	if err != nil {
		return nil, err
	}
	s := &selection{SelectOptions: o, asked: q}
	if s.plan, err = query.Compile(q); err != nil {
		return nil, err
	}
	switch {
	case o.Skip < 0 || o.Limit < 0:
		return nil, fault.New(fault.SelectorInvalid, "a window cannot have a negative size", "Skip and Limit are 0 or more")
	case o.RangeAsIDs && !s.ranged():
		return nil, fault.New(fault.SelectorInvalid, "the selector addresses no range of snapshots to be given as ids",
			"leave RangeAsIDs out")
	}
	s.all = q.Time != nil && q.Time.Kind == selector.All
	if o.Where == "" {
		return s, nil
	}
	where, err := selector.Parse(o.Where, edition)
	if err != nil {
		return nil, err
	}
	if where.Time != nil && (q.Time == nil || *where.Time != *q.Time) {
		return nil, fault.New(fault.SelectorInvalid, "the selector of Where has an address of its own",
			"it looks where the other selector looks: leave the address out, or give both the same one")
	}
	if len(where.Controls) > 0 {
		return nil, fault.New(fault.SelectorInvalid, "the selector of Where has controls",
			"they belong to the other selector: leave them out")
	}
	s.kept = make(map[*tree.Tree]*query.Subtrees)
	s.keep, err = query.Compile(where)
	return s, err
}

// ranged reports whether the selector addresses a range of snapshots.
func (s *selection) ranged() bool {
	return s.asked.Time != nil && s.asked.Time.Kind == selector.Range
}

// idsOfRange returns the mode in which a range gives ids.
func (s *selection) idsOfRange() (string, error) {
	mode := ""
	if c, ok := s.asked.Control(selector.ControlMode); ok {
		mode = c.Word
	}
	switch {
	case mode == "union" || mode == "latest":
		return mode, nil
	case s.RangeAsIDs && s.asked.Edition == selector.V01:
		return "union", nil
	case s.RangeAsIDs:
		return "", fault.New(fault.SelectorInvalid, "only edition v0.1 can give the ids of a range without @mode",
			"write @mode=union behind the selector")
	}
	return "", fault.New(fault.SelectorInvalid, "a range of snapshots gives a RangeDiffLatestResult, not ids",
		"call RangeDiffLatest, or write @mode=union or @mode=latest behind the selector")
}

// found is a selected node and the snapshot it was found in.
type found struct {
	entry *tree.Entry
	tree  *tree.Tree
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
	list = list[min(s.Skip, len(list)):]
	if s.Limit > 0 {
		list = list[:min(s.Limit, len(list))]
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

// kin keeps what is or stands below what Where matches.
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
