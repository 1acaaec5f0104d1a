package manage

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// ErrNotInTime says that there was no time for a decision.
var ErrNotInTime = errors.New("what is new in the request was not decided in time")

// Rules are the rules and limits of a policy, ready to be asked. They are safe for concurrent use.
type Rules struct {
	policy  lifecycle.Policy
	commits lifecycle.Policy // the same for commits, without references: whether one leads to something, the request says
	when    lifecycle.When
	rules   []commit.CompiledRule
	counter tree.Counter
	shapes  bool        // a rule shapes results
	takes   bool        // something is ever due
	unnamed bool        // results can go without a stub
	steady  bool        // what is due once is due from then on
	Refused atomic.Bool // the provider refused a request that asked it to clear results

	mu     sync.Mutex
	trees  map[hash]*simulatedTree // the states that were used last
	before map[hash]*simulatedTree // those of the time before
	ticks  atomic.Int64
}

// Compile compiles the rules of a policy; When is pays if it does not say. E_SELECTOR_INVALID for a rule whose selector
// cannot be used.
func Compile(p *lifecycle.Policy) (*Rules, error) {
	c := &Rules{policy: *p, when: p.When, counter: quarters(p.Tokenizer), trees: map[hash]*simulatedTree{}}
	if c.when == "" {
		c.when = lifecycle.WhenPays
	}
	goes := func(r lifecycle.Rule) bool { return r.TTL != nil }
	limited := max(p.MaxTokens, p.MaxBytes, p.MaxNodes, p.MaxTurns, len(p.Parts)) > 0
	c.takes = limited || slices.ContainsFunc(p.Rules, goes)
	c.shapes = slices.ContainsFunc(p.Rules, func(r lifecycle.Rule) bool { return r.Head+r.Tail > 0 || r.Once })
	c.unnamed = limited && p.Stub == "" ||
		slices.ContainsFunc(p.Rules, func(r lifecycle.Rule) bool { return goes(r) && !r.Stub })
	c.commits = *p
	c.commits.When, c.commits.Orphans = lifecycle.WhenPays, lifecycle.Keep // due nodes wait until it pays
	c.commits.WholePairs = true                                            // a provider refuses halves
	c.commits.Rules = slices.Clone(p.Rules)
	for i := range c.commits.Rules {
		r := &c.commits.Rules[i]
		if r.Once && r.TTL == nil && r.Priority == nil && !r.Pinned && !r.Keep && r.Head+r.Tail == 0 {
			r.Priority = new(int64)
		}
		r.Once = false
	}
	var err error
	c.rules, err = rules.Compile(p.Rules, selector.Canonical, c.counter)
	c.steady = !limited && !slices.ContainsFunc(c.rules, func(r commit.CompiledRule) bool { return !r.Steady })
	return c, err
}

// Change reports whether the rules ever change a request.
func (c *Rules) Change() bool { return c.shapes || c.takes }

// quarters counts a token for each four bytes, under the name that the policy asks for. That is good enough for
// the limits of a policy; the ledger corrects it by the counts of the provider.
type quarters string

func (q quarters) Name() string { return string(q) }

func (quarters) Count(text string) int { return (len(text) + 3) / 4 }

// Decide returns what a request adds to a list that it follows, nil if that is nothing: what is new in it and a rule
// shortens, what it repeats, and what leaves it because that is due and pays. late reports whether there is no time
// left; then ErrNotInTime. The ledger must have begun the request.
func (c *Rules) Decide(ctx context.Context, l *List, q *Request, b *Ledger, late func() bool) ([]Decision, error) {
	switch {
	case q.Fixed || q.ended:
		return nil, nil
	case !q.stopped && (q.isEnding() || c.when == lifecycle.WhenPays && q.again > 0 && q.asksNow() && !b.affords(q)):
		return q.endDecisions(l, b), nil
	}
	if q.stopped {
		return c.decideResults(nil, l, q)
	}
	g, err := c.treeOf(ctx, q, late)
	if err != nil {
		return nil, err
	}
	list, err := c.decideResults(g, l, q)
	if err != nil {
		return nil, err
	}
	isShaped := func(d Decision) bool { return d.Action == Shaped }
	if c.when == lifecycle.WhenPays && slices.ContainsFunc(list, isShaped) && !b.affords(q) {
		list = slices.DeleteFunc(list, isShaped)
	}
	if late() {
		return nil, ErrNotInTime
	}
	now := q
	if len(list) > 0 {
		now = q.withDecisions(list)
	}
	c.remember(g, now, q.derived)
	if !c.takes || q.since == "" || q.loosened() || q.Of.ClearsItself() {
		return list, nil
	}
	more, err := c.removeParts(ctx, g, l, now, b)
	if err == nil && late() {
		err = ErrNotInTime
	}
	return append(list, more...), err
}

// Prepare makes ready what Decide needs of the next request of a conversation, if that takes some time: the request had
// parts leave, or there was no time to decide. The decisions about q are in it.
func (c *Rules) Prepare(ctx context.Context, q *Request) error {
	seen := *q
	seen.Parts, seen.derived, seen.fresh = slices.Clone(q.Parts), &derivedState{}, nil
	for i := range seen.Parts {
		seen.Parts[i].fresh = false
	}
	_, err := c.treeOf(ctx, &seen, func() bool { return false })
	return err
}

// newestKey returns the key of the newest result.
func (q *Request) newestKey() string {
	for i := len(q.Parts) - 1; i >= 0; i-- {
		if p := &q.Parts[i]; p.result() {
			return p.Key
		}
	}
	return ""
}

// decideResults decides about the results that no model saw. g is nil if managing stopped.
func (c *Rules) decideResults(g *simulatedTree, l *List, q *Request) (list []Decision, err error) {
	stays := sync.OnceValue(func() bool { return c.staysUncached(q) })
	for _, i := range q.fresh {
		p := &q.Parts[i]
		if !p.result() || !p.fresh || p.doubt || p.form != nil || l.Entered(p.Key) {
			continue
		}
		if p.again { // it is not shaped again
			if d := q.restoring(l, i); d != nil {
				list = append(list, *d)
			}
			continue
		}
		if q.stopped || q.loosened() {
			continue
		}
		n, ruled := g.ruled.of(i)
		if !ruled {
			continue
		}
		r := &c.policy.Rules[n]
		if r.Head+r.Tail == 0 && !r.Once || stays() || q.hides(p.Part.Content) {
			continue
		}
		content, err := p.Said()
		if err != nil || content.Kind == canon.KindObject { // no rule shapes an object
			continue
		}
		if d := q.referenceToEqual(l, i, r, content); d != nil {
			list = append(list, *d)
			continue
		}
		id := q.id(l, p)
		if short, cut := commit.Shaped(content, r, id); cut && r.Head+r.Tail > 0 {
			list = append(list, Decision{Action: Shaped, Key: p.Key, ID: id, Text: short.Value()})
		}
	}
	return list, nil
}

// referenceToEqual returns the decision that has a result refer to an equal one which the request has whole before it,
// nil if there is none.
func (q *Request) referenceToEqual(l *List, i int, r *lifecycle.Rule, content canon.Any) *Decision {
	if !r.Once {
		return nil
	}
	for ; q.sized < len(q.Parts); q.sized++ {
		if p := &q.Parts[q.sized]; p.result() {
			q.bySize[p.Bytes] = append(q.bySize[p.Bytes], q.sized)
		}
	}
	p := &q.Parts[i]
	for _, k := range q.bySize[p.Bytes] {
		of := &q.Parts[k]
		if k >= i {
			break
		}
		if of.Key == p.Key || !q.isUnchangedResult(k) {
			continue
		}
		if was, err := of.Said(); err != nil || !equal(was, content) || q.hides(was) {
			continue
		}
		id := q.id(l, of)
		text := canon.String(commit.Same(id))
		if len(text) >= p.Bytes {
			return nil
		}
		return &Decision{Action: Same, Key: p.Key, ID: id, Of: of.Key, Text: text}
	}
	return nil
}

func equal(a, b canon.Any) bool {
	if a.Kind == canon.KindString || b.Kind == canon.KindString {
		return a.Kind == b.Kind && a.Text == b.Text
	}
	return a.Value() == b.Value()
}

// staysUncached reports whether a request may become too short for the provider to cache it if its new results are
// sent shorter: then later requests would cost more than as they come. It counts six bytes a token, because names
// and brackets in the body are hardly any.
func (c *Rules) staysUncached(q *Request) bool {
	if c.when != lifecycle.WhenPays {
		return false
	}
	rest := q.Bytes
	for _, i := range q.fresh {
		rest -= q.Parts[i].Bytes
	}
	for _, i := range q.formed {
		if p := &q.Parts[i]; !p.fresh && p.result() {
			rest -= p.Bytes - len(p.form.Text)
		}
	}
	return int64(rest) < 6*provider.CacheRulesOf(q.API).LeastTokens(q.Of.Model)
}
