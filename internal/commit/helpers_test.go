package commit_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"pgregory.net/rapid"
)

// letters counts a token a byte.
type letters struct{}

func (letters) Name() string { return "letters" }

func (letters) Count(text string) int { return len(text) }

// words counts a word as a token.
type wordCounter struct{ counted *int }

func (wordCounter) Name() string { return "words" }

func (w wordCounter) Count(text string) int {
	if w.counted != nil {
		*w.counted++
	}
	return len(strings.Fields(text))
}

var words = tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}

func env(now int64) tree.Env {
	return tree.Env{Vocabulary: words, Clock: func() int64 { return now }, Taken: func(string) (bool,
		error) {
		return false, nil
	}}
}

// show prints a tree for failure messages.
func show(t *tree.Tree) string {
	var b strings.Builder
	r := read(t)
	for _, id := range r.list(func(*modelNode) bool { return true }) {
		i := r[id]
		fmt.Fprintf(&b, "%s%s %s offset %d priority %d ns %d expiry %d removable %v pinned %v refs %q %s %s %q %q\n",
			strings.Repeat("  ", len(r.path(id))), id, i.class, i.offset, i.priority, i.ns, i.expiry, i.removable, i.pinned,
			i.refs, i.role, i.kind, i.tags, i.text)
	}
	return b.String()
}

func sorted(ids []string) []string {
	slices.Sort(ids)
	return ids
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}

func thread(t *tree.Tree) string {
	var b bytes.Buffer
	if err := t.WriteThread(context.Background(), &b); err != nil {
		panic(err)
	}
	return b.String()
}

func print(r lifecycle.Report) string {
	text, err := canon.Encode(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// told is a working state of blocks that are told as "id role kind word refs", one
// a line, all in ^ah at offset 1 unless the id has a region before it, or @ and an
// offset behind it. The content is the word twenty times, - for none.
func told(t *testing.T, lines string) (*cycles, *tree.Tree) {
	t.Helper()
	s := beginCycles(t)
	return s, s.edit(func(x *tree.Editor) error {
		for line := range strings.Lines(lines) {
			f := strings.Fields(line)
			if len(f) == 0 {
				continue
			}
			region, id, found := strings.Cut(f[0], "/")
			if !found {
				region, id = "^ah", f[0]
			}
			offset := int64(1)
			if of, at, found := strings.Cut(id, "@"); found {
				id, offset = of, int64(at[0]-'0')
			}
			spec := tree.Spec{ID: id, Role: strings.Trim(f[1], "-"), Kind: f[2], Offset: offset,
				Content: strings.Repeat(f[3]+" ", 20), Refs: f[4:]}
			if f[3] == "-" {
				spec.Content = nil
			}
			s.ids = append(s.ids, id)
			if _, err := x.Add(region, spec); err != nil {
				return err
			}
		}
		return nil
	})
}

// genSeed draws evenly: rapid's own integers prefer small ones.
func genSeed(t *rapid.T) (n int64) {
	for _, bit := range rapid.SliceOfN(rapid.Bool(), 40, 40).Draw(t, "seed") {
		if n *= 2; bit {
			n++
		}
	}
	return n
}
