package search

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Options says how many of the nodes that a selector finds to return. The windows
// apply after all controls of the selector, in the order Where, Skip, Limit (003,
// 001 §3.5.2).
type Options struct {
	Where      *selector.Selector // of the subtrees to keep; nil keeps everything
	Skip       int                // how many of the first nodes to leave out
	Limit      int                // the most nodes to return; 0 for no limit
	RangeAsIDs bool               // a range gives ids without @mode (annex 10); edition v0.1 only
	Counter    tree.Counter       // counts for the facet tokens; nil if the selector has none
	Working    bool               // @* asks the working state too
}

// Search is a selector with its options, ready to run. Use it for one call only:
// it keeps results of the snapshots that it ran on.
type Search struct {
	Options
	Selector *selector.Selector

	plan    *query.Plan
	where   *query.Plan                        // of Where, nil if there is none
	kept    map[*tree.Tree]*query.Subtrees     // the subtrees that where matches in each snapshot
	mode    string                             // union or latest, if a range gives ids
	changes error                              // why a range gives changes and not ids, nil for all else
	ran     func(t *tree.Tree, r query.Result) // called after every run of a plan, nil if the caller counts nothing
}

// Match is a found node and the snapshot that holds it.
type Match struct {
	Entry *tree.Entry
	Tree  *tree.Tree
}

// New prepares a selector. It fails with E_SELECTOR_INVALID if the selector or
// Where is incomplete, if Skip or Limit is negative, or if Where has controls or
// another address.
func New(q *selector.Selector, o Options) (*Search, error) {
	plan, err := query.Compile(q)
	if err != nil {
		return nil, err
	}
	s := &Search{Options: o, Selector: q, plan: plan.Counting(o.Counter)}
	switch {
	case o.Skip < 0 || o.Limit < 0:
		return nil, fault.New(fault.SelectorInvalid, "Skip or Limit is negative", "write 0 or more")
	case o.RangeAsIDs && !s.addresses(selector.Range):
		return nil, fault.New(fault.SelectorInvalid, "RangeAsIDs is set, and the selector addresses no range",
			"leave RangeAsIDs out")
	}
	if s.addresses(selector.Range) {
		s.mode, s.changes = s.modeOfRange()
	}
	where := o.Where
	if where == nil {
		return s, nil
	}
	if where.Time != nil && (q.Time == nil || *where.Time != *q.Time) {
		return nil, fault.New(fault.SelectorInvalid, "Where has another address than the selector",
			"leave the address out of Where, or give both the same one")
	}
	if len(where.Controls) > 0 {
		return nil, fault.New(fault.SelectorInvalid, "Where has controls",
			"write them after the main selector")
	}
	s.kept = make(map[*tree.Tree]*query.Subtrees)
	if s.where, err = query.Compile(where); err != nil {
		return nil, err
	}
	s.where = s.where.Counting(o.Counter)
	return s, nil
}

// addresses reports whether the selector has an address of this kind.
func (s *Search) addresses(kind selector.TimeKind) bool {
	return s.Selector.Time != nil && s.Selector.Time.Kind == kind
}

// CheckGivesIDs refuses a range of snapshots that gives changes instead of ids.
func (s *Search) CheckGivesIDs() error { return s.changes }

// modeOfRange returns the mode in which a range gives ids.
func (s *Search) modeOfRange() (string, error) {
	mode := ""
	if c, ok := s.Selector.Control(selector.ControlMode); ok {
		mode = c.Word
	}
	switch {
	case mode == "union" || mode == "latest":
		return mode, nil
	case s.RangeAsIDs && s.Selector.Edition == selector.V01:
		return "union", nil
	case s.RangeAsIDs:
		return "", fault.New(fault.SelectorInvalid, "only edition v0.1 can give the ids of a range without @mode",
			"write @mode=union after the selector")
	}
	return "", fault.New(fault.SelectorInvalid, "a range of snapshots gives a RangeDiffLatestResult, not ids",
		"ask for the changes of the range, or write @mode=union or @mode=latest after the selector")
}

// Find returns what the selector finds in some snapshots, newest first, after the
// windows. Errors and cost are those of [query.Plan.Run]; a plan that is local
// costs what differs in every snapshot but the newest.
func (s *Search) Find(ctx context.Context, trees []*tree.Tree) ([]Match, error) {
	list, err := s.merge(ctx, trees)
	if err == nil && s.where != nil {
		list, err = s.inSubtrees(ctx, list)
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

// merge merges the answers of the snapshots. In a range the controls apply to each
// snapshot, with @* they apply to the merged answer.
func (s *Search) merge(ctx context.Context, trees []*tree.Tree) ([]Match, error) {
	all := s.addresses(selector.All)
	var list []Match
	seen := make(map[string]bool)
	newest := make(map[string]*tree.Tree) // the newest snapshot in which a key family matches
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
		if !all {
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
			list = append(list, Match{e, t})
		}
	}
	if !all {
		return list, nil
	}
	merged := make([]*tree.Entry, len(list))
	for i, f := range list {
		merged[i] = f.Entry
	}
	list = list[:0]
	for _, e := range s.plan.Window(merged) {
		list = append(list, Match{e, in[e]})
	}
	return list, nil
}

// run runs the plan on the last of the given trees. Callers have already seen the
// results of the trees before it. If the plan is local, a node that they have not
// seen can only be among those that differ from the tree before, so run looks at
// these alone: a search through all snapshots costs what changed in them.
func (s *Search) run(ctx context.Context, trees []*tree.Tree) (query.Result, error) {
	t := trees[len(trees)-1]
	if len(trees) == 1 || !s.plan.Local() {
		return s.plan.Run(ctx, t)
	}
	differences, err := tree.Differences(t, trees[len(trees)-2])
	if err != nil {
		return query.Result{}, err
	}
	was, _ := highest(differences)
	return s.plan.RunBelow(ctx, t, was)
}

// inSubtrees keeps the nodes that Where matches and the nodes below those.
func (s *Search) inSubtrees(ctx context.Context, list []Match) ([]Match, error) {
	kept := list[:0]
	for _, m := range list {
		if s.kept[m.Tree] == nil {
			r, err := s.where.Run(ctx, m.Tree)
			if err != nil {
				return nil, err
			}
			s.kept[m.Tree] = r.Subtrees(m.Tree)
		}
		if has, err := s.kept[m.Tree].Has(m.Entry); err != nil {
			return nil, err
		} else if has {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// Explain runs the selector as Find does, and says how. It runs a range that gives
// changes on each of its snapshots; such a range takes no windows, so Explain
// fails with E_SELECTOR_INVALID if one is set. It does not count the nodes that
// Where visits.
func (s *Search) Explain(ctx context.Context, trees []*tree.Tree) (*inspect.Explanation, error) {
	x := s.plan.Explain()
	x.Snapshots, s.plan = len(trees), s.plan.Counted()
	s.ran = func(t *tree.Tree, r query.Result) {
		x.Nodes, x.Visited, x.Skipped = x.Nodes+t.Len(), x.Visited+r.Visited, x.Skipped+r.Skipped
	}
	questions := [][]*tree.Tree{trees}
	if s.changes != nil {
		if s.Where != nil || s.Skip != 0 || s.Limit > 0 {
			return nil, fault.New(fault.SelectorInvalid, "Where, Skip and Limit do not apply to the changes of a range",
				"leave them out, or write @mode=union or @mode=latest after the selector")
		}
		questions = slices.Collect(slices.Chunk(trees, 1))
	}
	for _, some := range questions {
		list, err := s.Find(ctx, some)
		if err != nil {
			return nil, err
		}
		x.Returned += len(list)
	}
	return &x, nil
}
