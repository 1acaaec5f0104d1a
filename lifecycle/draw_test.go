package lifecycle_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

var words = tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}

func env(now int64) tree.Env {
	return tree.Env{Vocabulary: words, Clock: func() int64 { return now }, Taken: func(string) (bool, error) { return false, nil }}
}

// now is the cycle of the commits over drawn trees.
const now = 20

// sketch is a tree being drawn.
type sketch struct {
	*rand.Rand
	nodes  []tree.Node
	parent []int
	finite int // how many more nodes may expire: the model tries every subset
	groups int // and how many more groups may be removable
}

func (s *sketch) put(parent int, typ string, offset int64) int {
	n := tree.Node{ID: fmt.Sprint(strings.TrimPrefix(typ, "^"), len(s.nodes)), Type: typ, Offset: offset, Expiry: tree.Never}
	n.Priority = int64(s.Intn(3))
	if n.CreatedNS = int64(len(s.nodes)); typ == "block" {
		n.CreatedNS = int64(s.Intn(6)) // ties on purpose
	}
	if s.Intn(5) == 0 && s.finite > 0 && typ != "^ah" {
		n.Expiry = now - 3 + int64(s.Intn(6))
		s.finite--
	}
	s.nodes, s.parent = append(s.nodes, n), append(s.parent, parent)
	return len(s.nodes) - 1
}

func (s *sketch) set(i int, name string, v canon.Value) {
	s.nodes[i].Headers = append(s.nodes[i].Headers, tree.Header{Name: name, Value: v})
}

func (s *sketch) group(parent int, offset int64, depth int) {
	g := s.put(parent, "cont", offset)
	if s.Intn(3) > 0 && s.groups > 0 {
		s.set(g, "removable", canon.True)
		s.groups--
	}
	for range s.Intn(3) {
		s.put(g, "block", int64(s.Intn(2)))
	}
	if depth > 0 && s.Intn(3) == 0 {
		s.group(g, 0, depth-1)
	}
}

func (s *sketch) exchange(turn int) {
	if s.Intn(3) > 0 {
		core := s.put(turn, "cont", 0)
		for range s.Intn(3) {
			s.put(core, "block", 0)
		}
	} else if s.Intn(2) == 0 {
		s.put(turn, "block", 0) // an elided core
	}
	for range s.Intn(3) {
		s.put(turn, "block", int64(s.Intn(2)*2-1))
	}
	if s.Intn(2) == 0 {
		s.group(turn, 1, 2)
	}
}

// refer draws references, one in two answered.
func (s *sketch) refer() {
	refs := make([][]string, len(s.nodes))
	for range s.Intn(len(s.nodes)/2 + 1) {
		a, b := s.Intn(len(s.nodes)), s.Intn(len(s.nodes))
		refs[a] = append(refs[a], s.nodes[b].ID)
		if s.Intn(2) == 0 {
			refs[b] = append(refs[b], s.nodes[a].ID)
		}
	}
	for i, list := range refs {
		if len(list) > 0 {
			s.set(i, "refs", canon.Strings(list))
		}
	}
}

// draw is a working state of cycle now with whatever a commit has to decide
// on in it, and a commit to make of it.
func draw(rng *rand.Rand) lifecycle.Input {
	for {
		if in := drawAny(rng); len(model(in).due(now)) <= 12 {
			return in // for more, trying every subset takes too long
		}
	}
}

func drawAny(rng *rand.Rand) lifecycle.Input {
	s := &sketch{Rand: rng, finite: 5, groups: 8}
	root := s.put(-1, "^root", 0)
	sys := s.put(root, "^sys", 0)
	for range s.Intn(3) {
		s.put(sys, "block", 0)
	}
	if s.Intn(2) == 0 {
		s.group(sys, 1, 1)
	}
	seq := s.put(root, "^seq", 0)
	for range s.Intn(4) {
		s.exchange(s.put(seq, "seg", 0))
	}
	s.exchange(s.put(root, "^ah", 0))
	s.refer()
	var placed []tree.Placed
	retained := map[string]bool{}
	for i, n := range s.nodes {
		if s.Intn(15) == 0 {
			s.set(i, "pinned", canon.True)
			n = s.nodes[i]
		}
		if s.Intn(20) == 0 {
			retained[n.ID] = true
		}
		placed = append(placed, tree.Placed{Node: tree.NewNode(n, nil), Parent: s.parent[i]})
	}
	t, err := tree.Build(now, placed)
	if err != nil {
		panic(err)
	}
	in := lifecycle.Input{
		Working:  t,
		Stamps:   tree.Stamps{Cycle: now, LastNS: 1000, Next: 3, Given: -1},
		Env:      env(500),
		Retained: func(id string) bool { return retained[id] },
	}
	if s.Intn(3) > 0 {
		in.Policy = lifecycle.Policy{MaxNodes: s.Intn(25), ProtectTurns: s.Intn(3)}
	}
	p := pruner{run: model(in), named: map[string]bool{}}
	due := p.due(now)
	for _, id := range p.list(func(i *item) bool { return i.class == "block" || i.class == "turn" }) {
		if p.named[id] = true; s.Intn(8) == 0 && p.candidate(id) && !slices.Contains(due, id) {
			in.Prune = append(in.Prune, id)
		}
	}
	return in
}

// model is the model of an input, nothing done yet.
func model(in lifecycle.Input) *run {
	r := &run{bag: read(in.Working), retained: map[string]bool{}, lost: map[string]bool{}, removed: map[string]string{}}
	for id := range r.bag {
		r.retained[id] = in.Retained != nil && in.Retained(id)
	}
	return r
}

// show prints a tree for failure messages.
func show(t *tree.Tree) string {
	var b strings.Builder
	r := read(t)
	for _, id := range r.list(func(*item) bool { return true }) {
		i := r[id]
		fmt.Fprintf(&b, "%s%s %s offset %d priority %d ns %d expiry %d removable %v pinned %v refs %q\n",
			strings.Repeat("  ", len(r.path(id))), id, i.class, i.offset, i.priority, i.ns, i.expiry, i.removable, i.pinned, i.refs)
	}
	return b.String()
}

func sorted(ids []string) []string {
	slices.Sort(ids)
	return ids
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}
