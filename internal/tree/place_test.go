package tree_test

import (
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// secondCycle is a context in its second cycle, with everything in it that can be
// in the way: earlier nodes in ^sys, a sealed turn, new nodes in ^ah.
type secondCycle struct {
	*tree.Editor
	turn, core string
}

func newSecondCycle(t *testing.T, head ...func(*tree.Editor)) secondCycle {
	t.Helper()
	w := newModelTree()
	tr, stamps, err := tree.New(w.env(), nil)
	must(t, err)
	history := map[string]bool{}
	env := w.env()
	env.Taken = func(id string) (bool, error) { return history[id], nil }
	x := tree.Edit(background, tr.WithCycle(1), tr, stamps, env)
	for _, n := range []struct {
		into, id, typ string
		offset        int64
	}{
		{"^sys", "rule", "block", 0}, {"^sys", "list", "cont", 0}, {"list", "item", "block", 0},
		{"^ah", "ask", "block", 0}, {"^ah", "late", "block", 1}, {"^ah", "box", "cont", 2}, {"box", "inner", "block", 0},
		{"^ah", "gone", "block", -1},
	} {
		_, err = x.Add(n.into, tree.Spec{ID: n.id, NodeType: n.typ, Offset: n.offset})
		must(t, err)
	}
	tr, stamps, err = tree.Seal(x.Tree(), x.Stamps, env)
	must(t, err)
	for e := range sure.All(tr.All()) {
		history[e.Node().ID] = true
	}
	b := secondCycle{Editor: tree.Edit(background, tr.WithCycle(2), tr, stamps, env), core: sure.Get(tr.Parent("ask"))}
	b.turn = sure.Get(tr.Parent(b.core))
	must(t, b.Remove("gone"))
	for _, f := range head {
		f(b.Editor)
	}
	return b
}

const (
	broken = "\xff"
	lonely = "\xed\xa0\x80" // a lone surrogate
)

func TestAddRefusesSpecsThatAreNoNodes(t *testing.T) {
	bad := map[string]tree.Spec{
		"a ttl below 0":                      {TTL: new(int64(-1))},
		"a role that is not canonical":       {Role: "boss"},
		"a type that is not canonical":       {NodeType: "plain"},
		"a type without a name":              {NodeType: "block:"},
		"invalid UTF-8 in the id":            {ID: broken},
		"a lone surrogate in the id":         {ID: lonely},
		"invalid UTF-8 in the type":          {NodeType: "x:" + broken},
		"invalid UTF-8 in the role":          {Role: "x:" + broken},
		"invalid UTF-8 in the kind":          {Kind: broken},
		"invalid UTF-8 in the key":           {Key: broken},
		"invalid UTF-8 in the provenance":    {Provenance: broken},
		"invalid UTF-8 in the mime":          {MIME: broken},
		"invalid UTF-8 in the encoding":      {Encoding: broken},
		"invalid UTF-8 in a tag":             {Tags: []string{"a", broken}},
		"invalid UTF-8 in a ref":             {Refs: []string{broken}},
		"invalid UTF-8 in the content":       {Content: broken},
		"invalid UTF-8 deep in the content":  {Content: map[string]any{"a": []any{broken}}},
		"invalid UTF-8 in an attribute":      {Attrs: map[string]any{"data_a": broken}},
		"invalid UTF-8 in an attribute name": {Attrs: map[string]any{"data_" + broken: 1}},
		"content that JSON has no form for":  {Content: func() {}},
		"an attribute without a namespace":   {Attrs: map[string]any{"speed": 1}},
	}
	for _, name := range []string{
		"id", "nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns", "created_at_iso", "creation_index",
		"content_hash", "role", "kind", "content", "key", "tags", "provenance", "removable", "pinned", "refs", "mime",
		"encoding", "children",
	} {
		bad["the reserved name "+name+" as an attribute"] = tree.Spec{Attrs: map[string]any{name: 1}}
	}
	for rule, spec := range bad {
		t.Run(rule, func(t *testing.T) {
			b := newSecondCycle(t)
			before, stamps := b.Tree().Digest(), b.Stamps
			_, err := b.Add("^sys", spec)
			if got := fault.CodeOf(err); got != fault.DocumentInvalid {
				t.Errorf("got %v\nwant %s", err, fault.DocumentInvalid)
			}
			equal(t, "digest", b.Tree().Digest(), before)
			equal(t, "stamps", b.Stamps, stamps)
		})
	}
	b := newSecondCycle(t)
	if _, err := b.Add("^sys", tree.Spec{TTL: new(int64(never))}); fault.CodeOf(err) != fault.Limit {
		t.Errorf("a ttl beyond the last cycle: got %v, want %s", err, fault.Limit)
	}
}

// A cad is a number of cycles that a header can have, at least 1.
func TestCadIsANumberOfCycles(t *testing.T) {
	env := tree.Env{Bare: true, Vocabulary: tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
		Clock: func() int64 { return 0 }, Taken: func(string) (bool, error) { return false, nil }}
	before, stamps, err := tree.New(env, nil)
	must(t, err)
	for cad, want := range map[int64]fault.Code{-1: fault.PlacementInvalid, 0: fault.PlacementInvalid, 1: "",
		tree.MaxInteger: "", tree.MaxInteger + 1: fault.PlacementInvalid} {
		x := tree.Edit(background, before.WithCycle(stamps.Cycle), before, stamps, env)
		if _, err := x.Add("^ah", tree.Spec{Key: "k", Cad: &cad}); fault.CodeOf(err) != want {
			t.Errorf("a cad of %d: got %v, want %q", cad, err, want)
		}
	}
}
