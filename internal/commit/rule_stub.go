package commit

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// stubText returns the text of the stub for a node that goes by a rule.
func (p *pruner) stubText(n *tree.Node) string {
	return StubText(&p.in.Policy, n.ID, p.stamps.Cycle-n.Cycle)
}

// StubText returns the text of the stub for a node that goes by a rule of the policy after a number of calls,
// which names its id.
func StubText(p *lifecycle.Policy, id string, calls int64) string {
	if p.Stub != "" {
		return p.Stub
	}
	return "[Left out after " + callWords(calls) + "; " + id + " is its id. " + OnlyPact
}

// stubsOfExpiry leaves stubs for the blocks that expired by a rule that asks for one. In place of
// a result whose call stays stands a result, so that the pair stays whole; any other stub is left
// only if it is shorter than what went.
func (p *pruner) stubsOfExpiry(report *lifecycle.Report) error {
	for _, gone := range report.Removed {
		if gone.Reason != lifecycle.Expired || gone.Number == 0 {
			continue
		}
		n, err := p.in.Working.Node(gone.ID)
		if err != nil {
			return err
		}
		if !markOf(n).Stub {
			continue
		}
		if e, err := p.in.Working.Entry(n.ID); err != nil {
			return err
		} else if e.Class() != tree.Block {
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
	path, err := p.in.Working.Path(n.ID)
	if err != nil {
		return false, err
	}
	parent := path[len(path)-2].Node().ID
	halves, err := partners(p.in.Working, n)
	if err != nil {
		return false, err
	}
	var calls []string
	for _, id := range halves {
		if has, err := p.tree.Has(id); err != nil {
			return false, err
		} else if has {
			calls = append(calls, id)
		}
	}
	text := p.stubText(n)
	paired := n.Kind == resultKind && len(calls) > 0
	has, err := p.tree.Has(parent)
	if err != nil {
		return false, err
	}
	if !has || tree.InCore(path) || !paired && len(text)+2 >= n.Content.Size() {
		return false, nil
	}
	role, err := stubRole(path[len(path)-1], path[1].Class())
	if err != nil {
		return false, err
	}
	spec := tree.Spec{Role: role, Kind: lifecycle.StubKind, Offset: n.Offset,
		Priority: stubPriority, Content: text, Attrs: map[string]any{StubAttr: []string{n.ID}}}
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
	_, err = p.keepStub(&placedStub{Stub: lifecycle.Stub{ID: id, For: []string{n.ID}}, tree: x.Tree(), stamps: x.Stamps})
	return true, err
}

// replaceResult puts a stub in the place of a result that is due, if its rule asks for one, its
// call stays and nothing keeps it.
func (p *pruner) replaceResult(n *tree.Node) (bool, error) {
	number := p.byRule[n.ID]
	if !p.in.Policy.Rules[number-1].Stub || n.Kind != resultKind {
		return false, nil
	}
	calls, err := partners(p.tree, n)
	if err != nil || len(calls) == 0 || slices.ContainsFunc(calls, func(call string) bool { return p.byRule[call] > 0 }) {
		return false, err
	}
	path, err := p.tree.Path(n.ID)
	if err != nil {
		return false, err
	}
	if why, err := p.reasonToStay(path); why != "" || err != nil {
		return false, err
	}
	if by, err := firstReferrer(p.tree, n.ID, nil); by != "" || err != nil {
		return false, err
	}
	before := p.tree
	tokens, err := p.tokensOf(path[len(path)-1])
	if err != nil {
		return false, err
	}
	p.tree, err = p.tree.Without(n.ID)
	if err != nil {
		return false, err
	}
	if added, err := p.stubAfter(n); err != nil || !added {
		p.tree = before
		return false, err
	}
	entry, err := p.tree.Entry(p.stubs[len(p.stubs)-1].ID)
	if err != nil {
		return false, err
	}
	left, err := p.tokensOf(entry)
	p.freedTokens += tokens - left
	p.removed = append(p.removed, lifecycle.Removal{ID: n.ID, Reason: lifecycle.Pruned,
		Rule: ruleWords(number, n, p.stamps.Cycle), Number: number})
	return true, err
}
