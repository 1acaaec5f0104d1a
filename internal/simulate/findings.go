package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
)

// The subjects of a Finding.
const (
	PrefixBroke  = "prefix"     // a call repeats not all of the one before
	CalledAgain  = "repeated"   // a tool was called twice with the same arguments, and said the same
	CarriedLong  = "carried"    // a result stood in many calls, and no answer has a line of it
	ToolUnused   = "unused"     // tools were defined and never called
	CompactLost  = "compaction" // the run dropped most of its content
	WindowFilled = "window"     // the window of the model is full soon
)

// Finding is a cost of a run that it may not have needed.
type Finding struct {
	What   string   `json:"what" enum:"prefix,repeated,carried,unused,compaction,window"`
	Cycle  int64    `json:"cycle,omitempty"`
	Node   string   `json:"node,omitempty"`
	Says   string   `json:"says" doc:"In a sentence"`
	Tokens int64    `json:"tokens" doc:"That were sent again, or for nothing; of a compaction, that were lost; of a window, that are left"`
	Cost   *float64 `json:"cost,omitempty" doc:"Of these; absent if the model has no price; of a compaction, of what was asked for again"`
	// Helps is a rule with which the run would have cost less, by simulation, and which takes nothing that is
	// quoted later. Only the first finding of a kind has it, because it saves the amount in the whole run.
	Helps *lifecycle.Rule `json:"helps,omitempty" doc:"A rule with which the whole run would have cost less, by simulation, and which takes nothing that is quoted later; of a kind the first finding alone has it"`
	Saves *float64        `json:"saves,omitempty" doc:"What the rule would have saved the whole run"`

	of    []string // the blocks of which a rule must find one to help
	tools []string // that were never called
}

// Report has the costs of a run that it may not have needed.
type Report struct {
	Basis
	Spent    Outcome   `json:"spent" doc:"What the run itself sent and cost"`
	Findings []Finding `json:"findings" nullable:"false"`
}

// most is how many findings of a kind are returned, the dearest ones.
const most = 5

// Findings returns the findings about a run: the dearest first, at most five of a kind. It leaves the policies of
// the options aside. Its errors and its cost are those of [Run], at most twice, the second time with the rules
// that may have helped.
func Findings(ctx context.Context, c *pact.Context, o Options) (_ *Report, err error) {
	o.Calls, o.Policies = true, nil
	f := &finder{carried: map[string]*carried{}, calls: map[string]string{}, used: map[string]bool{},
		blocks: map[string]int64{}, lost: map[string]int{}}
	result, err := replayed(ctx, c, o, visitor{call: f.call})
	if err != nil {
		return nil, err
	}
	list, err := f.broken(ctx, c, result)
	if err != nil {
		return nil, err
	}
	list = append(list, f.found()...)
	list = append(list, f.window(result)...)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(valueOf(b.Cost), valueOf(a.Cost)), cmp.Compare(b.Tokens, a.Tokens))
	})
	count := map[string]int{}
	list = slices.DeleteFunc(list, func(f Finding) bool { count[f.What]++; return count[f.What] > most })
	if result.Outcomes[0].Cost != nil {
		err = cured(ctx, c, o, list)
	}
	spent := result.Outcomes[0]
	spent.ByCall = nil
	return &Report{result.Basis, spent, append([]Finding{}, list...)}, err
}

func valueOf(cost *float64) float64 {
	if cost == nil {
		return 0
	}
	return *cost
}

// mostNamed is how many tools a rule names, so that its selector stays within the limits of a parser.
const mostNamed = 64

// cures returns the rules that may help with a finding, the gentlest first.
func (f *Finding) cures() []lifecycle.Rule {
	now := int64(0)
	switch f.What {
	case CarriedLong:
		return []lifecycle.Rule{{Select: ".cb[kind='result'][bytes>8000]", Head: 4000, Tail: 2000},
			{Select: ".cb[kind='result'][bytes>4000]", Head: 2000, Tail: 1000}, {Select: ".cb[kind='result'][bytes>2000]", Head: 1000, Tail: 500}}
	case CalledAgain:
		return []lifecycle.Rule{{Select: ".cb[kind='result']", Once: true}}
	case ToolUnused:
		each := make([]string, min(len(f.tools), mostNamed))
		for i, name := range f.tools[:len(each)] {
			each[i] = "^sys [tool='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
		}
		return []lifecycle.Rule{{Select: strings.Join(each, ", "), TTL: &now}}
	}
	return nil
}

// cured adds to the first finding of each kind the rule that helps most, if the run costs less with it, it changes
// a block of the finding, and the run quotes no text that it takes. A repeated call is no reason against a rule:
// the run repeated that call although the whole result stood there.
func cured(ctx context.Context, c *pact.Context, o Options, list []Finding) error {
	type trial struct {
		of   *Finding
		rule lifecycle.Rule
	}
	var trials []trial
	tried := map[string]bool{}
	for i := range list {
		f := &list[i]
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
		return nil
	}
	o.Calls = false
	result, err := replayed(ctx, c, o, visitor{})
	if err != nil {
		return err
	}
	raw := *result.Outcomes[0].Cost
	for i := range trials {
		t, l := &trials[i], result.lines[i+1]
		changes := slices.ContainsFunc(t.of.of, func(id string) bool { return l.removed[id] || l.shaped[id] != "" })
		saves := raw - *l.Cost
		quoted := slices.ContainsFunc(l.Regrets, func(r Regret) bool { return r.Text != "" })
		if !changes || quoted || saves <= raw*1e-6 || saves <= valueOf(t.of.Saves) {
			continue
		}
		t.of.Helps, t.of.Saves = &t.rule, &saves
	}
	return nil
}

// broken returns the calls whose request does not repeat the one before, with the cause that [view.Why] gives.
// A block that the call before had not sent, such as the summary of a compaction, is not sent again; a
// block that is sent again would have been read from the cache otherwise.
func (f *finder) broken(ctx context.Context, c *pact.Context, result *Result) (list []Finding, err error) {
	causes, err := causesOf(ctx, c, result.Dialect)
	if err != nil {
		return nil, err
	}
	calls := result.Outcomes[0].ByCall
	for i := 1; i < len(calls); i++ {
		again := calls[i].Sent - int64(f.fresh[i]*float64(calls[i].Sent)+0.5) - calls[i].Read
		if !calls[i].Broke || again <= 0 {
			continue
		}
		why := causes[calls[i].Cycle]
		says := fmt.Sprintf("call %d sent %s again", calls[i].Cycle, tokens(again))
		if why.text != "" {
			says += ", because " + why.text
		}
		list = append(list, Finding{What: PrefixBroke, Cycle: calls[i].Cycle, Node: why.node, Tokens: again, Cost: f.extra(again),
			Says: says})
	}
	return list, nil
}

type cause struct{ text, node string }

// causesOf returns, for each call, the end of the prefix of the one before and its cause, as pact prefix does.
func causesOf(ctx context.Context, c *pact.Context, dialect string) (map[int64]cause, error) {
	causes := map[int64]cause{}
	told, err := view.Recorded(ctx, c, dialect, nil)
	if err != nil {
		return nil, err
	}
	first, _ := c.Cycles()
	for p, err := range c.Prefixes(ctx, pact.Cycle(first), pact.Latest()) {
		if err != nil {
			return nil, err
		}
		if p.Call = told[p.Cycle]; p.Shared == nil {
			continue
		}
		why := cause{text: view.Why(&p)}
		if p.Break != nil {
			why.node = p.Break.Node
		}
		if p.Call != nil && p.Call.Cut != nil {
			why.node = p.Call.Cut.Node
		}
		causes[p.Cycle] = why
	}
	return causes, nil
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
	return []Finding{{What: WindowFilled, Cycle: last.Cycle, Tokens: left, Says: fmt.Sprintf(
		"the last call filled %d %% of the window; %s are left, for about %s", 100*last.Sent/window, tokens(left),
		view.Plural(int(left/grows), "call"))}}
}

// tokens writes a number of tokens.
func tokens(n int64) string {
	if n == 1 {
		return "1 token"
	}
	return strconv.FormatInt(n, 10) + " tokens"
}
