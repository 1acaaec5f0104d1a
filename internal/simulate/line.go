package simulate

import (
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// line is the run under one policy: its tree, and the cache of the provider.
type line struct {
	*run
	Outcome
	policy  lifecycle.Policy
	rules   []commit.CompiledRule
	cache   *provider.Cache
	before  *provider.Prompt // of the call before, nil for the first
	head    *tree.Tree       // the last snapshot
	stamps  tree.Stamps
	env     tree.Env
	turns   map[string]string // the turns of the run, by id, as they are called here
	idle    []string
	removed map[string]bool // the blocks that the policy took
	shaped  map[string]string
	said    map[[2]string]bool                                          // regrets that were noted
	each    func(before, now, working *tree.Tree, fresh []string) error // nil but for the first policy, and there too without a visitor
}

// line begins the run anew under a policy.
func (r *run) line(p Named) (*line, error) {
	l := &line{run: r, Outcome: Outcome{Policy: p.Name}, policy: p.Policy, cache: r.rules.NewCache(),
		turns:   map[string]string{},
		removed: map[string]bool{}, shaped: map[string]string{}, said: map[[2]string]bool{}}
	l.policy.WholePairs = true // as a managing recorder: a provider refuses halves
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

// spent returns the cost of the calls so far, 0 without a price.
func (l *line) spent() float64 {
	if l.Cost == nil {
		return 0
	}
	return *l.Cost
}

// send counts a call that sends a tree.
func (l *line) send(t *tree.Tree, sent *request, c Call) {
	counted := l.price(sent, l.cache.Call(sent.prompt, l.at).Blocks)
	c.Sent, c.Read, c.Written, c.Cost = counted.Sent, counted.Read, counted.Written, counted.Money
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

// step replays a call under the policy. spent is the cost of the run as it was, up to this call.
func (l *line) step(before, now *tree.Tree, spent float64) error {
	working, stamps, err := l.replay(before, now)
	if err == nil && l.each != nil {
		var fresh []string
		s, err := between(before, now)
		if err != nil {
			return err
		}
		for _, e := range s.added {
			id := e.Node().ID
			if e, err := working.Entry(id); err != nil {
				return err
			} else if e != nil && !e.Class().Region() {
				fresh = append(fresh, id)
			}
		}
		if err := l.each(before, now, working, fresh); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	whole := false
	attempt := func(hold bool) (*committed, error) {
		t, after, report, err := commit.Run(l.ctx, commit.Input{Before: l.head, Working: working, Stamps: stamps,
			Env: l.env, Policy: l.policy, Rules: l.rules, Counter: l.o.Counter, Idle: l.idle, Hold: hold, Whole: whole})
		if err != nil {
			return nil, err
		}
		sent, err := l.request(t)
		return &committed{t, after, report, sent}, err
	}
	waits := l.policy.When == lifecycle.WhenPays || l.policy.When == lifecycle.WhenCold
	made, err := attempt(waits)
	if err != nil {
		return err
	}
	shaped, err := made.shaped(working)
	if err != nil {
		return err
	}
	if l.policy.When == lifecycle.WhenPays && len(shaped) > 0 && !l.tariff.Caches(l.forecast(made)) {
		whole = true // shorter, nothing would be cached, and later calls would read nothing
		if made, err = attempt(waits); err != nil {
			return err
		}
	}
	may := false
	if waits {
		if may, err = l.mayBeWorth(made, spent); err != nil {
			return err
		}
	}
	if may {
		acts, err := attempt(false)
		if err != nil {
			return err
		}
		if l.worth(made, acts, spent) {
			made = acts
		}
	}
	c := Call{Cycle: now.Cycle(), Waiting: made.waiting()}
	for _, gone := range made.report.Removed {
		e, err := working.Entry(gone.ID)
		if err != nil {
			return err
		}
		if e.Class() == tree.Block && !l.removed[gone.ID] {
			l.removed[gone.ID] = true
			c.Removed++
		}
	}
	if shaped, err = made.shaped(working); err != nil {
		return err
	}
	for _, n := range shaped {
		text, err := n.Content.Value(l.ctx)
		if err != nil {
			return err
		}
		l.shaped[n.ID] = string(text)
		l.Shaped++
	}
	l.stamps, l.idle = made.stamps, commit.Idle(&made.report)
	turn, err := lastTurn(now)
	if err != nil {
		return err
	}
	if l.turns[turn], err = lastTurn(made.tree); err != nil {
		return err
	}
	l.send(made.tree, made.sent, c)
	return nil
}

// committed is the outcome of the commit of a call.
type committed struct {
	tree   *tree.Tree
	stamps tree.Stamps
	report lifecycle.Report
	sent   *request
}

// shaped returns the nodes that rules shortened in a working state.
func (c *committed) shaped(working *tree.Tree) (list []*tree.Node, err error) {
	for _, found := range c.report.Ruled {
		now, err := c.tree.Node(found.ID)
		if err != nil {
			return nil, err
		}
		was, err := working.Node(found.ID)
		if err != nil {
			return nil, err
		}
		if now != nil && !now.SameContent(was) {
			list = append(list, now)
		}
	}
	return list, nil
}

// waiting counts the nodes that were due and stayed.
func (c *committed) waiting() (n int) {
	for _, k := range c.report.Kept {
		if k.Why == lifecycle.PruningWaits {
			n++
		}
	}
	return n
}

// worth reports whether due nodes go now.
func (l *line) worth(stays, goes *committed, without float64) bool {
	cut := l.forecast(goes)
	return l.tariff.Caches(cut) && l.pays(l.forecast(stays), cut, without)
}

// pays asks the tariff. without is the cost of the run as it was, this call included.
func (l *line) pays(keep, cut worth.Call, without float64) bool {
	return l.tariff.Pays(l.policy.When, keep, cut, worth.Spent{Calls: l.stamps.Cycle, Managed: l.spent(), Without: without})
}

// forecast returns the cost of a call.
func (l *line) forecast(c *committed) worth.Call {
	return l.price(c.sent, l.cache.Forecast(c.sent.prompt, l.at).Blocks)
}

// mayBeWorth reports whether worth may say yes. It assumes that all due nodes can go, so that nodes that are due
// for long need not be removed on trial at every call.
func (l *line) mayBeWorth(stays *committed, without float64) (bool, error) {
	first, due := -1, int64(0)
	for _, k := range stays.report.Kept {
		if k.Why != lifecycle.PruningWaits {
			continue
		}
		n, err := stays.tree.Node(k.ID)
		if err != nil {
			return false, err
		}
		unit, err := toolcall.Partners(stays.tree, n)
		if err != nil {
			return false, err
		}
		for _, n := range append(unit, n) {
			at, size, _, err := stays.tree.ThreadPlace(n.ID)
			if err != nil {
				return false, err
			}
			if size > 0 {
				due += stays.sent.first[at+size] - stays.sent.first[at]
				if first < 0 || at < first {
					first = at
				}
			}
		}
	}
	if first < 0 {
		return false, nil
	}
	sent := max(stays.sent.counted-due, 0)
	return l.pays(l.forecast(stays), l.priceOf(sent, min(sent, stays.sent.first[first])), without), nil
}
