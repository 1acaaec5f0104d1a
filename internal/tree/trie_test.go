package tree

import (
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"pgregory.net/rapid"
)

// agrees holds a trie to a map, by look-up and by iteration.
func agrees(t *rapid.T, tr trie[int], want map[string]int) {
	t.Helper()
	if tr.size != len(want) {
		t.Fatalf("size: got %d, want %d", tr.size, len(want))
	}
	got := map[string]int{}
	tr.each(func(key string, val int) bool {
		if _, twice := got[key]; twice {
			t.Fatalf("%q comes twice", key)
		}
		got[key] = val
		return true
	})
	if !maps.Equal(got, want) {
		t.Fatalf("entries\n got %v\nwant %v", got, want)
	}
	for i := range 300 {
		key := fmt.Sprint(i)
		val, ok := tr.get(key)
		if w, has := want[key]; ok != has || val != w {
			t.Fatalf("get %q: got %d, %v; want %d, %v", key, val, ok, w, has)
		}
	}
}

// A trie answers as a map does after any sequence of changes, and every
// version of it goes on answering as it did.
func TestTrieIsAMapThatRemembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			trie trie[int]
			want map[string]int
		}
		var tr trie[int]
		want := map[string]int{}
		var past []version
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		keys := 1 + rng.Intn(300)
		var owner *trieOwner
		if rapid.Bool().Draw(t, "bulk") {
			owner = new(trieOwner) // one build changes in place what it made itself
		}
		for step := range 400 {
			key := fmt.Sprint(rng.Intn(keys))
			if rng.Intn(3) == 0 {
				tr = tr.without(key, owner)
				delete(want, key)
			} else {
				tr = tr.with(key, step, owner)
				want[key] = step
			}
			if step == 150 {
				owner = nil // the build is done, from here on versions count
			}
			if owner == nil && step%50 == 0 {
				past = append(past, version{tr, maps.Clone(want)})
			}
		}
		past = append(past, version{tr, want})
		for key := range maps.Clone(want) {
			tr = tr.without(key, nil)
		}
		if tr.size != 0 || tr.root != nil {
			t.Fatalf("emptied: got size %d and a root %v", tr.size, tr.root != nil)
		}
		for _, v := range past {
			agrees(t, v.trie, v.want)
		}
	})
}

// Deletes undo inserts down to the shape, so that a trie of few keys is small
// however many it has seen.
func TestTrieShrinksToTheShapeItWouldHave(t *testing.T) {
	var small, large trie[int]
	for i := range 2000 {
		key := fmt.Sprint(i)
		large = large.with(key, i, nil)
		if i%100 == 0 {
			small = small.with(key, i, nil)
		}
	}
	for i := range 2000 {
		if i%100 != 0 {
			large = large.without(fmt.Sprint(i), nil)
		}
	}
	if got, want := shapeOf(large.root), shapeOf(small.root); got != want {
		t.Errorf("shape after deletes\n got %s\nwant %s", got, want)
	}
}

func shapeOf(n *trieNode[int]) string {
	s := fmt.Sprintf("%x(", n.bitmap)
	for _, slot := range n.slots {
		if slot.sub != nil {
			s += shapeOf(slot.sub)
		} else {
			s += slot.entry.key
		}
		s += " "
	}
	return s + ")"
}

// Below its last level a trie is a plain list. No two ids get there by luck,
// so the test starts there.
func TestTrieKeepsEqualHashesInAList(t *testing.T) {
	grew := false
	put := func(n *trieNode[int], key string, val int) *trieNode[int] {
		return n.with(&trieEntry[int]{key, val}, 7, trieLevel, nil, &grew)
	}
	one := put(nil, "a", 1)
	two := put(one, "b", 2)
	three := put(put(two, "c", 3), "a", 4)
	less, found := three.without("b", 7, trieLevel, nil)
	same, missing := less.without("b", 7, trieLevel, nil)
	none, last := one.without("a", 7, trieLevel, nil)
	for name, c := range map[string]struct {
		node *trieNode[int]
		want string
	}{
		"one":               {one, "0(a )"},
		"two":               {two, "0(a b )"},
		"a value replaced":  {three, "0(a b c )"},
		"one less":          {less, "0(a c )"},
		"nothing to remove": {same, "0(a c )"},
	} {
		if got := shapeOf(c.node); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if !found || missing || !last || none != nil {
		t.Errorf("found: got %v, %v, %v and a rest %v; want true, false, true and none", found, missing, last, none != nil)
	}
	if one.slots[0].entry.val != 1 || three.slots[0].entry.val != 4 {
		t.Errorf("values of a: got %d and %d, want 1 and 4", one.slots[0].entry.val, three.slots[0].entry.val)
	}

	// A path down to such a list, as a real collision would leave it.
	tr := trie[int]{root: put(put(nil, "a", 1), "b", 2), size: 2}
	for shift := trieLevel - trieBits; shift >= 0; shift -= trieBits {
		bit, _ := (&trieNode[int]{}).slot(hashOfTrie("a") >> shift)
		tr.root = &trieNode[int]{bitmap: bit, slots: []trieSlot[int]{{sub: tr.root}}}
	}
	if v, ok := tr.get("a"); !ok || v != 1 {
		t.Errorf("get below the last level: got %d, %v; want 1", v, ok)
	}
	if tr = tr.with("a", 5, nil); tr.size != 2 {
		t.Errorf("size: got %d, want 2", tr.size)
	}
	if v, _ := tr.get("a"); v != 5 {
		t.Errorf("get after with: got %d, want 5", v)
	}
	if tr = tr.without("a", nil); tr.size != 1 || tr.root.slots[0].entry.key != "b" {
		t.Errorf("without: got size %d and a root %s, want b alone at the top", tr.size, shapeOf(tr.root))
	}
}
