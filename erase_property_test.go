package pact_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store/sqlite"
)

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
	first, last := c.Cycles()
	for entry := range sure.All(tree.Of(c.Working()).All()) {
		n := entry.Node()
		all = append(all, n.ID)
	}
	if last >= first {
		for s, err := range c.History(background, pact.Cycle(first), pact.Latest()) {
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
