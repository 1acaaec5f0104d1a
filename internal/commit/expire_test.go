package commit_test

import (
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// 03 §8.1: three blocks born in cycle 10.
func TestTTLOfNodesBornInCycleTen(t *testing.T) {
	for _, c := range []struct {
		rule string
		ttl  int
		in   []int64 // the snapshots among 10 to 14 that have the node
	}{
		{"ttl 0 never reaches a snapshot", 0, nil},
		{"ttl 1 is in its own", 1, []int64{10}},
		{"ttl 2 goes at commit 12", 2, []int64{10, 11}},
		{"ttl null stays", forever, []int64{10, 11, 12, 13, 14}},
	} {
		for _, into := range []string{"^ah", "^sys"} {
			t.Run(c.rule+" in "+into, func(t *testing.T) {
				s := beginCycles(t)
				s.passUntil(10)
				working := s.add([]node{{id: "x", into: into, ttl: c.ttl}})
				var got []int64
				for cycle := int64(10); cycle <= 14; cycle++ {
					if left, _ := s.commit(working, commit.Input{}); left == "x" {
						got = append(got, cycle)
						ttl, finite := sure.Get(s.tree.Node("x")).TTL(s.tree.Cycle())
						if want := max(0, 10+int64(c.ttl)-cycle); finite && ttl != want {
							t.Errorf("ttl shown in cycle %d: got %d, want %d", cycle, ttl, want)
						}
					}
					working = s.tree.WithCycle(s.stamps.Cycle)
				}
				equal(t, "snapshots with the node", got, c.in)
			})
		}
	}
}

var lives = []struct {
	rule   string
	nodes  []node
	retain string   // what a holder keeps through cycles 1 and 2
	want   []string // what is in the snapshots of cycles 1, 2 and 3
}{
	{"nodes that refer to each other leave together", []node{
		{id: "call", into: "^ah", ttl: 0, refs: "result"}, {id: "result", into: "^ah", offset: 1, ttl: 0, refs: "call"},
	}, "", []string{"", "", ""}},
	{"nodes that refer to each other stay until both are due", []node{
		{id: "call", into: "^ah", ttl: 0, refs: "result"}, {id: "result", into: "^ah", offset: 1, ttl: 2, refs: "call"},
	}, "", []string{"call result", "call result", ""}},
	{"nodes that refer to each other stay for good when one does", []node{
		{id: "call", into: "^ah", ttl: 0, refs: "result"}, {id: "result", into: "^ah", offset: 1, ttl: forever, refs: "call"},
	}, "", []string{"call result", "call result", "call result"}},
	{"three in a ring leave together", []node{
		{id: "a", into: "^sys", ttl: 0, refs: "b"}, {id: "b", into: "^ah", ttl: 1, refs: "c"}, {id: "c", into: "^ah", ttl: 1,
			refs: "a"},
	}, "", []string{"a b c", "", ""}},
	{"a referenced node goes when its referrer does", []node{
		{id: "a", into: "^ah", ttl: 0}, {id: "b", into: "^ah", ttl: 1, refs: "a"},
	}, "", []string{"a b", "", ""}},
	{"what stays holds along a chain", []node{
		{id: "a", into: "^ah", ttl: 0}, {id: "b", into: "^ah", ttl: 0, refs: "a"}, {id: "c", into: "^sys", ttl: forever,
			refs: "b"},
	}, "", []string{"a b c", "a b c", "a b c"}},
	{"a reference to oneself holds nothing", []node{{id: "a", into: "^ah", ttl: 0, refs: "a"}}, "", []string{"", "", ""}},
	{"a reference to nobody is none", []node{{id: "a", into: "^ah", ttl: 1, refs: "nobody"}}, "", []string{"a", "", ""}},
	{"what is retained stays until it is released", []node{{id: "a", into: "^ah", ttl: 0}, {id: "b", into: "^ah", ttl: 0}},
		"a", []string{"a", "a", ""}},
	{"what is retained holds what it refers to", []node{{id: "a", into: "^ah", ttl: 0, refs: "b"},
		{id: "b", into: "^ah", ttl: 0}}, "a", []string{"a b", "a b", ""}},
	{"a retained node that never expires changes nothing", []node{{id: "a", into: "^ah", ttl: forever}}, "a",
		[]string{"a", "a", "a"}},

	{"an expired group takes everything below it", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: 1}, {id: "x", into: "g", ttl: forever},
		{id: "h", into: "g", group: true, ttl: forever}, {id: "y", into: "h", ttl: 9},
	}, "", []string{"g x h y", "", ""}},
	{"a kept node keeps its ancestors, and those alone", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: 0}, {id: "h", into: "g", group: true, ttl: forever},
		{id: "x", into: "h", ttl: forever}, {id: "y", into: "g", ttl: forever},
		{id: "r", into: "^sys", ttl: 1, refs: "x"},
	}, "", []string{"g h x r", "", ""}},
	{"a retained node keeps its ancestors", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: 0}, {id: "x", into: "g", ttl: forever},
	}, "x", []string{"g x", "g x", ""}},
	{"an ancestor that is kept holds what it refers to", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: 0, refs: "z"}, {id: "x", into: "g", ttl: forever},
		{id: "z", into: "^sys", ttl: 0},
	}, "x", []string{"g x z", "g x z", ""}},

	{"a removable group goes with its last child", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "g", ttl: 0},
		{id: "y", into: "g", ttl: 1},
	}, "", []string{"g y", "", ""}},
	{"removable groups go one after the other", []node{
		{id: "g", into: "^sys", group: true, ttl: forever, removable: true}, {id: "h", into: "g", group: true, ttl: forever,
			removable: true},
		{id: "i", into: "h", group: true, ttl: forever, removable: true}, {id: "x", into: "i", ttl: 1},
	}, "", []string{"g h i x", "", ""}},
	{"the cascade ends at a group that is not removable", []node{
		{id: "g", into: "^sys", group: true, ttl: forever, removable: true}, {id: "h", into: "g", group: true, ttl: forever},
		{id: "i", into: "h", group: true, ttl: forever, removable: true}, {id: "x", into: "i", ttl: 1},
	}, "", []string{"g h i x", "g h", "g h"}},
	{"a group that never had a child does not cascade", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "^ah", ttl: 0},
	}, "", []string{"g", "g", "g"}},
	{"an emptied group that is referred to stays", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "g", ttl: 0},
		{id: "r", into: "^sys", ttl: forever, refs: "g"},
	}, "", []string{"g r", "g r", "g r"}},
	{"an emptied group that is retained stays", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "g", ttl: 0},
	}, "g", []string{"g", "g", "g"}},
	{"a group referred to by a group that goes, goes", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "g", ttl: 1},
		{id: "h", into: "^ah", offset: 2, group: true, ttl: forever, removable: true, refs: "g"},
		{id: "y", into: "h", ttl: 1},
	}, "", []string{"g x h y", "", ""}},
	{"the same the other way round", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true, refs: "h"},
		{id: "x", into: "g", ttl: 1},
		{id: "h", into: "^ah", offset: 2, group: true, ttl: forever, removable: true}, {id: "y", into: "h", ttl: 1},
	}, "", []string{"g x h y", "", ""}},
	{"groups that refer to each other leave together", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true, refs: "h"},
		{id: "x", into: "g", ttl: 1},
		{id: "h", into: "^ah", offset: 2, group: true, ttl: forever, removable: true, refs: "g"},
		{id: "y", into: "h", ttl: 1},
	}, "", []string{"g x h y", "", ""}},
	{"or not at all", []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true, refs: "h"},
		{id: "x", into: "g", ttl: 0},
		{id: "h", into: "^ah", offset: 2, group: true, ttl: forever, removable: true, refs: "g"},
		{id: "y", into: "h", ttl: forever},
	}, "", []string{"g h y", "g h y", "g h y"}},

	{"a core does not expire, what is in it does", []node{
		{id: "core", into: "^ah", group: true, ttl: forever}, {id: "x", into: "^ah", ttl: 1}, {id: "y", into: "^ah", ttl: forever},
	}, "", []string{"core x y", "core y", "core y"}},
	{"expiry may empty a sealed core", []node{
		{id: "core", into: "^ah", group: true, ttl: forever}, {id: "x", into: "^ah", ttl: 1},
	}, "", []string{"core x", "core", "core"}},
}

func TestExpiryCascadesAndHolds(t *testing.T) {
	for _, c := range lives {
		t.Run(c.rule, func(t *testing.T) {
			s := beginCycles(t)
			working := s.add(c.nodes)
			for cycle, want := range c.want {
				left, _ := s.commit(working, commit.Input{Retained: func(id string) bool { return id == c.retain && cycle < 2 }})
				if left != want {
					t.Errorf("snapshot %d: got %q, want %q", cycle+1, left, want)
				}
				working = s.tree.WithCycle(s.stamps.Cycle)
			}
		})
	}
}

// What an imported document may say of them changes nothing: root, regions
// and turns with a core neither expire of themselves nor cascade.
func TestRootRegionsAndCoresStay(t *testing.T) {
	s := beginCycles(t)
	s.add(nil)
	working := s.add([]node{{id: "rule", into: "^sys", ttl: 0}, {id: "core", into: "^ah", group: true, ttl: forever},
		{id: "x", into: "core", ttl: 0}})
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for p := range sure.All(working.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		if c := e.Class(); c.Region() || n.ID == "core" {
			n.Expiry = 0
			n.Headers = []tree.Header{{Name: "removable", Value: "true"}}
		}
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	working, err := tree.Build(1, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := s.commit(working, commit.Input{}); left != "core" {
		t.Errorf("got %q, want core alone", left)
	}
	for _, class := range []tree.Class{tree.Root, tree.Sys, tree.Seq, tree.Head} {
		if s.tree.Region(class) == nil {
			t.Errorf("%s is gone", class)
		}
	}
}

// The report says what went and why, what stayed and who kept it.
func TestReportNamesReasons(t *testing.T) {
	s := beginCycles(t)
	working := s.add([]node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: 0}, {id: "x", into: "g", ttl: forever},
		{id: "r", into: "^sys", ttl: forever, refs: "x"},
		{id: "kept", into: "^ah", ttl: 0}, {id: "gone", into: "^ah", ttl: 0},
		{id: "h", into: "^ah", offset: 2, group: true, ttl: forever, removable: true}, {id: "y", into: "h", ttl: 0},
		{id: "i", into: "^ah", offset: 3, group: true, ttl: forever, removable: true}, {id: "z", into: "i", ttl: 0},
		{id: "q", into: "^sys", ttl: forever, refs: "i"},
	})
	_, report := s.commit(working, commit.Input{Retained: func(id string) bool { return id == "kept" }})
	equal(t, "removed", report.Removed, []lifecycle.Removal{
		{ID: "gone", Reason: lifecycle.Expired}, {ID: "y", Reason: lifecycle.Expired}, {ID: "z", Reason: lifecycle.Expired},
		{ID: "h", Reason: lifecycle.Cascaded},
	})
	equal(t, "held", report.Kept, []lifecycle.Kept{
		{ID: "kept", Reason: lifecycle.Expired, Why: lifecycle.Retained},
		{ID: "g", Reason: lifecycle.Expired, Why: lifecycle.Contains, By: "x"},
		{ID: "x", Reason: lifecycle.Expired, Why: lifecycle.Referenced, By: "r"},
		{ID: "i", Reason: lifecycle.Cascaded, Why: lifecycle.Referenced, By: "q"},
	})
}
