package tree_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// The drawn trees are small. These are wide enough for lists of several
// levels and for threads that are kept and written in pieces.

// wideWorld is a context with a long ^sys and a long history, contents from
// nothing to more than any buffer.
func wideWorld(rng *rand.Rand) *world {
	w := newWorld()
	w.cycle = 1
	leaf := func(parent string, offset int64) {
		r := &record{typ: "block", parent: parent, offset: offset, cycle: 1, expiry: never, headers: map[string]any{}}
		switch rng.Intn(60) {
		case 0:
			r.content = strings.Repeat("long ", 9000)
		case 1, 2:
			r.content = strings.Repeat("ü", 300)
		default:
			r.content = strings.Repeat("x", rng.Intn(12))
		}
		if rng.Intn(3) == 0 {
			r.headers["role"] = "tool"
		}
		if rng.Intn(12) == 0 {
			r.expiry = int64(rng.Intn(9))
		}
		w.put(r)
	}
	for range rng.Intn(240) {
		leaf("sys", int64(rng.Intn(3)))
	}
	for range rng.Intn(80) {
		turn := w.put(&record{typ: "seg", parent: "seq", cycle: 1, expiry: never})
		if core := w.put(&record{typ: "cont", parent: turn, cycle: 1, expiry: never}); rng.Intn(5) > 0 {
			leaf(core, 0)
		}
		for range rng.Intn(3) {
			leaf(turn, int64(rng.Intn(3)-4))
		}
	}
	w.publish()
	w.cycle, w.next = 2, 0
	return w
}

// scatter edits a wide context here and there, in the package and the model.
func scatter(t *testing.T, rng *rand.Rand, r *version, edits int) version {
	t.Helper()
	w := r.world.frozen()
	w.sorted, w.history = nil, map[string]bool{}
	x := tree.Edit(background, r.tree.WithCycle(w.cycle), r.tree, tree.Stamps{Cycle: w.cycle, LastNS: w.last}, w.env())
	all := ids(w.document())
	for range edits {
		id := all[rng.Intn(len(all))]
		o := op{Call: "Add", Parent: "^sys", Spec: tree.Spec{Offset: int64(rng.Intn(5) - 1), Content: "new"}}
		switch rng.Intn(5) {
		case 0:
			o = op{Call: "Remove", ID: id}
		case 1:
			o = op{Call: "Update", ID: id, Set: map[string]any{"content": "other"}}
		case 2:
			o = op{Call: "Add", Parent: id, Spec: tree.Spec{Offset: 1}}
		case 3:
			o = op{Call: "Move", ID: id, Parent: "^sys", Offset: 1}
		}
		got, err := o.edit(x)
		want, no := o.model(w)
		if !admits(no, err) || got != want {
			t.Fatalf("%v\n got %q, %v\nwant %q, %s", o, got, err, want, expected(no))
		}
	}
	tr := x.Tree()
	return version{tree: tr, world: w.frozen(), digest: tr.Digest()}
}

func TestWideTreesFollowTheModelToo(t *testing.T) {
	for seed := range 6 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			w := wideWorld(rng).frozen()
			a := version{tree: built(t, w), world: w}
			a.digest = a.tree.Digest()
			list := []version{a, scatter(t, rng, &a, 1), scatter(t, rng, &a, 25)}
			last := list[len(list)-1]
			list = append(list, last.later(last.tree.Cycle()+2), version{tree: remade(t, last.tree), world: last.world,
				digest: last.digest})
			for _, v := range list {
				same(t, v.tree, v.world)
				sameCursor(t, rng, v.tree.Region(tree.Sys).Children())
				for _, u := range list {
					samePair(t, v, u)
				}
			}
		})
	}
}

func samePair(t *testing.T, a, b version) {
	t.Helper()
	now, gone := compared(t, a, b)
	wantNow, wantGone := differences(a, b)
	equal(t, "new and changed", now, wantNow)
	equal(t, "gone", gone, wantGone)
	_, places := commonBlocks(a.world, b.world)
	equal(t, "shared blocks", tree.SharedBlocks(a.tree, b.tree), places)
	lost, born := a.tree.Delta(b.tree)
	equal(t, "digest of the patched tree", a.tree.Patch(b.tree.Cycle(), lost, born).Digest(), b.digest)
}

// sameCursor walks a list by cursor, entering runs or taking them whole.
func sameCursor(t *testing.T, rng *rand.Rand, l *tree.List) {
	t.Helper()
	var got, want []string
	take := func(e *tree.Entry) { got = append(got, e.Node().ID) }
	for c := l.Cursor(); ; {
		run, item := c.Peek()
		switch {
		case run == nil && item == nil:
			for e := range l.All() {
				want = append(want, e.Node().ID)
			}
			equal(t, "items by cursor", got, want)
			return
		case item != nil:
			take(item)
			c.Skip()
		case rng.Intn(3) == 0:
			for e := range run.All() {
				take(e)
			}
			c.Skip()
		default:
			c.Enter()
		}
	}
}

// stubborn takes so many bytes and no more.
type stubborn struct{ left int }

var errFull = errors.New("full")

func (s *stubborn) Write(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteThreadReportsWhatFails(t *testing.T) {
	w := wideWorld(rand.New(rand.NewSource(1))).frozen()
	tr := built(t, w)
	_, size := tr.ThreadSize()
	for _, room := range []int64{0, 1, size / 2, size - 1} {
		if err := tr.WriteThread(background, &stubborn{int(room)}); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: got %v, want %v", room, size, err, errFull)
		}
	}
	if err := tr.WriteThread(background, &stubborn{int(size)}); err != nil {
		t.Errorf("room for all: got %v", err)
	}

	// A content that cannot be read is an error and is asked for again.
	away, _ := loaded(t)
	for range 2 {
		if err := away.WriteThread(background, new(bytes.Buffer)); !errors.Is(err, errAway) {
			t.Errorf("content away: got %v, want %v", err, errAway)
		}
	}
}

// ThreadSize counts in bytes what WriteThread writes, whatever the content.
func TestThreadSizeCountsEveryKindOfContent(t *testing.T) {
	for _, content := range []canon.Value{"", `""`, "0", "7", "42", "-1", "1.5", "true", "null", "[]", "{}", `"a"`,
		`"\u00e9"`, `[1,{"a":null}]`} {
		w := newWorld()
		nodes := placed(w.document())
		n := tree.NewNode(tree.Node{ID: "a", Type: "block", Expiry: never, Content: tree.Hold(tree.JSON(content))}, nil)
		tr, err := tree.Build(1, append(nodes, tree.Placed{Node: n, Parent: len(nodes) - 1}))
		if err != nil {
			t.Fatal(err)
		}
		var thread bytes.Buffer
		if err := tr.WriteThread(background, &thread); err != nil {
			t.Fatal(err)
		}
		if _, size := tr.ThreadSize(); size != int64(thread.Len()) {
			t.Errorf("content %q: got %d bytes, want the %d of %s", content, size, thread.Len(), thread.String())
		}
	}
}
