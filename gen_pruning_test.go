package pact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
)

// randomEditor edits a context at random: texts, notes that expire, groups, calls and
// their answers, some of them late.
type randomEditor struct {
	*rand.Rand
	*pact.Context
	t     *testing.T
	calls []string // without an answer so far
}

func (w *randomEditor) editAtRandom() {
	w.t.Helper()
	must(w.t, w.Edit(w.t.Context(), func(b *pact.Batch) error {
		for range 1 + w.IntN(5) {
			if err := w.addAtRandom(b); err != nil {
				return err
			}
		}
		return nil
	}, nil))
}

func (w *randomEditor) addAtRandom(b *pact.Batch) error {
	words := strings.Repeat("word ", 1+w.IntN(20))
	s := pact.Spec{Role: choose(w.Rand, "user", "assistant", ""), Kind: "text", Content: words,
		Offset: int64(w.IntN(3) - 1), Priority: int64(w.IntN(3))}
	if w.IntN(3) == 0 {
		s.TTL = pact.TTL(new(int64(w.IntN(4))))
	}
	if w.IntN(4) == 0 {
		s.Tags = []string{"x"}
	}
	s.Pinned = w.IntN(15) == 0
	switch w.IntN(6) {
	case 0:
		g := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 1, Removable: true})
		b.Add(g, s)
		return nil
	case 1:
		b.Add("^sys", s)
		return nil
	case 2:
		s.Role, s.Kind, s.Offset = "assistant", "call", 1
		id := b.Add("^ah", s)
		err := b.Err()
		w.calls = append(w.calls, id)
		return err
	}
	if len(w.calls) > 0 && w.IntN(2) == 0 {
		call := w.calls[0]
		w.calls = w.calls[1:]
		if !b.Has(call) {
			return nil
		}
		b.AddResult(call, pact.Spec{Content: words})
		return nil
	}
	b.Add("^ah", s)
	return nil
}

// genPolicy draws one, of little or much.
func (w *randomEditor) genPolicy() (p lifecycle.Policy) {
	few := func(n, one int) int {
		if w.IntN(one) > 0 {
			return 0
		}
		return 1 + w.IntN(n)
	}
	p = lifecycle.Policy{
		MaxTokens: few(400, 3), MaxBytes: few(5000, 3), MaxNodes: few(50, 4), MaxTurns: few(8, 5), ProtectTurns: few(3, 2),
		Stub: choose(w.Rand, "", "[...]"), Orphans: choose(w.Rand, lifecycle.Keep, lifecycle.Drop, lifecycle.Refuse),
	}
	if w.IntN(2) == 0 {
		p.Parts = []lifecycle.Part{{Kind: choose(w.Rand, "", "text", "result"), Tag: choose(w.Rand, "", "x"),
			Region: choose(w.Rand, "", "^sys", "^seq", "^ah"), MaxTokens: 1 + w.IntN(100)}}
		if w.IntN(3) == 0 {
			p.MinBytes, p.Every = few(500, 1), few(5, 2)
		}
	}
	return p
}
