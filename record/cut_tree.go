package record

import (
	"context"
	"crypto/sha256"
	"maps"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// grown is the tree of a conversation after some calls, as commits under the policy would have made it
// if nothing that is due had gone.
type grown struct {
	tree   *tree.Tree
	stamps tree.Stamps
	idle   []string
	calls  map[string]string // the blocks of calls, by the call's id
	due    map[int]bool      // the numbers of the parts that are due in the last call
}

// mostGrown bounds how many states a recorder remembers: the last ones of its conversations.
const mostGrown = 128

// due returns the numbers of the parts of a request that the policy has go. It takes the state after
// earlier calls from memory: the tree depends on nothing but the request, and on what was cut of it.
func (c *cutter) due(ctx context.Context, parts []cutPart, late func() bool) (_ map[int]bool, err error) {
	ends, chain := turnsOf(parts)
	at := len(ends)
	for at > 0 && c.grown[chain[at-1]] == nil {
		at--
	}
	g, from := &grown{calls: map[string]string{}}, 0
	if at > 0 {
		g, from = c.grown[chain[at-1]], ends[at-1]
	} else if g.tree, g.stamps, err = tree.New(c.env(), nil); err != nil {
		return nil, err
	}
	for ; at < len(ends); at++ {
		if late() {
			return nil, errNotInTime
		}
		if g, err = c.grow(ctx, g, parts, from, ends[at], at == len(ends)-1); err != nil {
			return nil, err
		}
		if len(c.grown) >= mostGrown {
			clear(c.grown)
		}
		c.grown[chain[at]], from = g, ends[at]
	}
	return g.due, nil
}

// turnsOf returns after how many parts each call ended, and the hash of what was sent up to there.
// An answer begins the turn of the next call.
func turnsOf(parts []cutPart) (ends []int, chain [][sha256.Size]byte) {
	h := sha256.New()
	for i := range parts {
		p := &parts[i]
		if p.Section == provider.Conversation && p.answer && i > 0 && !parts[i-1].answer &&
			parts[i-1].Section == provider.Conversation {
			ends, chain = append(ends, i), append(chain, [sha256.Size]byte(h.Sum(nil)))
		}
		h.Write(p.hash[:]) // of tools too: what was added to them has other numbers behind it
		h.Write([]byte(strconv.FormatBool(p.gone()) + strconv.FormatBool(p.note != "")))
	}
	return append(ends, len(parts)), append(chain, [sha256.Size]byte(h.Sum(nil)))
}

func (c *cutter) env() tree.Env {
	traits := selector.Canonical.Traits()
	return tree.Env{Vocabulary: tree.Vocabulary{Turn: traits.TurnType, Container: traits.ContainerType,
		Block: traits.BlockType}, Clock: func() int64 { c.ticks++; return c.ticks },
		Taken: func(string) (bool, error) { return false, nil }, Suffix: "~"}
}

// grow commits what a call added. Only of the last one it asks what is due.
func (c *cutter) grow(ctx context.Context, g *grown, parts []cutPart, from, to int, last bool) (*grown, error) {
	next := &grown{calls: maps.Clone(g.calls)}
	env := c.env()
	x := tree.Edit(ctx, g.tree.WithCycle(g.stamps.Cycle), g.tree, g.stamps, env)
	for i := from; i < to; i++ {
		p := &parts[i]
		if p.gone() {
			continue
		}
		parent := systemRegion
		s := tree.Spec{ID: "p" + strconv.Itoa(i), Kind: p.Kind, Role: p.Role, Offset: int64(i + 1), Attrs: map[string]any{}}
		if p.Section == provider.Conversation {
			parent = activeHead
		}
		if p.Content.Kind != canon.KindAbsent {
			s.Content = p.Content.Value()
		}
		if p.note != "" {
			s.Content, s.Attrs[commit.StubAttr] = canon.Value(p.note), []string{s.ID}
		}
		if p.Name != "" {
			s.Attrs[attrName] = p.Name
		}
		if p.Failed {
			s.Attrs[attrFailed] = true
		}
		if p.Call != "" {
			s.Attrs[attrCall] = p.Call
			if of := next.calls[p.Call]; p.Kind == "result" {
				if has, err := x.Tree().Has(of); err != nil {
					return nil, err
				} else if has {
					s.Refs = []string{of}
				}
			}
		}
		id, err := x.Add(parent, s)
		if err != nil {
			return nil, err
		}
		if p.Kind == "call" && p.Call != "" {
			next.calls[p.Call] = id
		}
	}
	in := commit.Input{Before: g.tree, Working: x.Tree(), Stamps: x.Stamps, Env: env, Policy: c.policy, Rules: c.rules,
		Counter: c.counter, Idle: g.idle, Hold: true}
	t, stamps, report, err := commit.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	next.tree, next.stamps, next.idle = t, stamps, report.Idle()
	waits := false
	for _, k := range report.Kept {
		waits = waits || k.Why == lifecycle.PruningWaits
	}
	if !last || !waits {
		return next, nil
	}
	in.Hold = false
	_, _, report, err = commit.Run(ctx, in)
	next.due = map[int]bool{}
	for _, gone := range report.Removed {
		if i, err := strconv.Atoi(gone.ID[1:]); err == nil && gone.ID[0] == 'p' && i < from {
			next.due[i] = true
		}
	}
	return next, err
}
