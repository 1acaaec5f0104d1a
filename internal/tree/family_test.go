package tree

import (
	"context"
	"fmt"
	"testing"

	"github.com/contexttree/pact/fault"
)

// TestTheNewestOfAKeyHasTheLatestStamp: of several members in one place the one that came last is the newest, wherever it
// stands, among few nodes and many; ^ah goes before a turn, and that before ^sys.
func TestTheNewestOfAKeyHasTheLatestStamp(t *testing.T) {
	for _, others := range []int{0, 2 * few} {
		now := int64(1000)
		env := Env{Vocabulary: Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
			Clock: func() int64 { now++; return now }, Taken: func(string) (bool, error) { return false, nil }}
		before, stamps, err := New(env, nil)
		must(t, err)
		x := Edit(context.Background(), before.WithCycle(stamps.Cycle), before, stamps, env)
		add := func(into string) (last string) {
			t.Helper()
			for i := range others {
				_, err = x.Add(into, Spec{Offset: int64(i - others/2)})
				must(t, err)
			}
			for _, offset := range []int64{3, -3, 2, 0} {
				if last, err = x.Add(into, Spec{Key: "k", Offset: offset}); err != nil {
					t.Fatal(err)
				}
			}
			return last
		}
		expect := func(where, want string) {
			t.Helper()
			for _, key := range []string{"k", "none"} {
				got, err := x.Newest(key)
				if err != nil || (key == "none") != (got == nil) || got != nil && got.ID != want {
					t.Errorf("%d others, %s: the newest of %s is %v, %v, not %s", others, where, key, got, err, want)
				}
			}
		}
		inSys := add("^sys")
		expect("in ^sys", inSys)
		inHead := add("^ah")
		expect("in ^ah", inHead)
		if before, stamps, err = Seal(x.Tree(), x.Stamps, env); err != nil {
			t.Fatal(err)
		}
		x = Edit(context.Background(), before.WithCycle(stamps.Cycle), before, stamps, env)
		expect("in a turn", inHead)
		expect("before "+fmt.Sprint(others)+" others", add("^ah"))
	}
}

// A batch begins with what is known of ^ah as it is, and lets go of all else.
func TestFamiliesKeepWhatIsKnownOfOneEntry(t *testing.T) {
	head, other := new(Entry), new(Entry)
	f := KeyFamilies{known: map[*Entry]map[string]*Node{head: {"k": {ID: "x"}}, other: {}}}
	f.of(head)
	if f.known[head]["k"] == nil || len(f.known) != 1 {
		t.Errorf("of two entries %d are known, and of ^ah %v", len(f.known), f.known[head])
	}
}

// Nodes with keys of their own, each added by an edit of its own, are not looked at again and again; a key that is
// there is found.
func TestSingleAddsOfKeysLookAtFewNodes(t *testing.T) {
	looked := func(n int) (total int) {
		now := int64(1000)
		env := Env{Bare: true, Vocabulary: Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
			Clock: func() int64 { now++; return now }, Taken: func(string) (bool, error) { return false, nil }}
		before, stamps, err := New(env, nil)
		must(t, err)
		working, known := before.WithCycle(stamps.Cycle), KeyFamilies{}
		for i := range n {
			env.Families = &known
			x := Edit(context.Background(), working, before, stamps, env)
			_, err = x.Add("^ah", Spec{Key: fmt.Sprint("k", i)})
			must(t, err)
			if i%100 == 99 {
				if _, err := x.Add("^ah", Spec{Key: fmt.Sprint("k", i/2)}); fault.CodeOf(err) != fault.OverlapViolatesODI {
					t.Errorf("k%d twice: %v", i/2, err)
				}
			}
			working, stamps = x.Tree(), x.Stamps
			if i == n/2 { // a batch that is dropped
				if _, err := x.Add("^ah", Spec{Key: "dropped"}); err != nil {
					t.Error(err)
				}
			}
		}
		return known.looked
	}
	if few, many := looked(500), looked(2000); many > 6*few || many > 5*2000 {
		t.Errorf("500 adds looked at %d nodes, 2000 at %d", few, many)
	}
}
