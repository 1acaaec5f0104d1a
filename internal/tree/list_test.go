package tree

import (
	"fmt"
	"hash/maphash"
	"math/rand"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/sure"
)

func hashOfTrie(key string) uint64 { return maphash.String(trieSeed, key) }

// item is an entry at a place of the order that its number decides, with ties:
// a block, or a group with or without one.
func item(rng *rand.Rand, id int) *Entry {
	n := Node{ID: fmt.Sprint("n", id), Type: "block", Offset: int64(rng.Intn(3) - 1), CreatedNS: int64(rng.Intn(40)),
		Index: int64(rng.Intn(2)), Expiry: Never}
	if rng.Intn(5) == 0 {
		n.Expiry = int64(rng.Intn(9))
	}
	switch rng.Intn(6) {
	case 0:
		return newEntry(NewNode(n, nil), Container, nil)
	case 1:
		inside := Node{ID: fmt.Sprint("in", id), Type: "block", Expiry: Never}
		return newEntry(NewNode(n, nil), Container, listOf([]*Entry{newEntry(NewNode(inside, nil), Block, nil)}))
	}
	return newEntry(NewNode(n, nil), Block, nil)
}

// ofSlice is the list that sorting makes.
func ofSlice(items []*Entry) *List {
	items = slices.Clone(items)
	sort.Slice(items, func(i, j int) bool { return Less(items[i].node, items[j].node) })
	return listOf(items)
}

// sound checks what must hold in every list: levels, gaps, counts, shapes.
func (l *List) sound(t *rapid.T) {
	t.Helper()
	if l == nil {
		return
	}
	count := len(l.body.items)
	for i, e := range l.body.items {
		if s := sure.Get(l.Shape(i)); s.Class() != e.class || s.Leaf() != (e.kids == nil) {
			t.Fatalf("shape of %s, item %d: got %v and leaf %v, want %v and %v", e.node.ID, i, s.Class(), s.Leaf(), e.class,
				e.kids == nil)
		}
		if e.node.level != l.level {
			t.Fatalf("%s of level %d stands in a run of level %d", e.node.ID, e.node.level, l.level)
		}
	}
	if l.level == 0 && l.body.below != nil || l.level > 0 && len(l.body.below) != len(l.body.items)+1 || count == 0 {
		t.Fatalf("a run of level %d has %d items and %d runs below", l.level, count, len(l.body.below))
	}
	for _, b := range l.body.below {
		if b != nil && b.level >= l.level {
			t.Fatalf("a run of level %d hangs below one of level %d", b.level, l.level)
		}
		b.sound(t)
		count += b.Len()
	}
	if count != l.count {
		t.Fatalf("count: got %d, want %d", l.count, count)
	}
}

// After any inserts, removals and replacements a list is the one that its
// items alone decide: same shape, same digest, same sums.
func TestListIsDecidedByItsItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		var l *List
		var items []*Entry
		size := 1 + rng.Intn(600)
		for id := range size {
			e := item(rng, id)
			l, items = sure.Get(l.insert(e)), append(items, e)
			for rng.Intn(3) == 0 && len(items) > 0 {
				i := rng.Intn(len(items))
				if rng.Intn(3) == 0 {
					n := *items[i].node
					n.Priority++
					e := newEntry(NewNode(n, nil), Block, nil)
					l, items[i] = sure.Get(l.replace(e)), e
					continue
				}
				l, items = sure.Get(l.remove(items[i])), slices.Delete(items, i, i+1)
			}
		}
		want := ofSlice(items)
		l.sound(t)
		if l.Len() != len(items) || l.Len() > 0 && l.digest != want.digest || *l.Summary() != *want.Summary() {
			t.Fatalf("got %d items, digest %v, %+v\nwant %d items, digest %v, %+v", l.Len(), *l.Summary(), l.digest, want.Len(),
				*want.Summary(), want.digest)
		}
		i := 0
		for e := range sure.All(l.All()) {
			if w := sure.Get(want.At(i)); e != w || sure.Get(l.At(i)) != w || sure.Get(l.get(e.node)) != w {
				t.Fatalf("item %d: got %s, %s, %v; want %s", i, e.node.ID, sure.Get(l.At(i)).node.ID, sure.Get(l.get(e.node)), w.node.ID)
			}
			i++
		}
		for offset := int64(-2); offset <= 2; offset++ {
			n := 0
			for _, e := range items {
				if e.node.Offset < offset {
					n++
				}
			}
			if got := sure.Get(l.rankOfOffset(offset)); got != n {
				t.Fatalf("rank of offset %d: got %d, want %d", offset, got, n)
			}
		}
	})
}

// Visit passes over what enter refuses, run by run, and nothing else.
func TestVisitPassesOverWhatItsCallerDoesNotWant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		var items []*Entry
		for id := range rng.Intn(700) {
			items = append(items, item(rng, id))
		}
		l := ofSlice(items)
		lo, hi := rng.Intn(l.Len()+2)-1, rng.Intn(l.Len()+3)-1
		var got, want []string
		for e := range sure.All(l.Visit(lo, hi, func(s *Summary) bool { return s.Expiry <= 2 })) {
			if e.sum.Expiry <= 2 {
				got = append(got, e.node.ID)
			}
		}
		for i := max(lo, 0); i < min(hi, l.Len()); i++ {
			if e := sure.Get(l.At(i)); e.sum.Expiry <= 2 {
				want = append(want, e.node.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("visit %d to %d\n got %v\nwant %v", lo, hi, got, want)
		}
		stop := 1 + rng.Intn(5)
		calls := 0
		for range sure.All(l.Visit(lo, hi, nil)) {
			if calls++; calls == stop {
				break
			}
		}
		in := max(0, min(hi, l.Len())-max(lo, 0))
		if calls != min(stop, in) {
			t.Fatalf("stopping after %d of %d: got %d items", stop, in, calls)
		}
	})
}

// One item in sixteen reaches the next level, so that lists stay shallow.
func TestLevelsThinOutBySixteen(t *testing.T) {
	counts := map[uint8]int{}
	for i := range 200_000 {
		counts[levelOf(fmt.Sprintf("block:%d-%d", i/4, i%4))]++
	}
	want := 200_000 * 15 / 16
	for level := uint8(0); level < 3; level++ {
		if got := counts[level]; got < want*9/10 || got > want*11/10 {
			t.Errorf("items of level %d: got %d, want about %d", level, got, want)
		}
		want /= 16
	}
}
