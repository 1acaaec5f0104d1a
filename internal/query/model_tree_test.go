package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// snapshotCycle is the cycle of the random trees.
const snapshotCycle = 5

// sketch is a random tree being drawn, as a lenient reader may meet one: turns
// with explicit, elided, empty and even doubled cores, groups, user types,
// both vocabularies, keys and kinds that several nodes share, and now and then
// nodes where none belong: turns in groups, blocks with children, anything in
// the root.
type sketch struct {
	*rand.Rand
	nodes []tree.Placed
	stray bool // put nodes where none belong
	width int  // how many times more siblings than usual, for lists that the engine can pass over in runs
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// one is true once in n times.
func one(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// zeros make a number longer than anything but exact arithmetic takes.
var zeros = strings.Repeat("0", 420)

var (
	roles    = []string{"user", "user", "assistant", "tool", "system", ""}
	kinds    = []string{"text", "text", "call", "summary", "group", "plan", ""}
	keys     = []string{"K", "K", "L", "hero banner", "n9", "n12"}
	tags     = []string{"a", "b", "c", "to do", "7"}
	contents = []canon.Value{`"hello"`, `"5"`, `"12.50"`, `"true"`, `""`, "5", "-3.5", "12.5", "1e+16", "true", "false",
		`["a",1]`, `{"k":5}`, "18446744073709551617", `".5"`, `"5."`, "1e-07", "1e+23", `"1e999"`, `"007"`,
		canon.Value("5" + zeros)}
	ids = []string{"a b", "x:first", "it's", "größe", "K", "L", "block:3-1", "12"}
)

// headers draws what a node may have beside its mandatory headers.
func (s *sketch) headers() (list []tree.Header) {
	set := func(often int, name string, value canon.Value) {
		if one(s.Rand, often) {
			list = append(list, tree.Header{Name: name, Value: value})
		}
	}
	if !one(s.Rand, 3) {
		set(1, "role", canon.String(pick(s.Rand, roles...)))
	}
	set(3, "kind", canon.String(pick(s.Rand, kinds...)))
	set(3, "key", canon.String(pick(s.Rand, keys...)))
	if one(s.Rand, 3) {
		words := []string{pick(s.Rand, tags...)}
		if one(s.Rand, 2) {
			words = append(words, pick(s.Rand, tags...))
		}
		set(1, "tags", canon.Strings(words))
	}
	set(6, "refs", canon.Strings([]string{fmt.Sprint("n", s.IntN(20)), "elsewhere"}))
	set(8, "pinned", canon.True)
	set(8, "mime", canon.String("text/plain"))
	set(3, "data_x", pick(s.Rand, contents...))
	set(5, "my:note", pick(s.Rand, contents...))
	return list
}

// put draws a node.
func (s *sketch) put(parent int, typ string, offset int64) int {
	n := tree.Node{
		ID: fmt.Sprint("n", len(s.nodes)), Type: typ, Offset: offset, Expiry: tree.Never,
		Priority: int64(s.IntN(4) - 1), Cycle: int64(s.IntN(snapshotCycle + 1)),
		CreatedNS: int64(s.IntN(6)), Index: int64(s.IntN(4)), Headers: s.headers(),
	}
	if one(s.Rand, 12) {
		n.CreatedNS += 1 << 60 // beyond what a float keeps apart
	}
	if one(s.Rand, 20) {
		n.ForeignISO = "1970-01-01T00:00:00Z"
	}
	if one(s.Rand, 4) {
		n.Expiry = snapshotCycle - 1 + int64(s.IntN(4))
	}
	if one(s.Rand, 2) {
		n.Content = stored(pick(s.Rand, contents...), one(s.Rand, 2))
	}
	if name := pick(s.Rand, ids...); one(s.Rand, 8) && !s.has(name) {
		n.ID = name
	}
	s.nodes = append(s.nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
	return len(s.nodes) - 1
}

// reading is a content that calls a function.
type reading func(context.Context) (canon.Value, error)

// Read implements [tree.Source].
func (f reading) Read(ctx context.Context) (canon.Value, error) { return f(ctx) }

// stored is a content in memory, or one that is fetched when it is asked for.
func stored(v canon.Value, elsewhere bool) tree.Content {
	if !elsewhere {
		return tree.InMemory(v)
	}
	return tree.From(len(v), reading(func(context.Context) (canon.Value, error) { return v, nil }))
}

func (s *sketch) has(id string) bool {
	for _, p := range s.nodes {
		if p.Node.ID == id {
			return true
		}
	}
	return false
}

// fill puts blocks and groups below a node.
func (s *sketch) fill(parent, most, levels int) {
	for range s.IntN(most*s.width + 1) {
		offset := int64(s.IntN(5) - 2)
		if one(s.Rand, 2) {
			offset = 0
		}
		switch {
		case s.stray && levels > 0 && one(s.Rand, 40):
			at := s.put(parent, pick(s.Rand, "mt", "seg", "cb", "block"), offset)
			s.fill(at, 3, levels-1)
		case levels > 0 && one(s.Rand, 4):
			group := s.put(parent, pick(s.Rand, "mc", "cont", "mc:group", "x:group"), offset)
			wide := s.width
			s.width = 1
			s.fill(group, 3, levels-1)
			s.width = wide
		default:
			s.put(parent, pick(s.Rand, "cb", "cb", "block", "block", "cb:summary", "block:text", "x:note", "memo"), offset)
		}
	}
}

// turn puts a turn under ^seq, or fills the active head.
func (s *sketch) turn(at int) {
	for range pick(s.Rand, 0, 1, 1, 1, 2) {
		if one(s.Rand, 2) {
			s.fill(s.put(at, pick(s.Rand, "mc", "cont", "mc:plan"), 0), 3, 1)
		}
	}
	s.fill(at, 4, 2)
}

// sketchTree draws a tree with up to most turns.
func sketchTree(t testing.TB, r *rand.Rand, most int) *tree.Tree {
	t.Helper()
	return (&sketch{Rand: r, width: 1, stray: true}).tree(t, most)
}

// sketchWide draws a tree in which some lists are long: many turns with little
// in them, or few with much.
func sketchWide(t testing.TB, r *rand.Rand) *tree.Tree {
	t.Helper()
	if one(r, 2) {
		return (&sketch{Rand: r, width: 1, stray: true}).tree(t, 90)
	}
	return (&sketch{Rand: r, width: 12}).tree(t, 5)
}

func (s *sketch) tree(t testing.TB, most int) *tree.Tree {
	t.Helper()
	r := s.Rand
	root := s.put(-1, "^root", 0)
	if !one(r, 12) {
		s.fill(s.put(root, "^sys", 0), 4, 2)
	}
	if !one(r, 12) {
		seq := s.put(root, "^seq", 0)
		for range r.IntN(most + 1) {
			s.turn(s.put(seq, pick(r, "mt", "mt", "seg", "seg", "mt:plan", "x:turn"), 0))
		}
		if s.stray && one(r, 12) {
			s.fill(seq, 2, 1)
		}
	}
	if !one(r, 12) {
		s.turn(s.put(root, "^ah", 0))
	}
	if s.stray && one(r, 12) {
		s.fill(root, 2, 1)
	}
	tr, err := tree.Build(snapshotCycle, s.nodes)
	must(t, err)
	return tr
}

// show draws a tree for the message of a failure.
func show(t *tree.Tree) string {
	var b strings.Builder
	for p := range sure.All(t.All()) {
		e, parent := p.Entry, p.Parent
		n := e.Node()
		content, _ := n.Content.Value(context.Background())
		fmt.Fprintf(&b, "%q < %q %s %s offset %d cycle %d ns %d index %d expiry %d priority %d %v content %s\n",
			n.ID, parent, n.Type, e.Class(), n.Offset, n.Cycle, n.CreatedNS, n.Index, n.Expiry, n.Priority, n.Headers, content)
	}
	return b.String()
}
