package record

import (
	"context"
	"crypto/sha256"
	"maps"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// grown is the tree of a conversation after some calls, as commits under the policy would make it if they removed
// no due node.
type grown struct {
	tree   *tree.Tree
	stamps tree.Stamps
	idle   []string
	calls  map[string]string // the blocks of calls, by the call's id

	last  commit.Input // of the commit of the last call
	from  int          // how many parts were sent before that call
	waits map[int]bool // the numbers of the parts that the policy would have go
	goes  map[int]bool // the numbers of those that a commit lets go: whether with a stub; nil before it is asked
}

// mostGrown bounds how many states a recorder remembers: the last ones of its conversations.
const mostGrown = 128

// grownTo returns the tree of a request. It takes the state after earlier calls from memory: the tree depends only
// on the request and on the cuts in it. The caller holds c.mu.
func (c *cutter) grownTo(ctx context.Context, parts []cutPart, late func() bool) (_ *grown, err error) {
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
		if g, err = c.grow(ctx, g, parts, from, ends[at]); err != nil {
			return nil, err
		}
		if len(c.grown) >= mostGrown {
			clear(c.grown)
		}
		c.grown[chain[at]], from = g, ends[at]
	}
	return g, nil
}

// turnsOf returns the number of parts up to the end of each call, and the hash of these parts. An answer begins
// the turn of the next call.
func turnsOf(parts []cutPart) (ends []int, chain [][sha256.Size]byte) {
	h := sha256.New()
	for i := range parts {
		p := &parts[i]
		if p.Section == provider.Conversation && p.answer && i > 0 && !parts[i-1].answer &&
			parts[i-1].Section == provider.Conversation {
			ends, chain = append(ends, i), append(chain, [sha256.Size]byte(h.Sum(nil)))
		}
		h.Write(p.hash[:]) // of tools too: a new tool changes the numbers of the parts behind it
		h.Write([]byte(strconv.FormatBool(p.taken != nil)))
	}
	return append(ends, len(parts)), append(chain, [sha256.Size]byte(h.Sum(nil)))
}

func (c *cutter) env() tree.Env {
	traits := selector.Canonical.Traits()
	return tree.Env{Vocabulary: tree.Vocabulary{Turn: traits.TurnType, Container: traits.ContainerType,
		Block: traits.BlockType}, Clock: func() int64 { c.ticks++; return c.ticks },
		Taken: func(string) (bool, error) { return false, nil }, Suffix: "~"}
}

// grow commits what a call added.
func (c *cutter) grow(ctx context.Context, g *grown, parts []cutPart, from, to int) (*grown, error) {
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
		if p.taken != nil {
			s.Content, s.Attrs[commit.StubAttr] = canon.Value(p.taken.Content), []string{s.ID}
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
	next.last = commit.Input{Before: g.tree, Working: x.Tree(), Stamps: x.Stamps, Env: env, Policy: c.policy,
		Rules: c.rules, Counter: c.counter, Idle: g.idle, Hold: true}
	t, stamps, report, err := commit.Run(ctx, next.last)
	if err != nil {
		return nil, err
	}
	next.tree, next.stamps, next.idle, next.from = t, stamps, commit.Idle(&report), from
	next.waits = map[int]bool{}
	for _, k := range report.Kept {
		if k.Why == lifecycle.PruningWaits {
			next.number(next.waits, k.ID, false)
		}
	}
	return next, nil
}

// number adds the number of the part that a block has, if it was sent before the last call.
func (g *grown) number(to map[int]bool, id string, stub bool) {
	if i, err := strconv.Atoi(strings.TrimPrefix(id, "p")); err == nil && i < g.from {
		to[i] = stub
	}
}

// released returns the numbers of the parts that a commit would remove if nothing held it back: of those that
// wait, the ones that no protection keeps. It costs much more than to ask what waits. The caller holds c.mu.
func (c *cutter) released(ctx context.Context, g *grown) (map[int]bool, error) {
	if g.goes != nil {
		return g.goes, nil
	}
	g.last.Hold = false
	_, _, report, err := commit.Run(ctx, g.last)
	if err != nil {
		return nil, err
	}
	g.goes = map[int]bool{}
	for _, gone := range report.Removed {
		stub := gone.Number == 0 && c.policy.Stub != "" || gone.Number > 0 && c.policy.Rules[gone.Number-1].Stub
		g.number(g.goes, gone.ID, stub)
	}
	return g.goes, nil
}
