package tree

import (
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
)

// sample is a tree with a block in each region; change may alter the nodes.
func sample(t *testing.T, cycle int64, change func(nodes map[string]*Node)) *Tree {
	t.Helper()
	order := []string{"root", "sys", "seq", "ah", "turn", "rule", "question", "answer", "draft"}
	parents := []int{-1, 0, 0, 0, 2, 1, 4, 4, 3}
	types := []string{"^root", "^sys", "^seq", "^ah", "seg", "block", "block", "block", "block"}
	nodes := map[string]*Node{}
	for i, id := range order {
		n := &Node{ID: id, Type: types[i], CreatedNS: int64(i), Expiry: Never}
		if types[i] == "block" {
			n.Content = InMemory(canon.String("content of " + id))
			n.Headers = []Header{{"kind", `"text"`}, {"role", `"user"`}}
		}
		nodes[id] = n
	}
	if change != nil {
		change(nodes)
	}
	placed := make([]Placed, len(order))
	for i, id := range order {
		placed[i] = Placed{NewNode(*nodes[id], nil), parents[i]}
	}
	tr, err := Build(cycle, placed)
	must(t, err)
	return tr
}

// TestThreadDigestCovers changes one thing at a time: what the thread shows
// changes its digest, and what it does not show leaves it.
func TestThreadDigestCovers(t *testing.T) {
	want := sample(t, 1, nil).ThreadDigest()
	role := func(value canon.Value) func(map[string]*Node) {
		return func(n map[string]*Node) {
			n["answer"].Headers = []Header{{"kind", `"text"`}, {"role", value}}
		}
	}
	shown := map[string]func(map[string]*Node){
		"id":      func(n map[string]*Node) { n["answer"].ID = "reply" },
		"role":    role(`"assistant"`),
		"kind":    func(n map[string]*Node) { n["answer"].Headers[0].Value = `"code"` },
		"no kind": func(n map[string]*Node) { n["answer"].Headers = n["answer"].Headers[1:] },
		"content": func(n map[string]*Node) { n["rule"].Content = InMemory(`"another"`) },
		"order":   func(n map[string]*Node) { n["answer"].CreatedNS = 5 },
		"NaN":     func(n map[string]*Node) { n["draft"].Content = InMemory("NaN") },
	}
	seen := map[Digest]string{want: "nothing"}
	for name, change := range shown {
		d := sample(t, 1, change).ThreadDigest()
		if other, twice := seen[d]; twice {
			t.Errorf("a change of %s gives the digest of a change of %s", name, other)
		}
		seen[d] = name
	}
	hidden := map[string]func(map[string]*Node){
		"priority": func(n map[string]*Node) { n["answer"].Priority = 3 },
		"ttl":      func(n map[string]*Node) { n["rule"].Expiry = 9 },
		"key":      func(n map[string]*Node) { n["rule"].Headers = append(n["rule"].Headers, Header{"key", `"k"`}) },
		"root":     func(n map[string]*Node) { n["root"].Headers = []Header{{"data_x", "1"}} },
	}
	for name, change := range hidden {
		if d := sample(t, 7, change).ThreadDigest(); d != want {
			t.Errorf("a change of %s, which the thread does not show, changes its digest", name)
		}
	}
}

// TestThreadDigestOfRegions: a block without a role is system in ^sys and user
// elsewhere, also where its list was asked for in another region before.
func TestThreadDigestOfRegions(t *testing.T) {
	build := func(region string) *Tree {
		tr := sample(t, 1, nil)
		tr = sure.Get(tr.Patch(1, nil, []Born{
			{Node: NewNode(Node{ID: "group", Type: "cont", Offset: 3, CreatedNS: 20, Expiry: Never}, nil), Parent: "ah"},
			{Node: NewNode(Node{ID: "roleless", Type: "block", CreatedNS: 21, Expiry: Never, Content: InMemory(`"x"`)}, nil),
				Parent: "group"},
		}))
		if region == "ah" {
			return tr
		}
		tr.ThreadDigest() // so that the list that moves has its digest
		return sure.Get(tr.Patch(1, nil, []Born{{Node: sure.Get(tr.Node("group")), Parent: region}}))
	}
	again := func(tr *Tree) *Tree {
		var placed []Placed
		at := map[string]int{"": -1}
		for p := range sure.All(tr.All()) {
			e, parent := p.Entry, p.Parent
			at[e.node.ID] = len(placed)
			placed = append(placed, Placed{e.node, at[parent]})
		}
		fresh, err := Build(1, placed)
		must(t, err)
		return fresh
	}
	digests := map[string]Digest{}
	for _, region := range []string{"ah", "sys"} {
		tr := build(region)
		digests[region] = tr.ThreadDigest()
		if fresh := again(tr).ThreadDigest(); fresh != digests[region] {
			t.Errorf("in %s the digest is %s, made again %s", region, digests[region], fresh)
		}
	}
	if digests["ah"] == digests["sys"] {
		t.Error("a block without a role has the same digest in every region")
	}
}

// TestThreadDigestReadsNoContent: the digest is made of hashes.
func TestThreadDigestReadsNoContent(t *testing.T) {
	tr := sample(t, 1, nil)
	want := tr.ThreadDigest()
	lazy := sample(t, 1, nil)
	var born []Born
	for p := range sure.All(lazy.All()) {
		e, parent := p.Entry, p.Parent
		if e.class != Block {
			continue
		}
		n := *e.node
		n.Content = From(n.Content.Size(), struct{ Source }{}) // to read it is to fail
		n.Headers = append([]Header(nil), n.Headers...)
		n.Priority++ // another version
		born = append(born, Born{Node: NewNode(n, &n.Hash), Parent: parent})
	}
	if got := sure.Get(lazy.Patch(1, nil, born)).ThreadDigest(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(born) != 4 {
		t.Errorf("%d blocks", len(born))
	}
}
