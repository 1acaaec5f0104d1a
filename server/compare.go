package server

import (
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
)

// diffQuery asks for two states of a context to compare, and with a selector for which of their nodes.
type diffQuery struct {
	Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	From    string `query:"from" default:"latest-1" doc:"Address of the older state, also of another context: NAME@c5"`
	To      string `query:"to" default:"latest" doc:"Address of the newer state"`
	Select  string `query:"select" doc:"Selector without an address: only what it finds on each side is compared"`
	Edition string `query:"edition" doc:"Edition of the selector; that of the context by default"`
	Mode    string `query:"content_mode" enum:"unified,jsonpatch,tokens" default:"unified" doc:"How contents are shown"`
	Lines   int    `query:"context_lines" minimum:"0" maximum:"1000" default:"3" doc:"Lines of context of a unified diff"`
}

// diff compares two states of a context, or one with a state of another context.
func (s *Server) diff(ctx context.Context, in *diffQuery) (*diff.Report, error) {
	c, err := s.read(ctx, in.Name, view.Bytes)
	if err != nil {
		return nil, err
	}
	to, err := pact.ParseAddress(in.To, c.context.Info().Edition)
	if err != nil {
		return nil, err
	}
	o := pact.DiffOptions{Select: in.Select, Edition: selector.Edition(in.Edition),
		ContentMode: diff.Mode(in.Mode), ContextLines: in.Lines}
	if in.Lines == 0 {
		o.ContextLines = -1 // the parameter counts, and the option has 0 for its default
	}
	if name, address := view.SplitAddress(in.From); name == "" {
		from, err := pact.ParseAddress(address, c.context.Info().Edition)
		if err != nil {
			return nil, err
		}
		return c.context.RichDiff(ctx, from, to, &o)
	}
	from, err := s.otherSnapshot(ctx, c, in.From)
	if err != nil {
		return nil, err
	}
	newer, err := c.stateAt(ctx, to)
	if err != nil {
		return nil, err
	}
	return pact.RichDiff(ctx, from, newer, &o)
}

// leaveOutHeads takes the active heads out of a report: each commit replaces the one that it seals
// by another, which tells nothing.
func leaveOutHeads(r *diff.Report) {
	heads := map[string]bool{}
	isHead := func(c diff.Component) bool {
		if c.Type == "^ah" {
			heads[c.ID] = true
		}
		return heads[c.ID]
	}
	r.Added, r.Removed = slices.DeleteFunc(r.Added, isHead), slices.DeleteFunc(r.Removed, isHead)
	for _, children := range []map[string][]string{r.ChildrenAdded, r.ChildrenRemoved} {
		for parent, ids := range children {
			if ids = slices.DeleteFunc(ids, func(id string) bool { return heads[id] }); len(ids) == 0 {
				delete(children, parent)
			} else {
				children[parent] = ids
			}
		}
	}
}

// pruning says what a commit removes besides expired nodes.
type pruning struct {
	Policy  *policyOrName `json:"policy,omitempty" doc:"Limits of the snapshot, or the name of a ready policy; if absent, the policy that the context keeps"`
	IDs     []string      `json:"ids,omitempty" doc:"Blocks outside cores and whole turns to remove"`
	Select  []string      `json:"select,omitempty" doc:"Selectors without an address, whose nodes are removed"`
	Rewrite []string      `json:"rewrite,omitempty" doc:"Sealed turns, and blocks outside cores, that the conversation replaces"`
}

// open opens a context for a pruning, with the counter of tokens that the unit or its policy needs.
func (p *pruning) open(ctx context.Context, s *Server, name string, unit view.Unit) (*pact.Context, *pact.Pruning,
	error) {
	o, err := s.openFor(unit)
	if err != nil {
		return nil, nil, err
	}
	c, err := pact.Open(ctx, s.store, name, &o)
	if err != nil {
		return nil, nil, err
	}
	policy := p.Policy.policy()
	if policy == nil {
		if policy, err = c.Working().Policy(); err != nil {
			return nil, nil, err
		}
	}
	wanted := &pact.Pruning{WithoutKept: true, IDs: p.IDs, Select: p.Select, Rewrite: p.Rewrite}
	if policy == nil {
		return c, wanted, nil
	}
	wanted.Policy = *policy
	if !policy.Counts() {
		return c, wanted, nil
	}
	if o.Counter, err = s.counter(policy.Tokenizer); err != nil {
		return nil, nil, err
	}
	wanted.Policy.Tokenizer = o.Counter.Name()
	c, err = pact.Open(ctx, s.store, name, &o)
	return c, wanted, err
}

// comparisons adds the operations that compare states, also with one that is only planned.
func (s *Server) comparisons() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/diff", id: "diff",
		summary: "Compare two states: what came, went and changed, why, and where it is in the threads"},
		func(ctx context.Context, in *diffQuery) (*answered[*diff.Report], error) {
			r, err := s.diff(ctx, in)
			if err == nil {
				leaveOutHeads(r)
			}
			return answer(r, locateFault(err, in.Select))
		})
	type planned struct {
		Name string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
		At   string    `query:"at" doc:"Plan the first commit of a fork of this snapshot; by default the next commit of the context"`
		Unit view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"tokens also counts tokens"`
	}
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/plan", id: "plan-pruning", body: pruning{}, dry: true,
		summary: "Say what a commit with this pruning would remove and cost; nothing changes"},
		func(ctx context.Context, in *planned) (*answered[*inspect.PrunePlan], error) {
			p, err := readJSON[pruning](ctx)
			if err != nil {
				return nil, err
			}
			c, wanted, err := p.open(ctx, s, in.Name, in.Unit)
			if err != nil {
				return nil, err
			}
			at := pact.Address("working")
			if in.At != "" {
				if at, err = pact.ParseAddress(in.At, c.Info().Edition); err != nil {
					return nil, err
				}
			}
			return answer(c.PlanPruning(ctx, at, wanted))
		})
}
