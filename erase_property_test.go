package pact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

// TestErasedHistoriesGoOn makes random families of contexts in a file, erases
// in between, and holds every snapshot to its document from before with the
// nodes emptied. Nothing of what was erased is in the bytes of the file.
func TestErasedHistoriesGoOn(t *testing.T) {
	seeds := uint64(8)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		f := &people{T: t, Rand: rand.New(rand.NewPCG(seed, 23)), path: filepath.Join(t.TempDir(), "pact.db"),
			secrets: map[string]string{}}
		s, err := sqlite.Open(background, f.path)
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

// people are contexts in which every text is a secret of its own.
type people struct {
	*testing.T
	*rand.Rand
	store           store.Complete
	path            string
	lines           []*pact.Context
	secrets         map[string]string // text by id
	forks, erasures int
}

func (f *people) step() {
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
	case n < 8 && c.Working().Tree().Node("rule") == nil:
		err = c.Edit(background, func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "rule", TTL: pact.TTL(int64(2 + f.IntN(9)))})
			if b.Err() != nil {
				return nil
			}
			return f.write(b, "rule")
		}, nil)
		if fault.CodeOf(err) == fault.NodeDuplicate { // the id was there before
			err = nil
		}
	case n < 8 && !c.Working().Tree().Node("rule").Erased():
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
func (f *people) write(b *pact.Batch, id string) error {
	text := fmt.Sprintf("secret %x of %s", f.Uint64(), id)
	f.secrets[text] = id
	b.Update(id, map[string]any{"content": map[string]any{"said": text}, "data_note": text})
	return nil
}

// erase takes some nodes out and compares everything.
func (f *people) erase(c *pact.Context) {
	f.Helper()
	var all []string
	first, last := c.Cycles()
	for entry := range c.Working().Tree().All() {
		n := entry.Node()
		all = append(all, n.ID)
	}
	if last >= first {
		for s, err := range c.History(background, pact.Cycle(first), pact.Latest) {
			must(f.T, err)
			for entry := range s.Tree().All() {
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
	want := f.documents(plan.IDs)
	of, err := c.Erase(background, erasure(ids...))
	must(f.T, err)
	if of.Remains != "" || !slices.Equal(of.IDs, plan.IDs) {
		f.Fatalf("erased %+v, planned %+v", of, plan)
	}
	got := f.documents(nil)
	for i := range want {
		if got[i] != want[i] {
			f.Fatalf("erased %v\n got %s\nwant %s", of.IDs, got[i], want[i])
		}
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

// documents are all snapshots of all lines and what is being worked on, with
// some nodes emptied.
func (f *people) documents(ids []string) (list []string) {
	f.Helper()
	for _, c := range f.lines {
		first, last := c.Cycles()
		working, err := c.At(background, pact.Working)
		must(f.T, err)
		states := []*pact.Snapshot{working}
		for cycle := first; cycle <= last; cycle++ {
			s, err := c.At(background, pact.Cycle(cycle))
			must(f.T, err)
			states = append(states, s)
		}
		for _, s := range states {
			data, err := s.Bytes(background)
			must(f.T, err)
			var doc map[string]any
			must(f.T, json.Unmarshal(data, &doc))
			empty(f.T, s, doc["root"].(map[string]any), ids)
			again, err := json.Marshal(doc)
			must(f.T, err)
			list = append(list, c.Name()+" "+string(again))
		}
	}
	return list
}

// empty empties nodes of a document.
func empty(t *testing.T, s *pact.Snapshot, node map[string]any, ids []string) {
	if kids, ok := node["children"].([]any); ok {
		for _, k := range kids {
			empty(t, s, k.(map[string]any), ids)
		}
	}
	delete(node, "content_hash") // what it is computed of is compared
	if !slices.Contains(ids, node["id"].(string)) || node[tree.ErasedName] != nil {
		return
	}
	receipt := make([]byte, 32)
	_, err := chance().Read(receipt)
	must(t, err)
	was, _ := s.Node(node["id"].(string))
	mark, err := pact.Mark(background, fmt.Sprintf("%x", receipt), was)
	must(t, err)
	for name := range node {
		if strings.HasPrefix(name, "data_") || slices.Contains([]string{"tags", "key", "provenance", "mime", "encoding"},
			name) {
			delete(node, name)
		}
	}
	if node["content"] != nil {
		node["content"] = "[erased]"
	}
	node[tree.ErasedName] = mark
}
