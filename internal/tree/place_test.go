package tree_test

import (
	"strings"
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
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := x.Add(n.into, tree.Spec{ID: n.id, Type: n.typ, Offset: n.offset}); err != nil {
			t.Fatal(err)
		}
	}
	tr, stamps, err = tree.Seal(x.Tree(), x.Stamps, env)
	if err != nil {
		t.Fatal(err)
	}
	for e := range sure.All(tr.All()) {
		history[e.Node().ID] = true
	}
	b := secondCycle{Editor: tree.Edit(background, tr.WithCycle(2), tr, stamps, env), core: sure.Get(tr.Parent("ask"))}
	b.turn = sure.Get(tr.Parent(b.core))
	if err := b.Remove("gone"); err != nil {
		t.Fatal(err)
	}
	for _, f := range head {
		f(b.Editor)
	}
	return b
}

// elided and explicit are the two ways an active head can have a core.
func elided(x *tree.Editor) {
	x.Add("^ah", tree.Spec{ID: "new"})
	x.Add("^ah", tree.Spec{ID: "after", Offset: 1})
	x.Add("^ah", tree.Spec{ID: "group", Type: "cont", Offset: 2})
	x.Add("group", tree.Spec{ID: "member"})
}

func explicit(x *tree.Editor) {
	x.Add("^ah", tree.Spec{ID: "core", Type: "cont"})
	elided(x)
}

func add(parent string, s tree.Spec) func(secondCycle) error {
	return func(b secondCycle) error { _, err := b.Add(b.name(parent), s); return err }
}

func move(id, parent string, offset int64) func(secondCycle) error {
	return func(b secondCycle) error { _, err := b.Move(b.name(id), b.name(parent), offset); return err }
}

func remove(id string) func(secondCycle) error {
	return func(b secondCycle) error { return b.Remove(b.name(id)) }
}

func update(id, name string, v any) func(secondCycle) error {
	return func(b secondCycle) error { return b.Update(b.name(id), map[string]any{name: v}) }
}

func addAt(g tree.Gap, s tree.Spec) func(secondCycle) error {
	return func(b secondCycle) error { g.Parent = b.name(g.Parent); _, err := b.AddAt(g, s); return err }
}

func moveAt(id string, g tree.Gap) func(secondCycle) error {
	return func(b secondCycle) error { g.Parent = b.name(g.Parent); _, err := b.MoveAt(id, g); return err }
}

func reorder(ids ...string) func(secondCycle) error {
	return func(b secondCycle) error { return b.Reorder(ids...) }
}

// name puts the generated ids in: TURN and CORE of the sealed turn, AH.
func (b secondCycle) name(s string) string {
	switch s {
	case "TURN":
		return b.turn
	case "CORE":
		return b.core
	case "AH":
		return b.Tree().Region(tree.Head).Node().ID
	}
	return s
}

var cont = tree.Spec{Type: "cont"}

var refusals = []struct {
	rule string
	head func(*tree.Editor)
	do   func(secondCycle) error
	code fault.Code
	node string // "" where no node is named
}{
	{"a second core beside an elided one", elided, add("^ah", cont), fault.PlacementInvalid, "AH"},
	{"a second core beside an explicit one", explicit, add("^ah", cont), fault.PlacementInvalid, "AH"},
	{"a second core by moving a group", elided, move("group", "^ah", 0), fault.PlacementInvalid, "AH"},
	{"a second core by updating the offset of a group", explicit, update("group", "offset", 0), fault.PlacementInvalid,
		"AH"},
	{"a second core in a sealed turn", nil, add("TURN", cont), fault.Sealed, "TURN"},
	{"a removable core", nil, add("^ah", tree.Spec{Type: "cont", Removable: true}), fault.PlacementInvalid, "AH"},
	{"a removable block", nil, add("^sys", tree.Spec{Removable: true}), fault.PlacementInvalid, "sys"},
	{"an update that moves a block into the core", explicit, update("after", "offset", 0), fault.PlacementInvalid,
		"after"},

	{"a fourth region", nil, add("^root", tree.Spec{}), fault.PlacementInvalid, "root"},
	{"a second ^sys", nil, add("^root", tree.Spec{Type: "^sys"}), fault.PlacementInvalid, ""},
	{"a second ^ah", nil, add("^sys", tree.Spec{Type: "^ah"}), fault.PlacementInvalid, ""},
	{"a second ^seq of a type of its own", nil, add("^sys", tree.Spec{Type: "^seq:2"}), fault.PlacementInvalid, ""},
	{"a turn outside ^seq", nil, add("^sys", tree.Spec{Type: "seg"}), fault.PlacementInvalid, ""},
	{"a turn made by hand", nil, add("^seq", tree.Spec{Type: "mt:mine"}), fault.PlacementInvalid, ""},
	{"a block in ^seq", nil, add("^seq", tree.Spec{}), fault.PlacementInvalid, "seq"},
	{"a node moved to ^seq", elided, move("after", "^seq", 1), fault.PlacementInvalid, "seq"},
	{"a node moved to the root", elided, move("after", "^root", 1), fault.PlacementInvalid, "root"},
	{"a child of a block", nil, add("rule", tree.Spec{}), fault.PlacementInvalid, "rule"},
	{"a child of a block, by a gap", nil, addAt(tree.Gap{Parent: "rule"}, tree.Spec{}), fault.PlacementInvalid, "rule"},
	{"a child of a block, by a move", elided, move("after", "new", 0), fault.PlacementInvalid, "new"},

	{"removing the root", nil, remove("root"), fault.PlacementInvalid, "root"},
	{"removing ^sys", nil, remove("sys"), fault.PlacementInvalid, "sys"},
	{"removing ^seq", nil, remove("seq"), fault.PlacementInvalid, "seq"},
	{"removing ^ah", nil, remove("AH"), fault.PlacementInvalid, "AH"},
	{"moving ^ah", nil, move("AH", "^sys", 0), fault.PlacementInvalid, "AH"},
	{"moving the root", nil, move("root", "^sys", 0), fault.PlacementInvalid, "root"},
	{"updating a region", nil, update("sys", "priority", 1), fault.Sealed, "sys"},
	{"moving a turn", nil, move("TURN", "^sys", 0), fault.PlacementInvalid, "TURN"},
	{"removing a turn", nil, remove("TURN"), fault.Sealed, "TURN"},
	{"updating a turn", nil, update("TURN", "data_x", 1), fault.Sealed, "TURN"},
	{"a node moved into itself", elided, move("group", "group", 0), fault.PlacementInvalid, "group"},
	{"a node moved below itself", elided, func(b secondCycle) error {
		if _, err := b.Add("group", tree.Spec{ID: "deeper", Type: "cont"}); err != nil {
			return err
		}
		_, err := b.Move("group", "deeper", 0)
		return err
	}, fault.PlacementInvalid, "group"},
	{"a core moved into itself", explicit, moveAt("core", tree.Gap{Parent: "AH", Core: true}), fault.PlacementInvalid,
		"core"},

	{"adding at offset 0 of a sealed turn", nil, add("TURN", tree.Spec{}), fault.Sealed, "TURN"},
	{"adding to a sealed core", nil, add("CORE", tree.Spec{Offset: 3}), fault.Sealed, "CORE"},
	{"adding to a gap in a sealed core", nil, addAt(tree.Gap{Parent: "TURN", Core: true, Edge: tree.End}, tree.Spec{}),
		fault.Sealed, "CORE"},
	{"moving into a sealed core", elided, move("after", "CORE", 0), fault.Sealed, "CORE"},
	{"removing a sealed core", nil, remove("CORE"), fault.Sealed, "CORE"},
	{"removing from a sealed core", nil, remove("ask"), fault.Sealed, "ask"},
	{"moving out of a sealed core", nil, move("ask", "^sys", 0), fault.Sealed, "ask"},
	{"updating a sealed core", nil, update("ask", "content", "no"), fault.Sealed, "ask"},
	{"updating what is attached to a sealed turn", nil, update("late", "priority", 1), fault.Sealed, "late"},
	{"reordering a sealed turn", nil, reorder("late"), fault.Sealed, "late"},
	{"a gap before an earlier node", nil, addAt(tree.Gap{Parent: "^sys"}, tree.Spec{}), fault.Sealed, "rule"},
	{"a gap after an earlier node before another", nil, addAt(tree.Gap{Parent: "^sys", Edge: tree.After, N: 1},
		tree.Spec{}), fault.Sealed, "list"},
	{"a move before an earlier node", elided, moveAt("after", tree.Gap{Parent: "box"}), fault.Sealed, "inner"},
	{"the role of an earlier node of ^sys", nil, update("rule", "role", "user"), fault.Sealed, "rule"},
	{"the ttl of an earlier node of ^sys", nil, update("rule", "ttl", 1), fault.Sealed, "rule"},
	{"the offset of an earlier node of ^sys", nil, update("rule", "offset", 1), fault.Sealed, "rule"},
	{"the refs of an earlier node of ^sys", nil, update("rule", "refs", nil), fault.Sealed, "rule"},
	{"the pin of an earlier node of ^sys", nil, update("rule", "pinned", true), fault.Sealed, "rule"},

	{"a gap that is not there", nil, addAt(tree.Gap{Parent: "^sys", Edge: tree.After, N: 3}, tree.Spec{}),
		fault.PlacementInvalid, "sys"},
	{"a gap before child 0", nil, addAt(tree.Gap{Parent: "^sys", Edge: tree.Before}, tree.Spec{}), fault.PlacementInvalid,
		"sys"},
	{"the core of what has none", nil, addAt(tree.Gap{Parent: "^sys", Core: true}, tree.Spec{}), fault.PlacementInvalid,
		"sys"},
	{"reordering over parents", elided, reorder("new", "member"), fault.PlacementInvalid, "member"},
	{"reordering over offsets", elided, reorder("new", "after"), fault.PlacementInvalid, "after"},
	{"reordering one node twice", elided, reorder("new", "new"), fault.PlacementInvalid, "new"},

	{"adding to nobody", nil, add("nobody", tree.Spec{}), fault.NodeNotFound, "nobody"},
	{"adding to a region of a name of its own", nil, add("^sys:2", tree.Spec{}), fault.NodeNotFound, "^sys:2"},
	{"updating nobody", nil, update("nobody", "content", 1), fault.NodeNotFound, "nobody"},
	{"removing nobody", nil, remove("nobody"), fault.NodeNotFound, "nobody"},
	{"removing what was removed", nil, remove("gone"), fault.NodeNotFound, "gone"},
	{"moving nobody", nil, move("nobody", "^sys", 0), fault.NodeNotFound, "nobody"},
	{"moving to nobody", elided, move("new", "nobody", 0), fault.NodeNotFound, "nobody"},
	{"moving nobody to a gap", nil, moveAt("nobody", tree.Gap{Parent: "^ah"}), fault.NodeNotFound, "nobody"},
	{"reordering nobody", elided, reorder("new", "nobody"), fault.NodeNotFound, "nobody"},

	{"an id that is there", nil, add("^sys", tree.Spec{ID: "ask"}), fault.NodeDuplicate, "ask"},
	{"an id of the history", nil, add("^sys", tree.Spec{ID: "gone"}), fault.NodeDuplicate, "gone"},
	{"an id of this batch", elided, add("^sys", tree.Spec{ID: "new"}), fault.NodeDuplicate, "new"},
	{"an id over 1 KiB", nil, add("^sys", tree.Spec{ID: strings.Repeat("x", 1025)}), fault.Limit, strings.Repeat("x", 32) +
		"…"},
	{"a generated id over 1 KiB", nil, add("^sys", tree.Spec{Type: "x:" + strings.Repeat("y", 1024)}), fault.Limit,
		"x:" + strings.Repeat("y", 30) + "…"},
}

func TestEditsRefuseWithCodeAndNode(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.rule, func(t *testing.T) {
			if c.head == nil {
				c.head = func(*tree.Editor) {}
			}
			b := newSecondCycle(t, c.head)
			before, stamps := b.Tree().Digest(), b.Stamps
			node := b.name(c.node)
			err := c.do(b)
			if e := faultOf(err); e.Code != c.code || e.Node != node {
				t.Errorf("got %v\nwant %s on node %q", err, c.code, node)
			}
			if c.rule == "a node moved below itself" {
				return // its own preparation stays
			}
			equal(t, "digest", b.Tree().Digest(), before)
			equal(t, "stamps", b.Stamps, stamps)
		})
	}
}

const (
	broken = "\xff"
	lonely = "\xed\xa0\x80" // a lone surrogate
)

func TestAddRefusesSpecsThatAreNoNodes(t *testing.T) {
	bad := map[string]tree.Spec{
		"a ttl below 0":                      {TTL: tree.TTL(-1)},
		"a role that is not canonical":       {Role: "boss"},
		"a type that is not canonical":       {Type: "plain"},
		"a type without a name":              {Type: "block:"},
		"invalid UTF-8 in the id":            {ID: broken},
		"a lone surrogate in the id":         {ID: lonely},
		"invalid UTF-8 in the type":          {Type: "x:" + broken},
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
	if _, err := b.Add("^sys", tree.Spec{TTL: tree.TTL(never)}); fault.CodeOf(err) != fault.Limit {
		t.Errorf("a ttl beyond the last cycle: got %v, want %s", err, fault.Limit)
	}
}
