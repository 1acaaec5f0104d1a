package tree_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// shuffled is the document in some order that has parents before children.
func shuffled(t *rapid.T, w *modelTree) []*modelNode {
	ready, done := []*modelNode{w.nodes[w.root()]}, []*modelNode{}
	for len(ready) > 0 {
		i := below(t, len(ready), "next")
		r := ready[i]
		ready = append(append([]*modelNode{}, ready[:i]...), ready[i+1:]...)
		done = append(done, r)
		ready = append(ready, w.kids(r.id)...)
	}
	return done
}

func TestEqualContentsHaveEqualDigestsWhateverTheWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genRun(t).last()
		way, err := tree.Build(v.tree.Cycle(), placed(shuffled(t, v.world)))
		if err != nil {
			t.Fatalf("build: %v", err)
		}
		equal(t, "digest of a shuffled build", way.Digest(), v.digest)

		// The same again with strangers in it that leave one by one.
		more := v.world.frozen()
		var strangers []string
		for _, r := range v.world.document() {
			if c := v.world.class(r.id); c != "block" && c != "^root" && c != "^seq" && rarely(t, 2, "stranger") {
				s := &modelNode{typ: "block", parent: r.id, offset: int64(below(t, 5, "offset") - 2),
					ns: int64(below(t, 2000, "ns")), expiry: never, headers: map[string]any{"refs": []string{"root"}}}
				s.id = "stranger in " + r.id
				more.nodes[s.id] = s
				strangers = append(strangers, s.id)
			}
		}
		more.sorted = nil
		way = built(t, more)
		for _, id := range rapid.Permutation(append(strangers, "")).Draw(t, "leaving") {
			way = sure.Get(way.Without(id))
		}
		equal(t, "digest when strangers came and went", way.Digest(), v.digest)
	})
}

// header names one change to a node, and the change.
var headerChanges = map[string]func(*tree.Node){
	"id":               func(n *tree.Node) { n.ID += "x" },
	"nodeType":         func(n *tree.Node) { n.Type += ":y" },
	"offset":           func(n *tree.Node) { n.Offset++ },
	"priority":         func(n *tree.Node) { n.Priority-- },
	"cycle":            func(n *tree.Node) { n.Cycle++ },
	"created_at_ns":    func(n *tree.Node) { n.CreatedNS++ },
	"created_at_iso":   func(n *tree.Node) { n.ForeignISO = "yesterday" },
	"creation_index":   func(n *tree.Node) { n.Index++ },
	"ttl":              func(n *tree.Node) { n.Expiry = 7 },
	"content":          func(n *tree.Node) { n.Content = tree.InMemory(`"other"`) },
	"content, empty":   func(n *tree.Node) { n.Content = tree.InMemory(`""`) },
	"no content":       func(n *tree.Node) { n.Content = tree.Content{} },
	"role":             func(n *tree.Node) { set(n, "role", `"tool"`) },
	"kind":             func(n *tree.Node) { set(n, "kind", `"k"`) },
	"key":              func(n *tree.Node) { set(n, "key", `"k"`) },
	"tags":             func(n *tree.Node) { set(n, "tags", `["k"]`) },
	"refs":             func(n *tree.Node) { set(n, "refs", `["k"]`) },
	"provenance":       func(n *tree.Node) { set(n, "provenance", `"k"`) },
	"mime":             func(n *tree.Node) { set(n, "mime", `"k"`) },
	"encoding":         func(n *tree.Node) { set(n, "encoding", `"k"`) },
	"pinned":           func(n *tree.Node) { set(n, "pinned", "true") },
	"pinned, false":    func(n *tree.Node) { set(n, "pinned", "false") },
	"removable":        func(n *tree.Node) { set(n, "removable", "true") },
	"custom data_":     func(n *tree.Node) { set(n, "data_a", "1") },
	"custom content_":  func(n *tree.Node) { set(n, "content_a", "1") },
	"custom colon":     func(n *tree.Node) { set(n, "a:b", "1") },
	"foreign":          func(n *tree.Node) { set(n, "speed", "1") },
	"custom, a string": func(n *tree.Node) { set(n, "a:b", `"1"`) },
	"custom, inexpressible": func(n *tree.Node) {
		set(n, "data_a", "NaN")
	},
	"custom, inexpressible and other content": func(n *tree.Node) {
		set(n, "data_a", "NaN")
		n.Content = tree.InMemory(`"other"`)
	},
}

func set(n *tree.Node, name string, v canon.Value) {
	n.Headers = append(append([]tree.Header(nil), n.Headers...), tree.Header{Name: name, Value: v})
}

func TestEveryHeaderIsInTheDigest(t *testing.T) {
	w := newModelTree()
	w.put(&modelNode{id: "a", typ: "block", parent: "sys", expiry: never, content: "hello"})
	nodes := placed(w.document())
	seen := map[tree.Digest]string{built(t, w).Digest(): "nothing"}
	for name, change := range headerChanges {
		for i := range nodes {
			if nodes[i].Node.ID != "a" {
				continue
			}
			n := *nodes[i].Node
			change(&n)
			other := append([]tree.Placed(nil), nodes...)
			other[i].Node = tree.NewNode(n, nil)
			tr, err := tree.Build(1, other)
			must(t, err)
			if twin, taken := seen[tr.Digest()]; taken {
				t.Errorf("changing %s gives the digest of changing %s", name, twin)
			}
			seen[tr.Digest()] = name
		}
	}
}

// Where a node hangs is in the digest as well, and time is not.
func TestPlaceIsInTheDigestAndTimeIsNot(t *testing.T) {
	w := newModelTree()
	w.put(&modelNode{id: "g", typ: "cont", parent: "sys", expiry: 3})
	w.put(&modelNode{id: "a", typ: "block", parent: "sys", expiry: 9})
	one := built(t, w)
	if later := one.WithCycle(5); later.Digest() != one.Digest() {
		t.Errorf("digest at cycle 5: got %v, want %v", later.Digest(), one.Digest())
	}
	w.nodes["a"].parent = "g"
	if moved := built(t, w); moved.Digest() == one.Digest() {
		t.Error("a node under another parent leaves the digest as it was")
	}
}

// What an update takes away leaves no trace behind.
func TestRemovedHeadersLeaveNoTrace(t *testing.T) {
	w := newModelTree()
	tr := built(t, w)
	edit := func(spec tree.Spec, set map[string]any) *tree.Tree {
		x := tree.Edit(background, tr.WithCycle(1), tr, tree.Stamps{Cycle: 1, LastNS: w.last}, w.env())
		spec.ID = "a"
		_, err := x.Add("^sys", spec)
		must(t, err)
		if set != nil {
			must(t, x.Update("a", set))
		}
		return x.Tree()
	}
	full := tree.Spec{Role: "tool", Kind: "k", Key: "k", Tags: []string{"k"}, Refs: []string{"sys"}, Pinned: true,
		Content: "c", TTL: new(int64(1))}
	nothing := map[string]any{"role": nil, "kind": nil, "key": nil, "tags": nil, "refs": nil, "pinned": nil,
		"content": nil, "ttl": nil}
	got, want := edit(full, nothing), edit(tree.Spec{}, nil)
	equal(t, "digest", got.Digest(), want.Digest())
	equal(t, "summary", *got.Root().Summary(), *want.Root().Summary())
	for from := range sure.All(got.Referrers("sys")) {
		t.Errorf("%s still refers to sys", from)
	}
	n := sure.Get(got.Node("a"))
	equal(t, "fields", []any{n.Role, n.Kind, n.Key, n.Tags, n.Refs, n.Pinned}, []any{"", "", "", []string(nil),
		[]string(nil), false})
}
