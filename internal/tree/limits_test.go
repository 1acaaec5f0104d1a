package tree_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// nest hangs groups below one another as long as they are taken and returns
// how many were, with the id of the last and the refusal of the next.
func nest(x *tree.Editor, parent string, offset int64) (count int, last string, err error) {
	for last = parent; ; count++ {
		id, err := x.Add(last, tree.Spec{NodeType: "cont", Offset: offset})
		if err != nil {
			return count, last, err
		}
		last = id
	}
}

func newEditor(t *testing.T) *tree.Editor {
	t.Helper()
	w := newModelTree()
	tr, stamps, err := tree.New(w.env(), nil)
	must(t, err)
	return tree.Edit(background, tr.WithCycle(stamps.Cycle), tr, stamps, w.env())
}

func TestNestingEndsAtTheLimit(t *testing.T) {
	for _, c := range []struct {
		region string
		offset int64
	}{{"^sys", 0}, {"^ah", 1}, {"^ah", 0}} {
		t.Run(fmt.Sprint(c.region, " at ", c.offset), func(t *testing.T) {
			x := newEditor(t)
			count, last, err := nest(x, c.region, c.offset)
			if e := faultOf(err); e.Code != fault.Limit || e.Node != last {
				t.Errorf("got %v, want %s on node %q", err, fault.Limit, last)
			}
			if c.region == "^sys" {
				equal(t, "levels", len(sure.Get(x.Tree().Path(last))), tree.MaxDepth)
			}
			// What an edit took, a commit and a reload take as well.
			sealed, _, err := tree.Seal(x.Tree(), x.Stamps, newModelTree().env())
			must(t, err)
			if levels := len(sure.Get(sealed.Path(last))); levels > tree.MaxDepth {
				t.Fatalf("%d groups in %s: sealed they are on %d levels, the limit is %d", count, c.region, levels, tree.MaxDepth)
			}
			equal(t, "digest after a reload", remade(t, sealed).Digest(), sealed.Digest())
		})
	}
}

func TestMovingATallGroupKeepsTheLimit(t *testing.T) {
	for _, region := range []string{"^sys", "^ah"} {
		x := newEditor(t)
		top, err := x.Add("^ah", tree.Spec{NodeType: "cont", Offset: 1})
		must(t, err)
		below := top
		for range 30 {
			if below, err = x.Add(below, tree.Spec{NodeType: "cont"}); err != nil {
				t.Fatal(err)
			}
		}
		_, deep, _ := nest(x, region, 1)
		for len(sure.Get(x.Tree().Path(deep))) > 0 {
			if _, err = x.Move(top, deep, 1); err == nil {
				break
			}
			if e := faultOf(err); e.Code != fault.Limit || e.Node != top && e.Node != deep {
				t.Fatalf("got %v, want %s on node %q", err, fault.Limit, top)
			}
			deep = sure.Get(x.Tree().Parent(deep))
		}
		sealed, _, err := tree.Seal(x.Tree(), x.Stamps, newModelTree().env())
		must(t, err)
		most := 0
		for e := range sure.All(sealed.All()) {
			most = max(most, len(sure.Get(sealed.Path(e.Node().ID))))
		}
		equal(t, "levels of what moved as deep in "+region+" as it may and was sealed", most, tree.MaxDepth)
	}
}

// The core of ^ah is one level deeper once it is sealed, for what moves there
// as for what is added.
func TestMovingATallGroupToTheCoreKeepsTheLimit(t *testing.T) {
	x := newEditor(t)
	top, err := x.Add("^sys", tree.Spec{NodeType: "cont"})
	must(t, err)
	count, _, _ := nest(x, top, 0)
	_, err = x.Move(top, "^ah", 0)
	if e := faultOf(err); e.Code != fault.Limit || e.Node != top {
		t.Errorf("a group of %d levels: got %v, want %s on node %q", count+1, err, fault.Limit, top)
	}
}

// What an edit makes keeps to the range of integers, and what it refuses leaves
// nothing behind.
func TestIntegersEndAtTheLimit(t *testing.T) {
	fresh := func(last, next int64, clock func() int64) *tree.Editor {
		env := newModelTree().env()
		tr, stamps, err := tree.New(env, nil)
		must(t, err)
		x := tree.Edit(background, tr.WithCycle(stamps.Cycle), tr, stamps, env)
		for _, id := range []string{"a", "b", "c"} {
			_, err = x.Add("^sys", tree.Spec{ID: id})
			must(t, err)
		}
		stamps = x.Stamps
		if last != 0 {
			stamps.LastNS = last
		}
		if next != 0 {
			stamps.Next = next
		}
		if clock != nil {
			env.Clock = clock
		}
		return tree.Edit(background, x.Tree(), tr, stamps, env)
	}
	const end = tree.MaxInteger
	always := func(ns int64) func() int64 { return func() int64 { return ns } }
	add := func(s tree.Spec) func(*tree.Editor) error {
		return func(x *tree.Editor) error { _, err := x.Add("^sys", s); return err }
	}
	front := func(x *tree.Editor) error {
		_, err := x.AddAt(tree.Gap{Parent: "^sys", Edge: tree.Start}, tree.Spec{ID: "d"})
		return err
	}
	order := func(x *tree.Editor) error { return x.Reorder("c", "b", "a") }
	set := func(name string, n int64) func(*tree.Editor) error {
		return func(x *tree.Editor) error { return x.Update("a", map[string]any{name: n}) }
	}
	for _, c := range []struct {
		name       string
		last, next int64
		clock      func() int64
		do         func(*tree.Editor) error
		taken      bool
	}{
		{"the last stamp", end - 1, 0, nil, add(tree.Spec{}), true},
		{"no stamp is left", end, 0, nil, add(tree.Spec{}), false},
		{"none is left for a given id", end, 0, nil, add(tree.Spec{ID: "d"}), false},
		{"a store that was filled before", math.MaxInt64, 0, nil, add(tree.Spec{}), false},
		{"the clock at its end", 0, 0, always(end), add(tree.Spec{}), true},
		{"the clock behind its end", 0, 0, always(end + 1), add(tree.Spec{}), false},
		{"the clock at the end of 64 bits", 0, 0, always(math.MaxInt64), add(tree.Spec{}), false},
		{"a clock before all time, which is lifted", 0, 0, always(math.MinInt64), add(tree.Spec{}), true},
		{"the last index", 0, end, nil, add(tree.Spec{}), true},
		{"no index is left", 0, end + 1, nil, add(tree.Spec{}), false},
		{"three are to follow and two can", end - 3, 0, nil, front, false},
		{"three are to follow and can", end - 4, 0, nil, front, true},
		{"three change their order and two can", end - 2, 0, nil, order, false},
		{"three change their order", end - 3, 0, nil, order, true},
		{"an offset at the end", 0, 0, nil, add(tree.Spec{Offset: end}), true},
		{"an offset behind it", 0, 0, nil, add(tree.Spec{Offset: end + 1}), false},
		{"an offset before all", 0, 0, nil, set("offset", -end-1), false},
		{"a priority at the end", 0, 0, nil, set("priority", -end), true},
		{"a priority behind it", 0, 0, nil, set("priority", end+1), false},
		{"a priority of a new node", 0, 0, nil, add(tree.Spec{Priority: math.MinInt64}), false},
		{"the longest life", 0, 0, nil, set("ttl", end-1), true},
		{"a longer one", 0, 0, nil, set("ttl", end), false},
		{"a move behind all offsets", 0, 0, nil, func(x *tree.Editor) error {
			_, err := x.Move("a", "^sys",
				math.MaxInt64)
			return err
		}, false},
	} {
		x := fresh(c.last, c.next, c.clock)
		before, stamps := x.Tree().Digest(), x.Stamps
		err := c.do(x)
		switch {
		case c.taken && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case !c.taken && fault.CodeOf(err) != fault.Limit:
			t.Errorf("%s: got %v, want %s", c.name, err, fault.Limit)
		case !c.taken && (x.Tree().Digest() != before || x.Stamps != stamps):
			t.Errorf("%s: it left something behind", c.name)
		}
	}
}

func TestIDsAreOpaqueUpToOneKiB(t *testing.T) {
	x := newEditor(t)
	for _, id := range []string{strings.Repeat("x", 1024), " ", "a\x00b", "Ω:1-2", "^ah:7", "#", "'", "block:1-0"} {
		got, err := x.Add("^sys", tree.Spec{ID: id})
		if err != nil || got != id || !sure.Get(x.Tree().Has(id)) {
			t.Errorf("id %q: got %q, %v", id, got, err)
		}
	}
	got, err := x.Add("^sys", tree.Spec{}) // its index is past 0, so its name is free
	if err != nil || got != "block:1-8" {
		t.Errorf("generated id: got %q, %v; want block:1-8", got, err)
	}
	if _, err := x.Add("^ah:7", tree.Spec{NodeType: "cont"}); fault.CodeOf(err) != fault.PlacementInvalid {
		t.Errorf("adding to the block ^ah:7: got %v, want %s", err, fault.PlacementInvalid)
	}
}

func TestGeneratedIDsSkipThoseTaken(t *testing.T) {
	w := newModelTree()
	env := w.env()
	env.Suffix = "-f2"
	w.history["block:1-3-f2"] = true
	tr, stamps, err := tree.New(env, nil)
	must(t, err)
	stamps.Given = 1 // an edit gave such an id once
	x := tree.Edit(background, tr.WithCycle(1), tr, stamps, env)
	var got []string
	for _, given := range []string{"", "block:1-2-f2", "", "", ""} {
		id, err := x.Add("^sys", tree.Spec{ID: given})
		must(t, err)
		got = append(got, fmt.Sprint(id, " index ", sure.Get(x.Tree().Node(id)).Index))
	}
	equal(t, "ids", got, []string{
		"block:1-0-f2 index 0", "block:1-2-f2 index 1",
		"block:1-4-f2 index 4", "block:1-5-f2 index 5", "block:1-6-f2 index 6",
	})
}

func TestBuildRefusesBadTrees(t *testing.T) {
	w := newModelTree()
	twice := placed(w.document())
	twice = append(twice, tree.Placed{Node: (&modelNode{id: "sys", typ: "block"}).node(), Parent: 1})
	_, err := tree.Build(1, twice)
	if e := faultOf(err); e.Code != fault.NodeDuplicate || e.Node != "sys" {
		t.Errorf("a duplicate id: got %v, want %s on node sys", err, fault.NodeDuplicate)
	}
	deep := placed(w.document()[:1])
	for i := range tree.MaxDepth {
		deep = append(deep, tree.Placed{Node: (&modelNode{id: fmt.Sprint("g", i), typ: "cont"}).node(), Parent: i})
	}
	if _, err := tree.Build(1, deep[:tree.MaxDepth]); err != nil {
		t.Errorf("%d levels: got %v", tree.MaxDepth, err)
	}
	_, err = tree.Build(1, deep)
	if e := faultOf(err); e.Code != fault.Limit || e.Node != "g63" {
		t.Errorf("%d levels: got %v, want %s on node g63", tree.MaxDepth+1, err, fault.Limit)
	}
}
