package pact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

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
