package simulate

import (
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// line is the run under one policy: its tree, and what the provider has of it in its cache.
type line struct {
	*run
	Outcome
	policy  lifecycle.Policy
	rules   []lifecycle.CompiledRule
	cache   *provider.Cache
	before  *provider.Prompt // of the call before, nil for the first
	head    *tree.Tree       // the last snapshot
	stamps  tree.Stamps
	env     tree.Env
	turns   map[string]string // the turns of the run, by id, as they are called here
	idle    []string
	removed map[string]bool // what the policy took
	shaped  map[string]string
	said    map[[2]string]bool // regrets that were noted
	each    visitor            // nil but for the first policy, and there too if nobody looks
}

// line begins the run anew under a policy.
func (r *run) line(p Named) (*line, error) {
	l := &line{run: r, Outcome: Outcome{Policy: p.Name}, policy: p.Policy, cache: r.rules.NewCache(),
		turns:   map[string]string{},
		removed: map[string]bool{}, shaped: map[string]string{}, said: map[[2]string]bool{}}
	if l.policy.Orphans == "" {
		l.policy.Orphans = lifecycle.Drop
	}
	if err := l.policy.Check(); err != nil {
		return nil, err
	}
	var err error
	if l.rules, err = rules.Compile(p.Policy.Rules, r.edition, r.o.Counter); err != nil {
		return nil, err
	}
	now := int64(0)
	t := r.edition.Traits()
	l.env = tree.Env{Vocabulary: tree.Vocabulary{Turn: t.TurnType, Container: t.ContainerType, Block: t.BlockType},
		Clock: func() int64 { now++; return now }, Taken: func(string) (bool, error) { return false, nil }, Suffix: "~"}
	l.head, l.stamps, err = tree.New(l.env, nil)
	return l, err
}

// spent returns what the calls so far cost, 0 without a price.
func (l *line) spent() float64 {
	if l.Cost == nil {
		return 0
	}
	return *l.Cost
}

// send counts a call that sends a tree.
func (l *line) send(t *tree.Tree, sent *request, c Call) {
	counted := l.price(sent, l.cache.Call(sent.prompt, l.at).Blocks)
	c.Sent, c.Read, c.Written, c.Cost = counted.Sent, counted.Read, counted.Written, counted.Cost
	if l.before != nil {
		shared := l.run.rules.Compare(l.before, sent.prompt)
		c.Broke = !shared.Complete
		if c.Broke {
			c.Reasoning = shared.Reasoning
		}
	}
	l.before, l.head = sent.prompt, t
	l.Sent, l.Read, l.Written = l.Sent+c.Sent, l.Read+c.Read, l.Written+c.Written
	l.last.sent, l.last.read = c.Sent, c.Read
	if c.Cost != nil {
		sum := l.spent() + *c.Cost
		l.Cost = &sum
	}
	if c.Broke {
		l.Breaks++
	}
	l.Reasoning += c.Reasoning
	l.Removed += c.Removed
	if l.o.Calls {
		l.ByCall = append(l.ByCall, c)
	}
}

// step replays a call under the policy. spent is what the run as it was has cost up to this call.
func (l *line) step(before, now *tree.Tree, spent float64) error {
	working, stamps, err := l.replay(before, now)
	if err == nil && l.each != nil {
		var fresh []string
		added(before, now, func(n *tree.Node, _ string) {
			if working.Has(n.ID) && !working.Entry(n.ID).Class().Region() {
				fresh = append(fresh, n.ID)
			}
		})
		err = l.each(before, now, working, fresh)
	}
	if err != nil {
		return err
	}
	commit := func(hold bool) (*committed, error) {
		t, after, report, err := lifecycle.Commit(l.ctx, lifecycle.Input{Before: l.head, Working: working, Stamps: stamps,
			Env: l.env, Policy: l.policy, Rules: l.rules, Counter: l.o.Counter, Idle: l.idle, Hold: hold})
		if err != nil {
			return nil, err
		}
		sent, err := l.request(t)
		return &committed{t, after, report, sent}, err
	}
	waits := l.policy.When == lifecycle.WhenPays || l.policy.When == lifecycle.WhenCold
	made, err := commit(waits)
	if err != nil {
		return err
	}
	if waits && l.mayBeWorth(made, spent) {
		acts, err := commit(false)
		if err != nil {
			return err
		}
		if l.worth(made, acts, spent) {
			made = acts
		}
	}
	c := Call{Cycle: now.Cycle(), Waiting: made.waiting()}
	for _, gone := range made.report.Removed {
		if working.Entry(gone.ID).Class() == tree.Block && !l.removed[gone.ID] {
			l.removed[gone.ID] = true
			c.Removed++
		}
	}
	for _, found := range made.report.Ruled {
		if n := made.tree.Node(found.ID); n != nil && !n.SameContent(working.Node(found.ID)) {
			text, _ := n.Content.Value(l.ctx)
			l.shaped[found.ID] = string(text)
			l.Shaped++
		}
	}
	l.stamps, l.idle = made.stamps, made.report.Idle()
	l.turns[lastTurn(now)] = lastTurn(made.tree)
	l.send(made.tree, made.sent, c)
	return nil
}

// committed is what a commit makes of a call.
type committed struct {
	tree   *tree.Tree
	stamps tree.Stamps
	report lifecycle.Report
	sent   *request
}

// waiting counts what was due and stayed.
func (c *committed) waiting() (n int) {
	for _, k := range c.report.Kept {
		if k.Why == lifecycle.PruningWaits {
			n++
		}
	}
	return n
}

// patience is the part of the calls so far, a sixth, that has to earn a cut back. Of 1, 3, 6 and 12 it
// cost least on made runs of 40 to 200 calls: a cut that waits for more to be due breaks the prefix less
// often.
const patience = 6

// worth reports whether what is due goes now: when that costs nothing, because nothing behind the
// cut is in the cache; or, with when pays, when the run has saved as much before as the cut costs, so
// that it is never dearer than without the policy, and few further calls earn it back. A cut that leaves
// less than the provider caches is never worth it: later calls would read nothing.
func (l *line) worth(stays, goes *committed, spent float64) bool {
	keep, cut := l.forecast(stays), l.forecast(goes)
	if cut.Sent < l.run.rules.LeastTokens(l.model) {
		return false
	}
	if !l.priced {
		return cut.Sent-cut.Read <= keep.Sent-keep.Read
	}
	extra := *cut.Cost - *keep.Cost
	if extra <= 0 {
		return true
	}
	if l.policy.When == lifecycle.WhenCold || l.spent()+*cut.Cost > spent {
		return false
	}
	return patience*extra <= float64(l.stamps.Cycle)*l.prices.ReadCost(l.model, keep.Sent-cut.Sent)
}

// forecast returns what a call would cost.
func (l *line) forecast(c *committed) Call {
	return l.price(c.sent, l.cache.Clone().Call(c.sent.prompt, l.at).Blocks)
}

// mayBeWorth reports whether worth may say yes: it takes what is due for all that could go, so that
// what is due for long does not have to be removed on trial at every call.
func (l *line) mayBeWorth(stays *committed, spent float64) bool {
	first, due := -1, int64(0)
	for _, k := range stays.report.Kept {
		if k.Why != lifecycle.PruningWaits {
			continue
		}
		for _, n := range append(toolcall.Partners(stays.tree, stays.tree.Node(k.ID)), stays.tree.Node(k.ID)) {
			if at, size, _ := stays.tree.ThreadPlace(n.ID); size > 0 {
				due += stays.sent.first[at+size] - stays.sent.first[at]
				if first < 0 || at < first {
					first = at
				}
			}
		}
	}
	if first < 0 {
		return false
	}
	keep, sent := l.forecast(stays), max(stays.sent.counted-due, 0)
	least := l.priceOf(sent, min(sent, stays.sent.first[first]))
	switch {
	case !l.priced:
		return least.Sent-least.Read <= keep.Sent-keep.Read
	case l.policy.When == lifecycle.WhenCold:
		return *least.Cost <= *keep.Cost
	}
	if *least.Cost <= *keep.Cost {
		return true
	}
	earns := float64(l.stamps.Cycle) * l.prices.ReadCost(l.model, keep.Sent-least.Sent)
	return l.spent()+*least.Cost <= spent && patience*(*least.Cost-*keep.Cost) <= earns
}
