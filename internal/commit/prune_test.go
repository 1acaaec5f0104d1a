package commit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// history is three sealed turns t1 t2 t3 (as the cases call them), each with
// the core block ask1 ask2 ask3 and the block late1 late2 late3 behind it, and
// two rules in ^sys: 2 + 3·3 nodes, and 12 with the core of the turn to come.
func history(t *testing.T) *cycles {
	t.Helper()
	s := beginCycles(t)
	for _, n := range []string{"1", "2", "3"} {
		nodes := []node{{id: "ask" + n, into: "^ah", ttl: forever}, {id: "late" + n, into: "^ah", offset: 1, ttl: forever}}
		if n == "1" {
			nodes = append(nodes, node{id: "rule1", into: "^sys", ttl: forever}, node{id: "rule2", into: "^sys", ttl: forever})
		}
		s.commit(s.add(nodes), commit.Input{})
	}
	return s
}

var prunings = []struct {
	rule    string
	nodes   []node // what cycle 4 adds
	refs    string // "a>b": ids of ^sys nodes added that refer to older ones
	budget  int
	protect int
	named   string
	retain  string
	gone    string // of all ids, in document order
}{
	{rule: "no policy prunes nothing"},
	{rule: "a budget that is kept prunes nothing", budget: 12},
	{rule: "the oldest candidate goes first", budget: 11, gone: "late1"},
	{rule: "then the turn around it, sealed after it came", budget: 10, gone: "ask1 late1"},
	{rule: "as much as the budget needs and no more", budget: 8, gone: "ask1 late1 late2"},
	{rule: "a turn goes with what was attached to it later",
		nodes: []node{{id: "note", into: "t1", offset: 2, ttl: forever}}, budget: 11, gone: "ask1 late1 note"},
	{rule: "^sys is never taken, and counts", budget: 1, gone: "ask1 late1 ask2 late2 ask3 late3"},
	{rule: "the most recent turns stay", budget: 1, protect: 2, gone: "ask1 late1"},
	{rule: "more turns protected than there are", budget: 1, protect: 9},
	{rule: "low priority goes before age", nodes: []node{{id: "low", into: "^ah", offset: 1, ttl: forever, priority: -1}},
		budget: 12, gone: "low"},
	{rule: "high priority outlives what is younger", nodes: []node{{id: "old", into: "^ah", offset: 1, ttl: forever,
		priority: 9}, {id: "young", into: "^ah", offset: 1, ttl: forever}}, budget: 13, protect: 3, gone: "young"},
	{rule: "what is behind the core of ^ah is a candidate, the core is not",
		nodes: []node{{id: "new", into: "^ah", ttl: forever, priority: -9}, {id: "behind", into: "^ah", offset: 1,
			ttl: forever, priority: -1}}, budget: 13, gone: "behind"},
	{rule: "a pinned node stays", nodes: []node{{id: "pin", into: "^ah", offset: 1, ttl: forever, priority: -1,
		pinned: true}}, budget: 12, gone: "late1"},
	{rule: "a pinned node keeps its turn", nodes: []node{{id: "pin", into: "t1", offset: 1, ttl: forever, pinned: true}},
		budget: 1, gone: "late1 ask2 late2 ask3 late3"},
	{rule: "a retained node stays", retain: "late1", budget: 11, gone: "late2"},
	{rule: "a referenced node stays", nodes: []node{{id: "r", into: "^sys", ttl: forever, refs: "late1"}}, budget: 12,
		gone: "late2"},
	{rule: "a referenced core keeps its turn", nodes: []node{{id: "r", into: "^sys", ttl: forever, refs: "ask1"}},
		budget: 9, gone: "late1 ask2 late2"},
	{rule: "a node is free when its referrer went", nodes: []node{{id: "r", into: "^ah", offset: 1, ttl: forever,
		refs: "late1"}}, budget: 5, gone: "late1 ask2 late2 ask3 late3 r"},
	{rule: "nodes that refer to each other are one unit", nodes: []node{
		{id: "call", into: "^ah", offset: 1, ttl: forever, priority: 1, refs: "result"}, {id: "result", into: "^ah",
			offset: 2, ttl: forever, priority: -1, refs: "call"},
	}, budget: 13, gone: "call result"},
	{rule: "a unit with a pinned node stays", nodes: []node{
		{id: "call", into: "^ah", offset: 1, ttl: forever, priority: -1, refs: "result"}, {id: "result", into: "^ah",
			offset: 2, ttl: forever, priority: -1, refs: "call", pinned: true},
	}, budget: 13, gone: "late1"},
	{rule: "a unit with a node of ^sys stays", nodes: []node{
		{id: "call", into: "^ah", offset: 1, ttl: forever, priority: -1, refs: "rule3"}, {id: "rule3", into: "^sys",
			ttl: forever, refs: "call"},
	}, budget: 13, gone: "late1"},
	{rule: "a unit with part of the core of ^ah stays", nodes: []node{
		{id: "call", into: "^ah", ttl: forever, refs: "result"}, {id: "result", into: "^ah", offset: 1, ttl: forever,
			priority: -1, refs: "call"},
	}, budget: 13, gone: "late1"},

	{rule: "what is named goes without a budget", named: "late2", gone: "late2"},
	{rule: "a turn that is named", named: "t2", gone: "ask2 late2"},
	{rule: "a turn and what is in it", named: "late2 t2", gone: "ask2 late2"},
	{rule: "^sys when named", named: "rule1", gone: "rule1"},
	{rule: "named twice", named: "rule1 rule1", gone: "rule1"},
	{rule: "named and protected by age", named: "late3 late1", protect: 1, gone: "late1"},
	{rule: "named and retained", named: "late3 late1", retain: "late3", gone: "late1"},
	{rule: "named and referenced", nodes: []node{{id: "r", into: "^sys", ttl: forever, refs: "late3"}},
		named: "late3 late1", gone: "late1"},
	{rule: "named with its referrer", nodes: []node{{id: "r", into: "^sys", ttl: forever, refs: "late3"}},
		named: "late3 r", gone: "late3 r"},
	{rule: "named, then a budget", named: "late3", budget: 10, gone: "late1 late3"},

	{rule: "an emptied group goes along and counts", nodes: []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "g", ttl: forever,
			priority: -1},
	}, budget: 12, gone: "g x"},
	{rule: "an emptied group that stays counts", nodes: []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever}, {id: "x", into: "g", ttl: forever, priority: -1},
	}, budget: 12, gone: "late1 x"},
	{rule: "an emptied group that is held goes with its holder", nodes: []node{
		{id: "g", into: "^ah", offset: 1, group: true, ttl: forever, removable: true}, {id: "x", into: "g", ttl: 0},
		{id: "r", into: "^ah", offset: 1, ttl: forever, priority: -1, refs: "g"},
	}, budget: 12, gone: "g x r"},
	{rule: "a turn is free when the groups that tied it to another went", nodes: []node{
		{id: "g", into: "t1", offset: 2, group: true, ttl: forever, removable: true, refs: "h"},
		{id: "x", into: "g", ttl: forever, priority: 1},
		{id: "h", into: "t3", offset: 2, group: true, ttl: forever, removable: true, refs: "g"}, {id: "y", into: "h", ttl: 0},
	}, budget: 9, protect: 2, gone: "late1 x g h y ask1"},
	{rule: "expiry comes before pruning", nodes: []node{{id: "x", into: "^ah", offset: 1, ttl: 0}}, budget: 12, gone: "x"},
	{rule: "what expiry frees is free to prune", nodes: []node{{id: "r", into: "^ah", offset: 1, ttl: 0, refs: "late1"}},
		budget: 11, gone: "late1 r"},
}

func TestPruningTakesCandidatesInOrder(t *testing.T) {
	for _, c := range prunings {
		t.Run(c.rule, func(t *testing.T) {
			s := history(t)
			for i := range c.nodes {
				c.nodes[i].into = s.name(c.nodes[i].into)
			}
			working := s.add(c.nodes)
			var named []string
			for _, id := range strings.Fields(c.named) {
				named = append(named, s.name(id))
			}
			left, report := s.commit(working, commit.Input{
				Policy:   lifecycle.Policy{MaxNodes: c.budget, ProtectTurns: c.protect},
				Prune:    named,
				Retained: func(id string) bool { return id == c.retain },
			})
			var gone []string
			for e := range sure.All(working.All()) {
				if id := e.Node().ID; strings.Contains(" "+strings.Join(s.ids, " ")+" ", " "+id+" ") && !sure.Get(s.tree.Has(id)) {
					gone = append(gone, id)
				}
			}
			equal(t, "gone", sorted(gone), sorted(strings.Fields(c.gone)))
			sum := s.tree.Root().Summary()
			if over := c.budget > 0 && sum.Blocks+sum.Containers > c.budget; over != (report.Budget != "") {
				t.Errorf("%d nodes of %d, left %q: got the report %q", sum.Blocks+sum.Containers, c.budget, left, report.Budget)
			}
		})
	}
}

// Candidates of one priority and one instant go by id.
func TestPruningBreaksTiesByID(t *testing.T) {
	w := beginCycles(t)
	tied := w.add([]node{{id: "b", into: "^ah", offset: 1, ttl: forever}, {id: "a", into: "^ah", offset: 2, ttl: forever}})
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for p := range sure.All(tied.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		n.CreatedNS = 7
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	tied, err := tree.Build(1, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := w.commit(tied, commit.Input{Policy: lifecycle.Policy{MaxNodes: 2}}); left != "b" {
		t.Errorf("got %q left, want b", left)
	}
}

// The root may refer to a node, in an imported document, and the node to the
// root. Nothing can go with the root, so the node stays.
func TestNobodyGoesWithTheRoot(t *testing.T) {
	s := beginCycles(t)
	working := s.add([]node{{id: "x", into: "^ah", offset: 1, ttl: forever, refs: "root"},
		{id: "y", into: "^ah", offset: 1, ttl: forever}})
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for p := range sure.All(working.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		if parent == "" {
			n.Headers = []tree.Header{{Name: "refs", Value: `["x"]`}}
		}
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	working, err := tree.Build(1, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := s.commit(working, commit.Input{Policy: lifecycle.Policy{MaxNodes: 1}}); left != "x" {
		t.Errorf("got %q left, want x", left)
	}
}

// A commit that cannot be made is not made at all.
func TestFailedCommitLeavesNothingBehind(t *testing.T) {
	for _, c := range []struct {
		rule, named string
		taken       error
		code        fault.Code
		node        string
	}{
		{"pruning nobody", "late1 nobody", nil, fault.NodeNotFound, "nobody"},
		{"pruning a core", "late1 CORE", nil, fault.PlacementInvalid, "CORE"},
		{"pruning part of a core", "ask1", nil, fault.PlacementInvalid, "ask1"},
		{"pruning a region", "sys", nil, fault.PlacementInvalid, "sys"},
		{"pruning the root", "root", nil, fault.PlacementInvalid, "root"},
		{"pruning a group", "group", nil, fault.PlacementInvalid, "group"},
		{"a history that cannot be asked", "late1", fault.New(fault.Store, "away", ""), fault.Store, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := history(t)
			working := s.add([]node{{id: "x", into: "^ah", ttl: 0}, {id: "group", into: "^sys", group: true, ttl: forever}})
			core := sure.Get(s.tree.Parent("ask1"))
			in := commit.Input{Working: working, Stamps: s.stamps, Env: s.env,
				Prune: strings.Fields(strings.ReplaceAll(c.named, "CORE", core))}
			in.Stamps.Given = 99
			in.Env.Taken = func(string) (bool, error) { return false, c.taken }
			before := working.Digest()
			tr, stamps, report, err := commit.Run(context.Background(), in)
			e, _ := err.(*fault.Error)
			if e == nil || e.Code != c.code || e.Node != strings.ReplaceAll(c.node, "CORE", core) {
				t.Errorf("got %v\nwant %s on node %q", err, c.code, c.node)
			}
			if tr != nil || len(report.Removed) > 0 || len(report.Kept) > 0 {
				t.Errorf("a tree %v and a report %+v came with the error", tr != nil, report)
			}
			equal(t, "stamps", stamps, in.Stamps)
			equal(t, "digest of the input", working.Digest(), before)
		})
	}
}

// TestLimitsAreKeptApart has two limits whose names differ in where they are cut.
func TestLimitsAreKeptApart(t *testing.T) {
	s := beginCycles(t)
	working := s.edit(func(x *tree.Editor) error {
		specs := []tree.Spec{{Kind: "a"}, {Kind: "c", Tags: []string{"b\x00"}}}
		for range 40 {
			specs = append(specs, tree.Spec{Kind: "a\x00b"})
		}
		for _, spec := range specs {
			if _, err := x.Add("^sys", spec); err != nil {
				return err
			}
		}
		return nil
	})
	policy := lifecycle.Policy{Parts: []lifecycle.Part{{Kind: "a\x00b", MaxNodes: 40}, {Kind: "a", Tag: "b\x00",
		MaxNodes: 1}}}
	if _, report := s.commit(working, commit.Input{Policy: policy}); report.Budget != "" {
		t.Error(report.Budget)
	}
}

func TestStubsAreText(t *testing.T) {
	policy := lifecycle.Policy{MaxNodes: 1, Stub: "caf\xe9"}
	if err := policy.Check(); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("a stub that is no UTF-8: %v", err)
	}
}

// A limit on ^sys takes a block elsewhere whose removal takes along a group in ^sys,
// if that block is the first candidate that helps.
func TestALimitOnSysTakesWhatTakesAGroupThereAlong(t *testing.T) {
	for _, region := range [...]string{"^ah", "^seq"} {
		s := beginCycles(t)
		working := s.add([]node{
			{id: "older", into: "^ah", offset: 1, ttl: forever, refs: "group"},
			{id: "group", into: "^sys", offset: 1, group: true, ttl: forever, removable: true, refs: "older"},
			{id: "newer", into: "^sys", ttl: forever},
		})
		if region == "^seq" {
			s.commit(working, commit.Input{})
			working = s.tree.WithCycle(s.stamps.Cycle)
		}
		left, _ := s.commit(working, commit.Input{
			Policy: lifecycle.Policy{Parts: []lifecycle.Part{{Region: "^sys", MaxNodes: 1}}},
		})
		equal(t, "left with the block in "+region, left, "newer")
	}
}
