package tree_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

func TestWideTreesAgreeWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	for seed := range 6 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			w := genWide(rng).frozen()
			a := version{tree: built(t, w), world: w}
			a.digest = a.tree.Digest()
			list := []version{a, genEdits(t, rng, &a, 1), genEdits(t, rng, &a, 25)}
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
	now, gone := differencesOf(t, a, b)
	wantNow, wantGone := modelDifferences(a, b)
	equal(t, "new and changed", now, wantNow)
	equal(t, "gone", gone, wantGone)
	_, places := modelSharedBlocks(a.world, b.world)
	equal(t, "shared blocks", tree.SharedBlocks(a.tree, b.tree), places)
	lost, born := sure.Get2(a.tree.Delta(b.tree))
	equal(t, "digest of the patched tree", sure.Get(a.tree.Patch(b.tree.Cycle(), lost, born)).Digest(), b.digest)
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
			for e := range sure.All(l.All()) {
				want = append(want, e.Node().ID)
			}
			equal(t, "items by cursor", got, want)
			return
		case item != nil:
			take(item)
			c.Skip()
		case rng.Intn(3) == 0:
			for e := range sure.All(run.All()) {
				take(e)
			}
			c.Skip()
		default:
			sure.Done(c.Enter())
		}
	}
}

// stubborn takes so many bytes and no more.
type stubborn struct{ left int }

func (s *stubborn) Write(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteThreadReportsWhatFails(t *testing.T) {
	w := genWide(rand.New(rand.NewSource(1))).frozen()
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
