package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
)

// The subjects of a Finding.
const (
	PrefixBroke  = "prefix"     // a call repeats not all of the one before
	CalledAgain  = "repeated"   // a tool was called twice with the same arguments, and said the same
	CarriedLong  = "carried"    // a result stood in many calls, and no answer has a line of it
	ToolUnused   = "unused"     // tools were defined and never called, or instructions sent that no answer followed
	CompactLost  = "compaction" // the run dropped most of its content
	WindowFilled = "window"     // the window of the model is full soon
	PolicyCost   = "policy"     // what a policy had shortened was asked for again, or managing by it ended
	NoCaching    = "uncached"   // the recorded requests ask for no caching
)

// Finding is a cost of a run that it may not have needed.
type Finding struct {
	What string `json:"what" enum:"prefix,repeated,carried,unused,compaction,window,policy,uncached"`
	// Evidence is counted if the provider counted the tokens, else computed.
	Evidence inspect.Evidence `json:"evidence" enum:"counted,seen,computed" doc:"Counted if the provider counted the tokens; seen of what the record says; else computed by a tokenizer and the provider's rules"`
	Cycle    int64            `json:"cycle,omitempty"`
	Node     string           `json:"node,omitempty"`
	Says     string           `json:"says" doc:"In a sentence"`
	Tokens   *int64           `json:"tokens,omitempty" doc:"That were sent again, or for nothing; of a compaction, that were lost; of a window, that are left; absent if nobody counted them"`
	Cost     *float64         `json:"cost,omitempty" doc:"Of these; absent if the model has no price; of a compaction, of what was asked for again"`
	// Helps is a rule with which the run would have cost less, by simulation, and which takes nothing that is
	// quoted later. Only the first finding of a kind has it, because it saves the amount in the whole run.
	Helps *lifecycle.Rule `json:"helps,omitempty" doc:"A rule with which the whole run would have cost less, by simulation, and which takes nothing that is quoted later; of a kind the first finding alone has it"`
	Saves *float64        `json:"saves,omitempty" doc:"What the rule would have saved the whole run"`

	of []string // the blocks of which a rule must find one to help
}

// Report has the costs of a run that it may not have needed.
type Report struct {
	Basis
	Spent    Spent     `json:"spent" doc:"What the run itself sent and cost"`
	Findings []Finding `json:"findings" nullable:"false"`
	Untried  string    `json:"untried,omitempty" doc:"Why no rule was tried that may have helped; absent if the rules were tried or there was none"`
}

// Spent is what a run sent and cost: the provider's counts at dated prices, and only where it counted nothing what its
// rules let expect.
type Spent struct {
	Evidence  inspect.Evidence `json:"evidence" enum:"counted,computed"`
	Counted   int              `json:"counted" doc:"Calls whose tokens the provider counted"`
	Told      int              `json:"told" doc:"Of these, calls of which it also said how many tokens came from its cache"`
	Sent      int64            `json:"sent"`
	Read      int64            `json:"read" doc:"Of these, from the cache"`
	Written   int64            `json:"written" doc:"Of these, to the cache"`
	Out       int64            `json:"out" doc:"Tokens of the answers; 0 unless counted"`
	Breaks    int              `json:"breaks,omitempty" doc:"Calls at which the cache broke"`
	BreakCost float64          `json:"lost,omitempty" doc:"Of the cost, what breaks of the cache cost"`
	Cost      *float64         `json:"cost,omitempty" doc:"Of the calls with a price; absent if none has one; of computed ones without answers"`
	Priced    int              `json:"priced" doc:"Calls with a price"`
}

// spentOf returns what a run spent, of which broken are the findings about breaks.
func spentOf(all *view.Totals, raw *Outcome, broken []Finding) Spent {
	if all.Counted > 0 {
		return Spent{inspect.Counted, all.Counted, all.Told, all.In, all.Read, all.Written, all.Out, len(broken), all.BreakCost, all.Paid,
			all.Priced}
	}
	made := Spent{Evidence: inspect.Computed, Sent: raw.Sent, Read: raw.Read, Written: raw.Written, Cost: raw.Cost, Breaks: len(broken)}
	for i := range broken {
		made.BreakCost += valueOf(broken[i].Cost)
	}
	if raw.Cost != nil {
		made.Priced = len(raw.ByCall)
	}
	return made
}

// mostCured is how many calls a run may have for findings to look for rules that help: each is a replay of all
// requests. [Run] replays longer runs under a given rule.
const mostCured = 200

// most is how many findings of a kind are returned, the dearest ones.
const most = 5

// Findings returns the findings about a run: the dearest first, at most five of a kind. It leaves the policies of
// the options aside. Its errors are those of [Run]. Cost: where the provider counted tokens that of [view.Walk], else
// that of Run; for runs of at most 200 calls once more that of Run with the rules that may have helped.
func Findings(ctx context.Context, c *pact.Context, o Options) (*Report, error) {
	o.Calls, o.Policies = true, nil
	f := &finder{carried: map[string]*carried{}, calls: map[string]string{}, used: map[string]bool{},
		said: map[string]bool{}, started: map[string]bool{}, blocks: map[string]int64{}, lost: map[string]int{}}
	var err error
	if f.run, err = begin(ctx, c, o); err != nil {
		return nil, err
	}
	raw := f.run.asItWas()
	var list, breaks []Finding
	err = f.run.walk(func(p *passedCall) error {
		f.uncached.add(p.Step)
		if f.run.counted {
			f.told = p.providerCounts()
		} else if _, err := raw.replay(p); err != nil {
			return err
		}
		if err := f.call(p); err != nil {
			return err
		}
		if f.run.counted {
			raw.ByCall = append(raw.ByCall, Call{Cycle: p.Cycle, Sent: or(f.told.In, f.scaled(f.sent))})
		}
		if p.Call != nil && p.Call.ManagingEnded != "" {
			list = append(list, Finding{What: PolicyCost, Cycle: p.Cycle, Evidence: inspect.SeenInBytes,
				Says: fmt.Sprintf("managing ended at call %d: %s", p.Cycle, view.Visible(p.Call.ManagingEnded))})
		}
		if broken := f.broken(p, &raw.ByCall[len(raw.ByCall)-1]); broken != nil {
			list, breaks = append(list, *broken), append(breaks, *broken)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := f.answer(tree.Of(c.Working())); err != nil {
		return nil, err
	}
	if f.run.counted {
		raw.Cost, f.run.meter.told = f.run.totals.Paid, true
	}
	result := f.run.result([]*policyRun{raw})
	list = append(list, f.uncached.found(result, f.run.prices)...)
	list = append(list, f.found()...)
	list = append(list, f.window(result)...)
	for i := range list {
		list[i].Evidence = cmp.Or(list[i].Evidence, inspect.Computed)
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(valueOf(b.Cost), valueOf(a.Cost)), cmp.Compare(or(b.Tokens, 0), or(a.Tokens, 0)))
	})
	count := map[string]int{}
	list = slices.DeleteFunc(list, func(f Finding) bool { count[f.What]++; return count[f.What] > most })
	made := &Report{Basis: result.Basis, Spent: spentOf(&f.run.totals, &result.Outcomes[0], breaks), Findings: append([]Finding{}, list...)}
	if result.Outcomes[0].Cost != nil {
		made.Untried, err = cured(ctx, c, o, made)
	}
	return made, err
}

// or returns a count, or else another number.
func or(n *int64, other int64) int64 {
	if n == nil {
		return other
	}
	return *n
}

func valueOf(cost *float64) float64 {
	if cost == nil {
		return 0
	}
	return *cost
}

// cures returns the rules that may help with a finding, the gentlest first.
func (f *Finding) cures() []lifecycle.Rule {
	switch f.What {
	case CarriedLong:
		return []lifecycle.Rule{{Select: ".cb[kind='result'][bytes>8000]", Head: 4000, Tail: 2000},
			{Select: ".cb[kind='result'][bytes>4000]", Head: 2000, Tail: 1000}, {Select: ".cb[kind='result'][bytes>2000]", Head: 1000, Tail: 500}}
	case CalledAgain:
		return []lifecycle.Rule{{Select: ".cb[kind='result']", Once: true}}
	}
	return nil
}

// cured adds to the first finding of each kind the rule that helps most, if the run costs less with it, it changes
// a block of the finding, and the run quotes no text that it takes. A repeated call is no reason against a rule:
// the run repeated that call although the whole result stood there. It returns why it tried none.
func cured(ctx context.Context, c *pact.Context, o Options, r *Report) (untried string, err error) {
	type trial struct {
		of   *Finding
		rule lifecycle.Rule
	}
	var trials []trial
	tried := map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if tried[f.What] {
			continue
		}
		tried[f.What] = true
		for _, rule := range f.cures() {
			trials = append(trials, trial{f, rule})
			o.Policies = append(o.Policies, Named{f.What, lifecycle.Policy{Rules: []lifecycle.Rule{rule}}})
		}
	}
	if len(trials) == 0 {
		return "", nil
	}
	if r.Calls > mostCured {
		return fmt.Sprintf("No rule was tried: a trial replays the run, which has %d calls, more than %d.", r.Calls, mostCured), nil
	}
	o.Calls = false
	result, err := Run(ctx, c, o)
	switch {
	case err != nil:
		return "", err
	case len(result.lines) == 1:
		return result.Sentences[0], nil
	}
	raw := *result.Outcomes[0].Cost
	for i := range trials {
		t, l := &trials[i], result.lines[i+1]
		changes := slices.ContainsFunc(t.of.of, func(id string) bool { return l.removed[id] || l.shaped[id] != "" })
		saves := raw - *l.Cost
		quoted := slices.ContainsFunc(l.Regrets, func(r Regret) bool { return r.Text != "" })
		if !changes || quoted || l.unsure() > mostOff || saves <= raw*1e-6 || saves <= valueOf(t.of.Saves) {
			continue
		}
		t.of.Helps, t.of.Saves = &t.rule, &saves
	}
	return "", nil
}

// broken returns the finding about a break at a call, as [view.Walk] says it, nil without one. If the provider counted
// nothing, its tokens are those that it would not have read by its rules: a block that the call before had not sent,
// such as the summary of a compaction, is not sent again. Without such tokens the break is what the requests show.
func (f *finder) broken(p *passedCall, call *Call) *Finding {
	b := p.Broke
	if b == nil {
		return nil
	}
	found := &Finding{What: PrefixBroke, Cycle: p.Cycle, Node: b.Node, Evidence: b.Evidence, Tokens: b.Again, Cost: b.Cost,
		Says: b.InWords(&p.Prefix, "")}
	again := call.Sent - int64(f.fresh*float64(call.Sent)+0.5) - call.Read
	if f.run.counted || !call.Broke || again <= 0 {
		return found
	}
	found.Tokens, found.Cost, found.Evidence = &again, f.extra(call.Sent, again), inspect.Computed
	found.Says = fmt.Sprintf("call %d sent %s again (computed), because %s (%s)", p.Cycle, tokens(again), b.Why, b.Known)
	return found
}

// window says in how many calls the window of the model is full, if that is soon.
func (f *finder) window(result *Result) []Finding {
	calls, window := result.Outcomes[0].ByCall, result.Window
	begin := 0 // of the calls since the run last became shorter
	for i := 1; i < len(calls); i++ {
		if calls[i].Sent < calls[i-1].Sent {
			begin = i
		}
	}
	if calls = calls[begin:]; window == 0 || len(calls) < 2 {
		return nil
	}
	last := calls[len(calls)-1]
	grows := (last.Sent - calls[0].Sent) / int64(len(calls)-1)
	if grows <= 0 || last.Sent+grows*20 < window {
		return nil
	}
	left := max(window-last.Sent, 0)
	return []Finding{{What: WindowFilled, Cycle: last.Cycle, Tokens: &left, Says: fmt.Sprintf(
		"the last call filled %d %% of the window, which leaves %s, for about %s", 100*last.Sent/window, tokens(left),
		view.Plural(int(left/grows), "call"))}}
}

// tokens writes a number of tokens.
func tokens(n int64) string {
	if n == 1 {
		return "1 token"
	}
	return strconv.FormatInt(n, 10) + " tokens"
}
