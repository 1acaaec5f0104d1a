package transcript

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// randomContexts is a conversation to which anything happens: calls and results in turns
// of their own, calls that come after their results, expire or change, blocks hung onto sealed turns, blocks
// and turns that go, forks, undos, erasures.
type randomContexts struct {
	*testing.T
	*rand.Rand
	contexts []*pact.Context
	said     int
}

func (l *randomContexts) some(c *pact.Context, want func(*tree.Node) bool) string {
	var ids []string
	for e := range sure.All(tree.Of(c.Working()).All()) {
		n := e.Node()
		if want(n) {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) == 0 {
		return "nobody"
	}
	return ids[l.Intn(len(ids))]
}

// spec is a block of any kind: a third of the calls and texts are imported.
func (l *randomContexts) spec(c *pact.Context) pact.Spec {
	l.said++
	s := pact.Spec{Attrs: map[string]any{}, Content: fmt.Sprint("said ", l.said)}
	if l.Intn(40) == 0 {
		s.Content = strings.Repeat("long ", 20_000)
	}
	if l.Intn(3) == 0 {
		s.Attrs[attrPart] = []any{1 + l.said%3, fmt.Sprint("first ", l.said/3)}
	}
	switch l.Intn(5) {
	case 0:
		s.Role = "user"
	case 1:
		s.Role, s.Kind = "assistant", "text"
	case 2, 3:
		s.Role, s.Kind = "assistant", "call"
		s.Attrs[attrCall] = fmt.Sprint("call_", l.said)
		if l.Intn(3) == 0 {
			s.TTL = new(int64(1 + l.Intn(4)))
		}
		if l.Intn(4) == 0 {
			s.ID = fmt.Sprint("later", l.Intn(20))
		}
		switch l.Intn(4) {
		case 0:
			delete(s.Attrs, attrCall)
		case 1:
			s.Attrs[attrFrame] = map[string]any{"parts": 2, "part": "@", "frame": map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{"@", "@"}}}
			s.Content = map[string]any{"id": fmt.Sprint("call_", l.said)}
		case 2:
			s.Attrs[attrPart] = []any{1, fmt.Sprint("first ", l.said), map[string]any{"function_call": "@"}}
			s.Content = map[string]any{"name": fmt.Sprint("f", l.said)}
		}
	default:
		s.Role, s.Kind = "tool", "result"
		for range l.Intn(3) {
			s.Refs = append(s.Refs, []string{l.some(c, isCall), l.some(c, isCall), fmt.Sprint("later", l.Intn(20))}[l.Intn(3)])
		}
	}
	return s
}

func (l *randomContexts) edit(c *pact.Context) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		switch l.Intn(8) {
		case 0:
			b.Add("^sys", l.spec(c))
		case 1: // a node of ^sys or of the turn under way changes
			said := l.spec(c)
			b.Update(l.some(c, isCall), func(s *pact.Spec) {
				s.Content = said.Content
				s.Attrs[attrCall] = fmt.Sprint("other_", l.said)
			})
		case 2:
			s := l.spec(c)
			s.Offset = 1
			b.Add(l.some(c, isTurn), s)
		default:
			for range 1 + l.Intn(3) {
				b.Add("^ah", l.spec(c))
			}
		}
		return nil
	}
}

// editAtRandom does one thing to one context. What is refused does not happen.
func (l *randomContexts) editAtRandom() {
	ctx := l.Context()
	i := l.Intn(len(l.contexts))
	c := l.contexts[i]
	keep := &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
	switch l.Intn(12) {
	case 0:
		c.Undo(ctx, nil)
	case 1:
		first, last := c.Info().First, c.Info().Cycle
		if fork, err := c.Fork(ctx, pact.Cycle(first+l.Int63n(last-first+2)), fmt.Sprint("fork", l.said), nil); err == nil {
			l.contexts = append(l.contexts, fork)
		}
	case 2:
		c.Erase(ctx, pact.Erasure{IDs: []string{l.some(c, isBlock)}, Reason: "asked for",
			Random: strings.NewReader(strings.Repeat("s", 32))})
	case 3, 4:
		keep.IDs = []string{l.some(c, isBlock), l.some(c, isTurn)}[:1+l.Intn(2)]
		c.Commit(ctx, &pact.CommitOptions{Pruning: keep})
	case 5:
		c.Edit(ctx, l.edit(c), nil)
	default:
		c.Commit(ctx, &pact.CommitOptions{Edit: l.edit(c), Pruning: keep})
	}
}
