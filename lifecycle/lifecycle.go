// Package lifecycle is the commit of a cycle as a pure function of a working
// state and a policy: expire, prune, seal (03 §7). It reads no clock of its
// own, and does no I/O but reading the contents whose tokens a policy limits.
package lifecycle

import (
	"context"
	"slices"

	"github.com/contexttree/pact/tree"
)

// Input is what a commit depends on, and all of it.
type Input struct {
	Before  *tree.Tree // the last snapshot, to which orphans are no news; nil to look for none
	Working *tree.Tree
	Stamps  tree.Stamps
	Env     tree.Env
	Policy  Policy
	Counter tree.Counter // of tokens, where the policy needs one
	Prune   []string     // nodes to prune on explicit request
	Chosen  []string     // the same, of which those that cannot be pruned are held back instead of refused
	// turns that the conversation does not go on from: they go first, whatever their age, and leave no
	// stub
	Rewrite  []string
	Idle     []string             // the removable groups that earlier commits left empty and something kept
	Retained func(id string) bool // whether a holder keeps the node; nil for none
}

// Commit returns the snapshot of the input's cycle, the stamps for the cycle
// after it and what was done. It changes nothing. It fails where the policy
// cannot be followed, where a call would stand without its result or the reverse
// (E_PLACEMENT_INVALID; not because time passed), and where content that has to be counted cannot be read.
//
// Cost: the nodes that expire or are pruned, the children of ^ah, what changed
// since the last snapshot, and one path for each. A limit that is exceeded costs
// what goes for it and the candidates before that in their order which the report
// names; the first time on a tree it costs a look at every candidate.
//
// Specification: 01 §7, 03 §2.3, 03 §5.4, 03 §7.
func Commit(ctx context.Context, in Input) (*tree.Tree, tree.Stamps, Report, error) {
	var report Report
	if in.Retained == nil {
		in.Retained = func(string) bool { return false }
	}
	s, err := in.scale(ctx)
	if err != nil {
		return nil, in.Stamps, Report{}, err
	}
	if !in.Policy.Empty() {
		report.Policy = &in.Policy
	}
	clock := &clock{read: in.Env.Clock}
	in.Env.Clock = clock.now
	p := &pruner{scale: s, in: in, stamps: in.Stamps, clock: clock, limits: in.Policy.limits(), own: map[string]bool{},
		lapsed: map[string]bool{}}
	p.tree, p.idle = expire(in.Working, in, &report)
	p.lapse(&report)
	if err := p.prune(&report); err != nil {
		return nil, in.Stamps, Report{}, err
	}
	if err := p.mend(&report); err != nil {
		return nil, in.Stamps, Report{}, err
	}
	report.Held = slices.Concat(report.Held, p.stays(), p.idle)
	report.Budget = p.missed(report.Waiting != nil)
	t, stamps, err := tree.Seal(p.tree, p.stamps, in.Env)
	if err != nil {
		return nil, in.Stamps, Report{}, err
	}
	return t, stamps, report, nil
}

// scale checks the policy and completes it with the name of the counter.
func (in *Input) scale(ctx context.Context) (scale, error) {
	p := &in.Policy
	if err := p.Check(); err != nil {
		return scale{}, err
	}
	switch {
	case in.Counter == nil && p.Counts():
		return scale{}, unusable("max_tokens, min_tokens", "tokens are limited and nobody counts them",
			"give the context a counter")
	case in.Counter != nil && p.Tokenizer != "" && p.Tokenizer != in.Counter.Name():
		return scale{}, unusable(p.Tokenizer, "it counts by another tokenizer than the context, which has "+in.Counter.Name(),
			"give the context that counter")
	case !p.Counts():
		return scale{ctx: ctx}, nil
	}
	p.Tokenizer = in.Counter.Name()
	return scale{ctx, tree.Tokens(in.Counter)}, nil
}
