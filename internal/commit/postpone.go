package commit

import "github.com/contexttree/pact/lifecycle"

import "github.com/contexttree/pact/internal/tree"

// freedSince returns what the tree has less than an earlier state of the pruner had: nodes,
// bytes of the thread and, if tokens are counted, tokens.
func (p *pruner) freedSince(before *tree.Tree, freedTokens int64) lifecycle.Savings {
	was, is := before.Root().Summary(), p.tree.Root().Summary()
	_, wasBytes := before.ThreadSize()
	_, isBytes := p.tree.ThreadSize()
	return lifecycle.Savings{Nodes: was.Blocks + was.Containers - is.Blocks - is.Containers, Bytes: wasBytes - isBytes,
		Tokens: p.freedTokens - freedTokens}
}

// tokensOf returns the tokens of an entry and everything below it, 0 if none are counted.
func (p *pruner) tokensOf(e *tree.Entry) (int64, error) {
	if p.tokens == nil {
		return 0, nil
	}
	return p.tokens.Sum(p.ctx, e)
}

// postponed reports whether the policy postpones a pruning that was tried on a copy,
// because it would free too little and the cycle is not one of its interval, or whether the
// caller holds it back: then it returns what the pruning would free and the cycle that it waits for. nil means that
// the pruning takes effect. The rule is decision 060.
func (p *pruner) postponed(before *pruner) *lifecycle.Postponed {
	policy, cycle := &p.in.Policy, p.in.Stamps.Cycle
	waits := policy.MinTokens > 0 || policy.MinBytes > 0 || policy.Every > 0
	if p.tree == before.tree || !waits && !p.in.Postpone {
		return nil
	}
	freed := p.freedSince(before.tree, before.freedTokens)
	enough := policy.MinTokens > 0 && freed.Tokens >= int64(policy.MinTokens) || policy.MinBytes > 0 &&
		freed.Bytes >= int64(policy.MinBytes)
	if !p.in.Postpone && (enough || policy.Every > 0 && cycle%int64(policy.Every) == 0) {
		return nil
	}
	w := &lifecycle.Postponed{Would: freed}
	if every := int64(policy.Every); every > 0 && !p.in.Postpone {
		w.Until = cycle - cycle%every + every
	}
	return w
}
