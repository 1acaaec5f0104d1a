package lifecycle

import "github.com/contexttree/pact/tree"

// freed says what a state has less than one before it.
func (p *pruner) freed(before *tree.Tree) (Freed, error) {
	was, is := before.Root().Summary(), p.tree.Root().Summary()
	_, wasBytes := before.ThreadSize()
	_, isBytes := p.tree.ThreadSize()
	f := Freed{Nodes: was.Blocks + was.Containers - is.Blocks - is.Containers, Bytes: wasBytes - isBytes}
	if p.tokens == nil {
		return f, nil
	}
	wasTokens, err := p.tokens.Sum(p.ctx, before.Root())
	if err != nil {
		return f, err
	}
	isTokens, err := p.tokens.Sum(p.ctx, p.tree.Root())
	f.Tokens = wasTokens - isTokens
	return f, err
}

// waits says what a pass that was tried would free where the policy has it wait
// for more, or for a later cycle; nil where it is to be done.
func (p *pruner) waits(before *tree.Tree) (*Waiting, error) {
	policy, cycle := &p.in.Policy, p.in.Stamps.Cycle
	if policy.MinTokens == 0 && policy.MinBytes == 0 && policy.Every == 0 || p.tree == before {
		return nil, nil
	}
	freed, err := p.freed(before)
	if err != nil {
		return nil, err
	}
	enough := policy.MinTokens > 0 && freed.Tokens >= int64(policy.MinTokens) || policy.MinBytes > 0 &&
		freed.Bytes >= int64(policy.MinBytes)
	if enough || policy.Every > 0 && cycle%int64(policy.Every) == 0 {
		return nil, nil
	}
	w := &Waiting{Would: freed}
	if every := int64(policy.Every); every > 0 {
		w.Until = cycle - cycle%every + every
	}
	return w, nil
}
