package rules

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// Compile compiles the selectors of some rules in the edition of a context. counter counts for the
// facet tokens; nil if there is none. It returns E_SELECTOR_INVALID, with the place in the
// selector, for one that does not parse or that asks more than one snapshot.
func Compile(list []lifecycle.Rule, edition selector.Edition, counter tree.Counter) ([]commit.CompiledRule, error) {
	made := make([]commit.CompiledRule, 0, len(list))
	for i := range list {
		c, err := compile(list[i].Select, edition, counter)
		if err != nil {
			return nil, in(err, i+1, list[i].Select)
		}
		made = append(made, c)
	}
	return made, nil
}

// in says of an error in which rule it is, and at which place of its selector.
func in(err error, rule int, text string) error {
	var why *fault.Error
	if !errors.As(err, &why) {
		return err
	}
	says := "the selector of rule " + strconv.Itoa(rule) + " cannot be used: "
	if why.Offset != fault.NoOffset {
		says += "at byte " + strconv.Itoa(why.Offset) + ", "
	}
	return fault.At(why.Code, fault.NoOffset, text, says+why.Message, why.Remedy)
}

func compile(text string, edition selector.Edition, counter tree.Counter) (commit.CompiledRule, error) {
	q, err := selector.Parse(text, edition)
	if err != nil {
		return commit.CompiledRule{}, err
	}
	if t := q.Time; t != nil && (t.Kind != selector.Single || t.From != selector.Point{Axis: 't'}) {
		return commit.CompiledRule{}, fault.New(fault.SelectorInvalid,
			"a rule asks the state that a commit is about to seal", "leave the address out")
	}
	plan, err := query.Compile(q)
	if err != nil {
		return commit.CompiledRule{}, err
	}
	plan = plan.Counting(counter)
	return commit.CompiledRule{Find: finder(plan), Steady: plan.Steady(), Sys: namesSys(q)}, nil
}

// finder returns the function that runs a plan.
func finder(plan *query.Plan) func(context.Context, *tree.Tree, []string, bool) ([]string, error) {
	return func(ctx context.Context, t *tree.Tree, below []string, whole bool) ([]string, error) {
		if whole {
			r, err := plan.Run(ctx, t)
			return idsOf(plan.Window(r.Nodes)), err
		}
		if plan.OneByOne() {
			r, err := plan.RunBelow(ctx, t, below)
			return r.IDs(), err
		}
		some := make(map[string]bool, len(below))
		for _, id := range below {
			some[id] = true
		}
		r, err := plan.Run(ctx, t)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, e := range plan.Window(r.Nodes) {
			path, err := t.Path(e.Node().ID)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(path, func(e *tree.Entry) bool { return some[e.Node().ID] }) {
				ids = append(ids, e.Node().ID)
			}
		}
		return ids, nil
	}
}

func idsOf(nodes []*tree.Entry) []string {
	ids := make([]string, len(nodes))
	for i, e := range nodes {
		ids[i] = e.Node().ID
	}
	return ids
}

// namesSys reports whether a selector names ^sys or an id: only then a rule means ^sys too. Edition
// 1.0 names the region also by its type, .sys, and by its depth, -1 (1.0 02 §2.5, 04 §3.2).
func namesSys(q *selector.Selector) bool {
	published := q.Edition.Traits().TypeFacet
	for _, g := range q.Groups {
		if published && g.Scope != nil && hasSys(*g.Scope) {
			return true
		}
		for _, s := range g.Steps {
			if slices.ContainsFunc(s.Parts, func(part selector.Part) bool { return partNamesSys(part, published) }) {
				return true
			}
		}
	}
	return false
}

func partNamesSys(part selector.Part, published bool) bool {
	switch part := part.(type) {
	case selector.Region:
		return part.Name == "sys"
	case selector.ID:
		return true
	case selector.Attr:
		return part.Op == selector.Eq && (part.Name == "id" || published && part.Name == "nodeType" &&
			slices.ContainsFunc(part.Values, func(v selector.Literal) bool { return strings.TrimPrefix(v.Text, "^") == "sys" }))
	case selector.DepthIs:
		return published && hasSys(part.Set)
	case selector.DepthStep:
		return published && hasSys(part.Set)
	case selector.Position:
		return published && slices.ContainsFunc(part.Hops, func(h selector.Hop) bool {
			return h.Kind == selector.HopDepth && hasSys(h.Depth)
		})
	}
	return false
}

// hasSys reports whether somebody wrote a depth of ^sys: a set with an open end does not name it.
func hasSys(set selector.DepthSet) bool {
	return slices.ContainsFunc(set.Terms, func(t selector.DepthTerm) bool {
		return t.Lo <= -1 && t.Lo != math.MinInt64 && t.Hi >= -1
	})
}
