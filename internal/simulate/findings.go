package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

// What a Finding is about.
const (
	PrefixBroke  = "prefix"     // a call repeats not all of the one before
	CalledAgain  = "repeated"   // a tool was called twice with the same arguments, and said the same
	CarriedLong  = "carried"    // a result stood in many calls, and no answer has a line of it
	ToolUnused   = "unused"     // a tool was defined and never called
	CompactLost  = "compaction" // the run dropped most of what it had been sending
	WindowFilled = "window"     // the window of the model is full soon
)

// Finding is something that a run paid for and may not have needed.
type Finding struct {
	What   string   `json:"what" enum:"prefix,repeated,carried,unused,compaction,window"`
	Cycle  int64    `json:"cycle,omitempty"`
	Node   string   `json:"node,omitempty"`
	Says   string   `json:"says" doc:"In a sentence"`
	Tokens int64    `json:"tokens" doc:"That were sent again, or for nothing; of a window, that are left"`
	Cost   *float64 `json:"cost,omitempty" doc:"Of these; absent if the model has no price"`
	// Helps is a rule with which the run would have cost less, by simulation. Only the first finding of a kind has
	// it: what it saves is that of the whole run.
	Helps *lifecycle.Rule `json:"helps,omitempty" doc:"A rule with which the whole run would have cost less, by simulation; of a kind the first finding alone has it"`
	Saves *float64        `json:"saves,omitempty" doc:"What the rule would have saved the whole run"`
}

// Report is what a run paid for and may not have needed.
type Report struct {
	Basis
	Findings []Finding `json:"findings" nullable:"false"`
}

// cures are the rules that findings try. A rule that does not help a run is not named.
var cures = []struct {
	what string
	rule lifecycle.Rule
}{
	{CarriedLong, lifecycle.Rule{Select: ".cb[kind='result'][bytes>4000]", Head: 2000, Tail: 1000}},
	{CalledAgain, lifecycle.Rule{Select: ".cb[kind='result']", Once: true}},
}

// most is how many findings of a kind are returned, the dearest ones.
const most = 5

// Findings says what a run paid for: the dearest first, at most five of a kind. Policies of the
// options are left aside. Its errors and its cost are those of [Run] with two policies.
func Findings(ctx context.Context, c *pact.Context, o Options) (_ *Report, err error) {
	defer tree.Recover(&err)
	o.Calls, o.Policies = true, []Named{{Name: "none"}}
	for _, cure := range cures {
		o.Policies = append(o.Policies, Named{cure.what, lifecycle.Policy{Rules: []lifecycle.Rule{cure.rule}}})
	}
	f := &finder{ctx: ctx, o: o, carried: map[string]*carried{}, calls: map[string]string{}, used: map[string]bool{},
		lines: map[string][]string{}, blocks: map[string]int64{}}
	result, err := replayed(ctx, c, o, func(before, now, _ *tree.Tree, _ []string) error { return f.call(before, now) })
	if err != nil {
		return nil, err
	}
	f.prices, f.model, f.hour = cmp.Or(o.Prices, prices.BuiltIn()), result.Model, result.hour
	list := f.broken(c, result)
	list = append(list, f.found()...)
	list = append(list, f.window(result)...)
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.Tokens, a.Tokens) })
	raw := result.Outcomes[0].Cost
	for k, cure := range cures {
		first := slices.IndexFunc(list, func(f Finding) bool { return f.What == cure.what })
		if cost := result.Outcomes[k+2].Cost; first >= 0 && raw != nil && *cost < *raw*(1-1e-6) {
			saves := *raw - *cost
			list[first].Helps, list[first].Saves = &cures[k].rule, &saves
		}
	}
	count := map[string]int{}
	if list == nil {
		list = []Finding{}
	}
	list = slices.DeleteFunc(list, func(f Finding) bool { count[f.What]++; return count[f.What] > most })
	return &Report{result.Basis, list}, nil
}

// finder collects what the calls of a run tell.
type finder struct {
	ctx     context.Context
	o       Options
	prices  *record.Prices
	model   string
	hour    bool                // the run wrote to the cache for an hour
	blocks  map[string]int64    // the tokens of the blocks that a call sent
	sent    int64               // of all these
	fresh   []float64           // the part of what each call sent that the call before had not
	carried map[string]*carried // results and definitions of tools, by id
	calls   map[string]string   // the result of a call, by tool and arguments
	used    map[string]bool     // the tools that were called
	lines   map[string][]string // the results that have a line
	list    []Finding
}

// carried is a block, and how long it was sent.
type carried struct {
	node   *tree.Node
	tool   string
	tokens int64
	calls  int64
	quoted bool
	gone   bool
}

func (f *finder) call(before, now *tree.Tree) error {
	var failed error
	r := &run{ctx: f.ctx, o: f.o, parts: map[*tree.Node]*part{}}
	fresh := int64(0)
	gone, changed := added(before, now, func(n *tree.Node, _ string) {
		if now.Entry(n.ID).Class() != tree.Block || failed != nil {
			return
		}
		tool, err := toolcall.Name(f.ctx, now, n)
		p, err2 := r.part(n, tree.Seq)
		if failed = cmp.Or(err, err2); failed != nil {
			return
		}
		fresh += f.note(n.ID, p.tokens)
		switch n.Kind {
		case toolcall.Call:
			f.used[tool] = true
			f.again(r, now, n, tool)
		case toolcall.Result, toolcall.Definition:
			f.carried[n.ID] = &carried{node: n, tool: tool, tokens: p.tokens}
		}
		for _, line := range linesOf(r, n) {
			switch {
			case n.Kind == toolcall.Result:
				f.lines[line] = append(f.lines[line], n.ID)
			case n.RoleIn(tree.Seq) == "assistant":
				for _, id := range f.lines[line] {
					f.carried[id].quoted = true
				}
			}
		}
	})
	for _, n := range changed {
		if now.Entry(n.ID).Class() == tree.Block && failed == nil {
			var p *part
			if p, failed = r.part(n, tree.Seq); failed == nil {
				fresh += f.note(n.ID, p.tokens)
			}
		}
	}
	lost := int64(0)
	for _, id := range gone {
		f.note(id, 0)
		if c := f.carried[id]; c != nil {
			c.gone = true
			lost += c.tokens
		}
	}
	f.fresh = append(f.fresh, float64(fresh)/float64(max(f.sent, 1)))
	kept := int64(0)
	for _, c := range f.carried {
		if !c.gone {
			c.calls++
			kept += c.tokens
		}
	}
	if lost > kept && lost > 0 {
		f.list = append(f.list, Finding{What: CompactLost, Cycle: now.Cycle(), Tokens: lost, Says: fmt.Sprintf(
			"call %d left out results of %d tokens that the call before had sent", now.Cycle(), lost)})
	}
	return failed
}

// note counts the tokens of a block that is sent, 0 if it is no longer.
func (f *finder) note(id string, tokens int64) int64 {
	f.sent += tokens - f.blocks[id]
	if f.blocks[id] = tokens; tokens == 0 {
		delete(f.blocks, id)
	}
	return tokens
}

// again notes a call that was made before, if both results are the same.
func (f *finder) again(r *run, t *tree.Tree, n *tree.Node, tool string) {
	key, _ := callKey(r, t, n)
	for _, result := range toolcall.Partners(t, n) {
		before := f.carried[f.calls[key]]
		if before != nil && before.node.SameContent(result) {
			f.list = append(f.list, Finding{What: CalledAgain, Cycle: t.Cycle(), Node: n.ID, Tokens: before.tokens,
				Says: fmt.Sprintf("%s was called with the same arguments as before, and said the same: %s, %s", tool,
					before.node.ID, result.ID)})
		}
		f.calls[key] = result.ID
	}
}

// found returns what the whole run shows: what was carried for nothing.
func (f *finder) found() []Finding {
	list := f.list
	for i := range list {
		list[i].Cost = f.cost(0, list[i].Tokens)
	}
	for id, c := range f.carried {
		tokens := c.tokens * c.calls
		one := Finding{Node: id, Tokens: tokens, Cost: f.cost(tokens-c.tokens, c.tokens)}
		switch {
		case c.node.Kind == toolcall.Definition && !f.used[c.tool] && c.tool != "":
			one.What = ToolUnused
			one.Says = fmt.Sprintf("the tool %s was defined in %d calls and never called", c.tool, c.calls)
			list = append(list, one)
		case c.node.Kind == toolcall.Result && !c.quoted && c.calls >= 10:
			one.What, one.Cycle = CarriedLong, c.node.Cycle
			one.Says = fmt.Sprintf("a result of %s of %d tokens was sent %d times, and no answer has a line of it", c.tool,
				c.tokens, c.calls)
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Cycle, b.Cycle))
	})
	return list
}

// cost returns what it costs to read some tokens from the cache and to write others, nil without a
// price.
func (f *finder) cost(read, written int64) *float64 {
	all := read + written
	told := &inspect.ProviderCache{In: &all, Read: &read, Written: &written}
	if f.hour {
		told.Written1h = &written
	}
	cost := f.prices.Cost(nil, &inspect.CallPrefix{Model: f.model, Provider: told})
	if cost == nil {
		return nil
	}
	return &cost.Paid
}

// extra returns what it costs more to write some tokens than to read them.
func (f *finder) extra(tokens int64) *float64 {
	write, read := f.cost(0, tokens), f.cost(tokens, 0)
	if write == nil {
		return nil
	}
	extra := max(0, *write-*read)
	return &extra
}

// changed says what the words for the end of a prefix mean (inspect.Cut).
var changed = map[string]string{"model": "the model changed", "parameters": "the parameters changed",
	"tools": "the tool list changed", "system": "the system prompt changed", "block": "an earlier block changed",
	"thinking": "the model forgets thinking with its turn"}

// broken returns the calls whose request does not repeat the one before, with the cause that the
// record has. What the call before had not sent is not sent again, such as the summary of a compaction; and
// what is sent again would have been read otherwise.
func (f *finder) broken(c *pact.Context, result *Result) (list []Finding) {
	causes := map[int64]string{}
	for p, err := range record.Prefixes(f.ctx, c, result.Dialect) {
		if err == nil && p.Cut != nil {
			causes[p.Cycle] = p.Cut.Cause
		}
	}
	calls := result.Outcomes[0].ByCall
	for i := 1; i < len(calls); i++ {
		again := calls[i].Sent - int64(f.fresh[i]*float64(calls[i].Sent)+0.5) - calls[i].Read
		if !calls[i].Broke || again <= 0 {
			continue
		}
		says := fmt.Sprintf("call %d sent %d tokens again", calls[i].Cycle, again)
		if cause := causes[calls[i].Cycle]; cause != "" {
			says += ", because " + changed[cause]
		}
		list = append(list, Finding{What: PrefixBroke, Cycle: calls[i].Cycle, Tokens: again, Cost: f.extra(again), Says: says})
	}
	return list
}

// window says in how many calls the window of the model is full, if that is soon.
func (f *finder) window(result *Result) []Finding {
	calls, window := result.Outcomes[0].ByCall, f.prices.Window(f.model)
	if window == 0 || len(calls) < 2 {
		return nil
	}
	last := calls[len(calls)-1].Sent
	grows := (last - calls[0].Sent) / int64(len(calls)-1)
	if grows <= 0 || last+grows*20 < window {
		return nil
	}
	left := max(window-last, 0)
	return []Finding{{What: WindowFilled, Tokens: left, Says: fmt.Sprintf(
		"the last call filled %d %% of the window; it is full in about %d calls", 100*last/window, left/grows)}}
}
