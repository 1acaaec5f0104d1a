package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// stubText returns the text of the stub for a node that goes by a rule.
func (p *pruner) stubText(n *tree.Node) string {
	return p.in.Policy.StubFor(n.ID, p.stamps.Cycle-n.Cycle)
}

// StubFor returns the text of the stub for a node that goes by a rule after a number of calls, which names
// its id.
func (p *Policy) StubFor(id string, calls int64) string {
	if p.Stub != "" {
		return p.Stub
	}
	return "[Left out after " + callWords(calls) + "; " + id + " is its id. " + OnlyPact
}

// stubsOfExpiry leaves stubs for the blocks that expired by a rule that asks for one. In place of
// a result whose call stays stands a result, so that the pair stays whole; any other stub is left
// only if it is shorter than what went.
func (p *pruner) stubsOfExpiry(report *Report) error {
	for _, gone := range report.Removed {
		if gone.Reason != Expired || gone.Number == 0 {
			continue
		}
		n := p.in.Working.Node(gone.ID)
		if !markOf(n).Stub || p.in.Working.Entry(n.ID).Class() != tree.Block {
			continue
		}
		if _, err := p.stubAfter(n); err != nil {
			return err
		}
	}
	return nil
}

// stubAfter adds to the tree a stub for a block that is not in it any more. It returns false if
// there is no place for it, or if it is no shorter and no call needs it.
func (p *pruner) stubAfter(n *tree.Node) (bool, error) {
	path := p.in.Working.Path(n.ID)
	parent := path[len(path)-2].Node().ID
	calls := slices.DeleteFunc(partners(p.in.Working, n), func(id string) bool { return !p.tree.Has(id) })
	text := p.stubText(n)
	paired := n.Kind == resultKind && len(calls) > 0
	if !p.tree.Has(parent) || tree.InCore(path) || !paired && len(text)+2 >= n.Content.Size() {
		return false, nil
	}
	spec := tree.Spec{Role: stubRole(path[len(path)-1], path[1].Class()), Kind: StubKind, Offset: n.Offset,
		Priority: StubPriority, Content: text, Attrs: map[string]any{StubAttr: []string{n.ID}}}
	if paired {
		spec.Role, spec.Kind, spec.Refs = n.Role, resultKind, calls
		if call, ok := n.Header("wire:call").Text(); ok {
			spec.Attrs["wire:call"] = call
		}
	}
	x := tree.Edit(p.ctx, p.tree, p.in.Working, p.stamps, p.in.Env)
	id, err := x.Add(parent, spec)
	if err != nil {
		return false, err
	}
	p.keepStub(&placedStub{Stub: Stub{id, []string{n.ID}}, tree: x.Tree(), stamps: x.Stamps})
	return true, nil
}

// replaceResult puts a stub in the place of a result that is due, if its rule asks for one, its
// call stays and nothing keeps it.
func (p *pruner) replaceResult(n *tree.Node) (bool, error) {
	number := p.byRule[n.ID]
	if !p.in.Policy.Rules[number-1].Stub || n.Kind != resultKind || len(partners(p.tree, n)) == 0 {
		return false, nil
	}
	path := p.tree.Path(n.ID)
	if p.keptBecause(path) != "" || firstReferrer(p.tree, n.ID, nil) != "" ||
		slices.ContainsFunc(partners(p.tree, n), func(call string) bool { return p.byRule[call] > 0 }) {
		return false, nil
	}
	before := p.tree
	tokens, err := p.tokensOf(path[len(path)-1])
	if err != nil {
		return false, err
	}
	p.tree = p.tree.Without(n.ID)
	if added, err := p.stubAfter(n); err != nil || !added {
		p.tree = before
		return false, err
	}
	left, err := p.tokensOf(p.tree.Entry(p.stubs[len(p.stubs)-1].ID))
	p.freedTokens += tokens - left
	p.removed = append(p.removed, Removal{n.ID, Pruned, ruleWords(number, n, p.stamps.Cycle), number})
	return true, err
}
