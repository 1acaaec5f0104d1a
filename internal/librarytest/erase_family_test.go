package librarytest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"

	"github.com/contexttree/pact/store/sqlite"
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
	last := c.Info().Cycle
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
			b.Add("^sys", pact.Spec{ID: "rule", TTL: new(int64(2 + f.IntN(9)))})
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
	must(f, err)
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

// TestErasuresLeaveNothingInTheFile makes random families of contexts in a file, with undone lines, and
// erases in between: no text of an erased node is in the bytes of the file, and verify finds no damage.
// What snapshots hold afterwards, EraseRandom of the contract of stores compares with a model.
func TestErasuresLeaveNothingInTheFile(t *testing.T) {
	testrun.OneGoroutine(t)
	for seed := range testrun.Size[uint64](t, 2, 8, 80) {
		f := &genFamily{T: t, Rand: rand.New(rand.NewPCG(seed, 23)), path: filepath.Join(t.TempDir(), "pact.db"),
			secrets: map[string]string{}}
		s, err := dbtest.Open(sqlite.Open(background, f.path))
		must(t, err)
		f.store, f.lines = s, []*pact.Context{create(t, s)}
		for range 60 {
			f.step()
		}
		if f.erasures == 0 {
			t.Errorf("seed %d: nothing was erased", seed)
		}
		must(t, s.Close())
	}
}

// erase takes some nodes out and looks for their texts in the file.
func (f *genFamily) erase(c *pact.Context) {
	f.Helper()
	var all []string
	first, last := c.Info().First, c.Info().Cycle
	for entry := range sure.All(tree.Of(c.Working()).All()) {
		n := entry.Node()
		all = append(all, n.ID)
	}
	if last >= first {
		for s, err := range c.History(background, pact.Cycle(first), "latest") {
			must(f.T, err)
			for entry := range sure.All(tree.Of(s).All()) {
				n := entry.Node()
				all = append(all, n.ID)
			}
		}
	}
	var ids []string
	for range 1 + f.IntN(2) {
		if id := all[f.IntN(len(all))]; !slices.Contains([]string{"root", "sys", "seq"}, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	plan, err := c.Erase(background, pact.Erasure{IDs: ids, DryRun: true})
	must(f.T, err)
	of, err := c.Erase(background, erasure(ids...))
	must(f.T, err)
	if of.Remains != "" || !slices.Equal(of.IDs, plan.IDs) {
		f.Fatalf("erased %+v, planned %+v", of, plan)
	}
	for _, line := range f.lines {
		must(f.T, line.Refresh(background))
	}
	if list := verdicts(f.T, f.store); len(list) > 0 {
		f.Fatalf("verify says %q", list)
	}
	var data []byte
	for _, suffix := range []string{"", "-wal", "-shm"} {
		part, err := os.ReadFile(f.path + suffix)
		must(f.T, err)
		data = append(data, part...)
	}
	for text, id := range f.secrets {
		if slices.Contains(of.IDs, id) {
			delete(f.secrets, text)
			if bytes.Contains(data, []byte(text)) {
				f.Fatalf("%s is still in the file", text)
			}
		}
	}
	f.erasures++
}
