package commit

import (
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// Input is everything that a commit depends on.
type Input struct {
	Before  *tree.Tree       // the last snapshot; nil to look neither for orphans nor for groups that an edit emptied
	Working *tree.Tree       // the working state to commit
	Stamps  tree.Stamps      // the cycle, and the stamps given so far
	Env     tree.Env         // the clock and the ids that are taken
	Policy  lifecycle.Policy // rules and limits; the zero Policy prunes nothing
	// Rules are the selectors of the rules of Policy, one for each.
	Rules    []CompiledRule
	Postpone bool // what Policy has go stays this time; the report says that it waits
	// Born returns the ids of the nodes that came at a cycle, some of which may not be there. With it a commit that holds
	// says only what waits from its cycle on, by rules that are steady: what a commit before held is still there, and waits.
	Born func(cycle int64) []string
	// Whole says of a node that no rule shortens it; nil if rules may shorten all.
	Whole   func(id string) bool
	Counter tree.Counter // counts tokens; needed if the policy limits them
	Prune   []string     // ids of nodes to prune; one that cannot be pruned is an error
	Chosen  []string     // the same, but one that cannot be pruned is held back
	// ids of turns that the conversation replaces: they are pruned first, whatever their age, and leave
	// no stub
	Rewrite  []string
	Idle     []string             // what [Idle] said of the last commit
	Retained func(id string) bool // reports whether a holder keeps a node; nil if no holder keeps any
	// At returns the snapshot of an earlier cycle, for a cadence whose last instance is gone; nil without history.
	At func(cycle int64) (*tree.Tree, error)
}

// Run returns the snapshot of the input's cycle, the stamps for the next cycle and a
// report. It does not change its input. Errors: E_DOCUMENT_INVALID for a policy that
// cannot be followed, E_NODE_NOT_FOUND and E_PLACEMENT_INVALID for ids that cannot be
// pruned, E_PLACEMENT_INVALID if an edit or pruning would leave a call without its result or
// the reverse and the policy refuses that, E_LIMIT if no cycle or stamp is left or a
// strict policy leaves a limit exceeded, and the errors of reading contents
// that must be counted.
//
// Cost: the nodes that expire or are pruned, the children of ^ah, what changed since the
// last snapshot, and one path for each. An exceeded limit costs a look at each node of the turns and
// regions that may help it (see itemsFor), 0.1 to 0.2 µs, and O(log n) for each that is pruned and each
// that the report names.
//
// Specification: 01 §7, 03 §2.3, 03 §5.4, 03 §7.
func Run(ctx context.Context, in Input) (*tree.Tree, tree.Stamps, lifecycle.Report, error) {
	var report lifecycle.Report
	if in.Retained == nil {
		in.Retained = func(string) bool { return false }
	}
	s, err := in.weigher(ctx)
	if err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	if !in.Policy.Empty() {
		report.Policy = &in.Policy
	}
	clock := &rewindableClock{read: in.Env.Clock}
	in.Env.Clock = clock.now
	p := &pruner{weigher: s, in: in, stamps: in.Stamps, clock: clock, limits: limitsOf(&in.Policy)}
	p.tree, p.ruler = in.Working, ruler{ctx, in.Policy.Rules, in.Rules}
	if err := p.materialize(); err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	if err := p.enter(&report); err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	p.tree, p.emptyGroups, err = expire(p.tree, p.in, &report)
	if err != nil {
		return nil, tree.Stamps{}, lifecycle.Report{}, err
	}
	if err := p.stubsOfExpiry(&report); err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	if err := p.dropOrphansOfExpiry(&report); err != nil {
		return nil, tree.Stamps{}, lifecycle.Report{}, err
	}
	if err := p.prune(&report); err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	if err := p.resolveOrphans(&report); err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	ruled := func(id string) bool {
		return slices.ContainsFunc(p.removed, func(r lifecycle.Removal) bool { return r.ID == id && r.Number > 0 })
	}
	report.Kept = slices.DeleteFunc(report.Kept, func(k lifecycle.Kept) bool { return ruled(k.ID) })
	staying, err := p.stillThere()
	if err != nil {
		return nil, tree.Stamps{}, lifecycle.Report{}, err
	}
	report.Kept = slices.Concat(report.Kept, staying, p.emptyGroups)
	report.Budget, report.Over = p.unmetLimits(report.Postponed != nil)
	if in.Policy.Strict && len(report.Over) > 0 && report.Postponed == nil && !in.Postpone {
		return nil, in.Stamps, lifecycle.Report{}, fault.New(fault.Limit, report.Budget, "raise the limit, protect less, or leave strict out")
	}
	t, stamps, err := tree.Seal(p.tree, p.stamps, in.Env)
	if err != nil {
		return nil, in.Stamps, lifecycle.Report{}, err
	}
	report.Scheduled, err = scheduledAfter(p.recurring, t)
	return t, stamps, report, err
}

func unfollowed(token, message, remedy string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, token, "the policy cannot be followed: "+message, remedy)
}

// weigher checks the policy and writes the name of the counter into it.
func (in *Input) weigher(ctx context.Context) (weigher, error) {
	p := &in.Policy
	if err := p.Check(); err != nil {
		return weigher{}, err
	}
	switch {
	case len(in.Rules) != len(p.Rules):
		return weigher{}, unfollowed("rules", "its selectors were not compiled", "give one compiled rule for each")
	case in.Counter == nil && p.Counts():
		return weigher{}, unfollowed("max_tokens, min_tokens", "it limits tokens, and the context has no counter",
			"open the context with a Counter")
	case in.Counter != nil && p.Tokenizer != "" && p.Tokenizer != in.Counter.Name():
		return weigher{}, unfollowed(p.Tokenizer, "it counts tokens by "+strconv.Quote(p.Tokenizer)+", the context by "+
			strconv.Quote(in.Counter.Name()), "open the context with that Counter, or leave tokenizer out")
	case !p.Counts():
		return weigher{ctx: ctx}, nil
	}
	p.Tokenizer = in.Counter.Name()
	return weigher{ctx, tree.Tokens(in.Counter)}, nil
}

// Idle returns what the next commit looks at again (see [Input]): the ids of the removable groups that are
// empty and stay because something keeps them (02 §5.3.1), and what comes again (1.0 03 §3.4).
func Idle(r *lifecycle.Report) (ids []string) {
	ids = append(ids, r.Scheduled...)
	for _, k := range r.Kept {
		if k.Reason == lifecycle.Cascaded {
			ids = append(ids, k.ID)
		}
	}
	return ids
}
