package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

func TestPlannedAgreesWithNaive(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	answers := 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 7))
		tr := randomTree(t, r)
		w := flatten(tr)
		for range 60 {
			text := randomSelector(r)
			s, err := selector.Parse(text, selector.V01)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			plan, err := query.Compile(s)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			got, err := plan.Run(context.Background(), tr)
			if err != nil {
				t.Fatal(err)
			}
			want := w.sel(s)
			if !slices.Equal(got.IDs, want) {
				t.Fatalf("seed %d: %s\n got %v\nwant %v\n%s", seed, text, got.IDs, want, draw(tr))
			}
			answers += len(want)
		}
	}
	if answers < rounds*60 {
		t.Errorf("only %d nodes were ever selected: the generator asks for what is not there", answers)
	}
}

func draw(t *tree.Tree) string {
	var b strings.Builder
	for e, parent := range t.All() {
		n := e.Node()
		fmt.Fprintf(&b, "%s < %s %s %s offset %d %v\n", n.ID, parent, n.Type, e.Class(), n.Offset, n.Headers)
	}
	return b.String()
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomTree makes a tree as a lenient reader may meet it: turns with explicit,
// elided, empty and even doubled cores, groups, user types.
func randomTree(t *testing.T, r *rand.Rand) *tree.Tree {
	var nodes []tree.Placed
	add := func(parent int, kind string, offset int64) int {
		n := tree.Node{ID: fmt.Sprintf("n%d", len(nodes)), Type: kind, Offset: offset, Priority: int64(r.IntN(3)),
			CreatedNS: int64(r.IntN(6)), Index: int64(len(nodes)), Expiry: tree.Never}
		if r.IntN(4) == 0 {
			n.Expiry = int64(5 + r.IntN(3))
		}
		if r.IntN(3) > 0 {
			n.Headers = append(n.Headers, tree.Header{Name: "role", Value: canon.String(pick(r, "user", "assistant", "tool"))})
		}
		if r.IntN(3) == 0 {
			n.Headers = append(n.Headers, tree.Header{Name: "kind", Value: canon.String(pick(r, "text", "call", "summary"))})
		}
		if r.IntN(4) == 0 {
			n.Headers = append(n.Headers, tree.Header{Name: "tags", Value: canon.Strings([]string{pick(r, "a", "b"), "c"})})
		}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(nodes) - 1
	}
	block := func() string { return pick(r, "cb", "cb", "cb", "block", "cb:summary", "x:note") }
	var fill func(parent, depth int)
	fill = func(parent, depth int) {
		for range r.IntN(4) {
			if r.IntN(4) == 0 && depth < 3 {
				fill(add(parent, pick(r, "mc", "cont", "mc:group"), int64(r.IntN(3)-1)), depth+1)
			} else {
				add(parent, block(), int64(r.IntN(3)-1))
			}
		}
	}
	root := add(-1, "^root", 0)
	fill(add(root, "^sys", 0), 0)
	seq := add(root, "^seq", 0)
	for range r.IntN(6) {
		turn := add(seq, pick(r, "mt", "mt", "seg", "mt:plan"), 0)
		if r.IntN(2) == 0 {
			core := add(turn, pick(r, "mc", "cont"), 0)
			fill(core, 2)
		}
		fill(turn, 0)
	}
	fill(add(root, "^ah", 0), 0)
	tr, err := tree.Build(5, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func randomSelector(r *rand.Rand) string {
	var groups []string
	for range 1 + r.IntN(2)*r.IntN(2) {
		var b strings.Builder
		for i := range 1 + r.IntN(4) {
			if i > 0 {
				b.WriteString(pick(r, " ", " ", " > "))
			}
			b.WriteString(randomStep(r, i == 0))
		}
		groups = append(groups, b.String())
	}
	return strings.Join(groups, ", ")
}

func randomStep(r *rand.Rand, first bool) string {
	switch n := r.IntN(12); {
	case first && n < 5:
		return pick(r, "^sys", "^seq", "^seq", "^ah", "^root")
	case n == 5:
		return pick(r, ":pre", ":core", ":post")
	case n == 6:
		return "*"
	case n == 7:
		return fmt.Sprintf("#n%d", r.IntN(20))
	}
	s := pick(r, ".cb", ".cb", ".mt", ".mc", ".seg", ".block", ".cb:summary", ".x:note", "*")
	for range r.IntN(3) {
		s += pick(r, "[role='user']", "[role!='user']", "[kind=text]", "[kind]", "[ttl<=1]", "[ttl=null]", "[offset<0]", "[offset=0]", "[priority>=1]",
			"[created_at_ns>2]", "[nodeType='cb']", "[nodeType='mc']", "[nodeType='cb:summary']", "[tag='a']", "[tag!='a']", "[role=[user,tool]]", "[role>'b']",
			fmt.Sprintf("[id='n%d']", r.IntN(20)), ":pre", ":core", ":post", ":depth(1)", ":depth(2-3)", ":depth(1,3)", ":first", ":last", fmt.Sprintf(":nth(%d)", 1+r.IntN(3)))
	}
	return s
}
