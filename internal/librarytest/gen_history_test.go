package librarytest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// randomHistory is a context with a random history, and all of that history.
type randomHistory struct {
	*rand.Rand
	t         *testing.T
	context   *pact.Context
	snapshots []*tree.Tree // oldest first
}

// genHistory lets a context go through some random cycles.
func genHistory(t *testing.T, seed uint64, e selector.Edition) *randomHistory {
	t.Helper()
	context, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: e})
	must(t, err)
	c := &randomHistory{Rand: rand.New(rand.NewPCG(seed, 21)), t: t, context: context}
	for range 5 + c.IntN(6) {
		c.editAtRandom()
		policy := lifecycle.Policy{Orphans: lifecycle.Keep}
		if c.IntN(5) == 0 {
			policy.MaxNodes, policy.ProtectTurns = 15, 1
		}
		s, err := context.Commit(background, &pact.CommitOptions{Pruning: &pact.Pruning{Policy: policy}})
		must(t, err)
		c.snapshots = append(c.snapshots, tree.Of(s))
	}
	c.editAtRandom() // a working state that is no snapshot
	return c
}

// editAtRandom makes some random edits. What the rules refuse is none.
func (c *randomHistory) editAtRandom() {
	working := c.context.Working()
	for range 3 + c.IntN(5) {
		var all []string
		for entry := range sure.All(tree.Of(working).All()) {
			n := entry.Node()
			all = append(all, n.ID)
		}
		switch c.IntN(9) {
		case 0:
			id := choose(c.Rand, all...)
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Remove(id) })
		case 1:
			id, tag, content := choose(c.Rand, all...), choose(c.Rand, "red", "blue"), c.IntN(5)
			try(c.t, c.context, nil, func(b *pact.Batch) {
				b.Update(id, func(s *pact.Spec) { s.Tags, s.Content = []string{tag}, content })
			})
		default:
			s := pact.Spec{
				Role: choose(c.Rand, "user", "assistant", "tool"), Kind: choose(c.Rand, "text", "call", ""),
				Key:    choose(c.Rand, "", "", "K", "L"),
				Offset: int64(c.IntN(3) - 1), Priority: int64(c.IntN(3)), Content: c.IntN(9),
				Tags: []string{choose(c.Rand, "red", "blue")},
			}
			if c.IntN(3) == 0 {
				s.TTL = int64(1 + c.IntN(3))
			}
			parent := choose(c.Rand, "^ah", "^ah", "^ah", "^sys", choose(c.Rand, all...))
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Add(parent, s) })
		}
	}
}

// genFamily are contexts in which every text is a secret of its own.
type genFamily struct {
	*testing.T
	*rand.Rand
	store           *pact.DB
	path            string
	lines           []*pact.Context
	secrets         map[string]string // text by id
	forks, erasures int
}

func (f *genFamily) step() {
	f.Helper()
	at := f.IntN(len(f.lines))
	c := f.lines[at]
	_, last := c.Cycles()
	var err error
	switch n := f.IntN(16); {
	case n < 7:
		err = c.Edit(background, func(b *pact.Batch) error {
			id := b.Add([]string{"^ah", "^ah", "^sys"}[f.IntN(3)], pact.Spec{Role: "user", Kind: "text",
				Offset: int64(f.IntN(2))})
			return f.write(b, id)
		}, &pact.Note{Message: fmt.Sprint("edit ", f.Uint32())})
	case n < 8 && sure.Get(tree.Of(c.Working()).Node("rule")) == nil:
		err = c.Edit(background, func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "rule", TTL: int64(2 + f.IntN(9))})
			if b.Err() != nil {
				return nil
			}
			return f.write(b, "rule")
		}, nil)
		if fault.CodeOf(err) == fault.NodeDuplicate { // the id was there before
			err = nil
		}
	case n < 8 && !sure.Get(tree.Of(c.Working()).Node("rule")).Erased():
		err = c.Edit(background, func(b *pact.Batch) error { return f.write(b, "rule") }, nil)
	case n < 12:
		_, err = c.Commit(background, &pact.CommitOptions{Note: pact.Note{Message: "turn"}})
	case n == 12 && last > 0:
		f.forks++
		var fork *pact.Context
		if fork, err = c.Fork(background, pact.Cycle(1+f.Int64N(last)), fmt.Sprint("fork ", f.forks), nil); err == nil {
			f.lines = append(f.lines, fork)
		}
	case n == 13 && last > 1:
		var old string
		if old, err = c.Undo(background, nil); err == nil {
			var line *pact.Context
			line, err = pact.Open(background, f.store, old, &pact.OpenOptions{Clock: steps()})
			f.lines = append(f.lines, line)
		}
	case n > 13 && len(f.secrets) > 3:
		f.erase(c)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// write gives a node a text that nothing else has. The one before goes on being
// looked for: the version may be in a snapshot.
func (f *genFamily) write(b *pact.Batch, id string) error {
	text := fmt.Sprintf("secret %x of %s", f.Uint64(), id)
	f.secrets[text] = id
	b.Update(id, func(s *pact.Spec) {
		s.Content = map[string]any{"said": text}
		s.Attrs["data_note"] = text
	})
	return nil
}
