package benchmarks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// window is how many snapshots a range is measured over.
const window = 1_000

// talked makes a context in memory of so many commits. Each brings a question,
// an answer and a note that is in three snapshots; every fiftieth edits the
// instructions.
func talked(tb testing.TB, turns int) *pact.Context {
	tb.Helper()
	now := int64(0)
	c, err := pact.Create(context.Background(), pact.NewDB(store.NewMemory()), "talk",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { now++; return now }}, Edition: selector.V01})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range turns {
		if _, err := c.Commit(context.Background(),
			&pact.CommitOptions{Edit: func(b *pact.Batch) error { return exchange(b, i) }}); err != nil {
			tb.Fatal(err)
		}
	}
	return c
}

func exchange(b *pact.Batch, i int) error {
	rules := fmt.Sprintf("Be kind, be brief, and do not guess. Revision %d.", i/50)
	switch {
	case i == 0:
		b.Add("^sys", pact.Spec{ID: "instructions", Role: "system", Kind: "text", Content: rules})
	case i%50 == 0:
		b.Update("instructions", func(s *pact.Spec) { s.Content = rules })
	}
	for _, s := range []pact.Spec{
		{Role: "user", Kind: "text",
			Content: fmt.Sprintf("Question %d: where does the quick brown fox go when it jumps over the lazy dog?", i)},
		{Role: "assistant", Kind: "text",
			Content: fmt.Sprintf("Answer %d: to the other side of the dog, which is too lazy to look up.", i)},
		{Role: "system", Kind: "memory", Offset: -1, TTL: 3,
			Content: fmt.Sprintf("Note %d: the user asks about foxes.", i)},
	} {
		b.Add("^ah", s)
	}
	return nil
}

// layout says where the file of a block lies.
type layout struct {
	name string
	turn func(cycle int64) string // directory of a turn
}

var layouts = []layout{
	{"flat", func(cycle int64) string { return fmt.Sprintf("seq/%d", cycle) }},
	{"fanned", func(cycle int64) string { return fmt.Sprintf("seq/%d/%d", cycle/100, cycle) }}, // as one would help git
}

// file returns the path of a block and everything that a snapshot says of it.
func (l layout) file(tb testing.TB, t *tree.Tree, id string) (path string, content []byte) {
	tb.Helper()
	entries := sure.Get(t.Path(id))
	dir := "sys"
	if entries[1].Class() == tree.Seq {
		dir = l.turn(entries[2].Node().Cycle)
	}
	content, err := document.AppendNode(context.Background(), nil, sure.Get(t.Node(id)), tree.Block, t.Cycle())
	if err != nil {
		tb.Fatal(err)
	}
	return dir + "/" + id, content
}

// write writes snapshots for git fast-import: a commit each, the first with all
// its files, the others with what changed.
func (l layout) write(tb testing.TB, w io.Writer, snapshots []*tree.Tree) {
	tb.Helper()
	var last *tree.Tree
	for _, t := range snapshots {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter pact <pact> %d +0000\ndata 0\n", t.Cycle())
		put := func(id string) {
			path, content := l.file(tb, t, id)
			fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
		}
		if last == nil {
			for e := range sure.All(t.All()) {
				if e.Class() == tree.Block {
					put(e.Node().ID)
				}
			}
		} else {
			l.changes(tb, w, last, t, put)
		}
		last = t
	}
}

func (l layout) changes(tb testing.TB, w io.Writer, last, t *tree.Tree, put func(id string)) {
	sure.Done(tree.Compare(last, t, func(d tree.Difference) bool {
		switch {
		case d.New == nil && d.OldClass == tree.Block:
			path, _ := l.file(tb, last, d.Old.ID)
			fmt.Fprintf(w, "D %s\n", path)
		case d.New != nil && d.NewClass == tree.Block:
			put(d.New.ID)
		}
		return true
	}))
}

// newest returns the last snapshots of a context, oldest first.
func newest(tb testing.TB, c *pact.Context, n int64) []*tree.Tree {
	tb.Helper()
	var list []*tree.Tree
	for s, err := range c.History(context.Background(), pact.Back(n-1), pact.Latest()) {
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, tree.Of(s))
	}
	return list
}

// ranged answers the range of the newest snapshots.
func ranged(tb testing.TB, c *pact.Context, snapshots int) *diff.RangeDiffLatestResult {
	tb.Helper()
	r, err := c.RangeDiffLatest(context.Background(), fmt.Sprintf("@t-%d..@t0 .cb", snapshots-1), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// A file says all that a snapshot says of a block, so that it changes when and
// only when the block does.
func TestFilesFollowBlocks(t *testing.T) {
	c := talked(t, 60)
	trees := newest(t, c, 60)
	for i, d := range ranged(t, c, 60).Diffs {
		now, before := trees[59-i], trees[58-i]
		changed := make(map[string]bool)
		for _, n := range d.Changed {
			changed[n.ID] = true
		}
		for e := range sure.All(now.All()) {
			id := e.Node().ID
			if e.Class() != tree.Block || !sure.Get(before.Has(id)) {
				continue
			}
			path, content := layouts[0].file(t, now, id)
			oldPath, old := layouts[0].file(t, before, id)
			if differs := path != oldPath || !bytes.Equal(content, old); differs != changed[id] {
				t.Errorf("%s, block %s: the file differs: %v, the block: %v", d.From.Label, id, differs, changed[id])
			}
		}
	}
}
