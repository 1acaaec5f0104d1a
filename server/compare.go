package server

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// two are two states of a context, and a selector for the nodes to compare.
type two struct {
	Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	From    string `query:"from" default:"@t-1" doc:"Address of the older state"`
	To      string `query:"to" default:"@t0" doc:"Address of the newer state"`
	Select  string `query:"select" doc:"Selector without an address: only what it finds on each side is compared"`
	Edition string `query:"edition" doc:"Edition of the selector; that of the context by default"`
}

// compared answers with what compare says of the two states.
func compared[T any](ctx context.Context, s *Server, in *two,
	compare func(c *pact.Context, from, to pact.Address, o pact.DiffOptions) (T, error)) (*answered[T], error) {
	from, err := pact.ParseAddress(in.From)
	if err != nil {
		return nil, err
	}
	to, err := pact.ParseAddress(in.To)
	if err != nil {
		return nil, err
	}
	c, err := s.reading(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	r, err := compare(c, from, to, pact.DiffOptions{Edition: selector.Edition(in.Edition), Select: in.Select})
	return answer(r, placed(err, in.Select))
}

// pruning says what a commit removes besides expired nodes.
type pruning struct {
	Policy  *lifecycle.Policy `json:"policy,omitempty" doc:"Limits of the snapshot; if absent, the policy that the context keeps"`
	IDs     []string          `json:"ids,omitempty" doc:"Blocks outside cores and whole turns to remove"`
	Select  []string          `json:"select,omitempty" doc:"Selectors without an address, whose nodes are removed"`
	Rewrite []string          `json:"rewrite,omitempty" doc:"Sealed turns that the conversation replaces"`
}

// open opens a context for a pruning, with the counter of tokens that its policy needs.
func (p *pruning) open(ctx context.Context, s *Server, name string) (*pact.Context, *pact.Pruning, error) {
	c, err := s.context(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	policy := p.Policy
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
	o := s.open()
	if o.Counter, err = s.counter(policy.Tokenizer); err != nil {
		return nil, nil, err
	}
	wanted.Policy.Tokenizer = o.Counter.Name()
	c, err = pact.Open(ctx, s.store, name, &o)
	return c, wanted, err
}

// keptPolicy is what the commits of a context follow.
type keptPolicy struct {
	Policy *lifecycle.Policy `json:"policy,omitempty" doc:"Absent if the context keeps none"`
}

// comparisons adds the operations that compare states, also with one that is only planned.
func (s *Server) comparisons() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/diff", id: "diff",
		summary: "List the nodes that differ between two states"},
		func(ctx context.Context, in *two) (*answered[*diff.Result], error) {
			return compared(ctx, s, in, func(c *pact.Context, from, to pact.Address, o pact.DiffOptions) (*diff.Result, error) {
				return c.Diff(ctx, from, to, &o)
			})
		})
	type rich struct { // the framework does not look into an embedded two
		Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		From    string `query:"from" default:"@t-1" doc:"Address of the older state"`
		To      string `query:"to" default:"@t0" doc:"Address of the newer state"`
		Select  string `query:"select" doc:"Selector without an address: only what it finds on each side is compared"`
		Edition string `query:"edition" doc:"Edition of the selector; that of the context by default"`
		Mode    string `query:"content_mode" enum:"unified,jsonpatch,tokens" default:"unified" doc:"How contents are shown"`
		Lines   int    `query:"context_lines" minimum:"0" maximum:"1000" default:"3" doc:"Lines of context of a unified diff"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/rich-diff", id: "rich-diff",
		summary: "Compare two states with causes, values, contents and places in the threads"},
		func(ctx context.Context, in *rich) (*answered[*diff.Report], error) {
			show := pact.ContentOptions{Mode: diff.Mode(in.Mode), Lines: &in.Lines}
			states := &two{in.Name, in.From, in.To, in.Select, in.Edition}
			return compared(ctx, s, states, func(c *pact.Context, from, to pact.Address, o pact.DiffOptions) (*diff.Report,
				error) {
				return c.RichDiff(ctx, from, to, &pact.RichDiffOptions{DiffOptions: o, ContentOptions: show})
			})
		})
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/policy", id: "kept-policy",
		summary: "Say which pruning policy the commits of a context follow"},
		func(ctx context.Context, in *named) (*answered[keptPolicy], error) {
			c, err := s.reading(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			policy, err := c.Working().Policy()
			return answer(keptPolicy{policy}, err)
		})
	type ranged struct {
		Name      string   `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Q         string   `query:"q" required:"true" doc:"Selector of a range of snapshots, such as @t-3..@t0 .block"`
		Edition   string   `query:"edition" doc:"Edition of the selector; that of the context by default"`
		Snapshots int      `query:"max_snapshots" minimum:"0" doc:"Only this many of the newest snapshots; 0 for all"`
		Changes   int      `query:"max_changes" minimum:"-1" default:"-1" doc:"Only this many changes of each step; -1 for all"`
		Mode      string   `query:"content_mode" enum:"unified,jsonpatch,tokens" doc:"Also show how contents changed"`
		Headers   []string `query:"materialize" doc:"Headers whose values are shown: content, mime, encoding, content_hash"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/range", id: "range",
		summary: "Say how the selected nodes changed from snapshot to snapshot"},
		func(ctx context.Context, in *ranged) (*answered[*diff.RangeDiffLatestResult], error) {
			o := pact.RangeOptions{Edition: selector.Edition(in.Edition), Materialize: in.Headers}
			if in.Snapshots > 0 {
				o.MaxSnapshots = &in.Snapshots
			}
			if in.Changes >= 0 {
				o.MaxChangesPerSnapshot = &in.Changes
			}
			if in.Mode != "" {
				o.Content = &pact.ContentOptions{Mode: diff.Mode(in.Mode)}
			}
			c, err := s.reading(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			r, err := c.RangeDiffLatest(ctx, in.Q, &o)
			return answer(r, placed(err, in.Q))
		})
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/plan", id: "plan-pruning", body: pruning{}, dry: true,
		summary: "Say what a commit with this pruning would remove and cost; nothing changes"},
		func(ctx context.Context, in *named) (*answered[*inspect.PrunePlan], error) {
			p, err := readJSON[pruning](ctx)
			if err != nil {
				return nil, err
			}
			c, wanted, err := p.open(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			return answer(c.PlanPruning(ctx, wanted))
		})
}
