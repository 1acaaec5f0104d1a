package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// modelCall is a block of a random tree with calls, as the model sees it.
type modelCall struct {
	id, kind, name, content string
	refs                    []string
	failed                  bool
}

// words counts a token for each space between words and one more.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return strings.Count(text, " ") + 1 }

// callTree makes a tree with the blocks in one turn, in their order.
func callTree(t *testing.T, list []modelCall) *tree.Tree {
	t.Helper()
	placed := []tree.Placed{}
	add := func(n tree.Node, parent int) {
		n.Expiry = tree.Never
		placed = append(placed, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
	}
	add(tree.Node{ID: "root", Type: "^root"}, -1)
	add(tree.Node{ID: "sys", Type: "^sys"}, 0)
	add(tree.Node{ID: "seq", Type: "^seq"}, 0)
	add(tree.Node{ID: "ah", Type: "^ah"}, 0)
	add(tree.Node{ID: "turn", Type: "seg"}, 2)
	for i, b := range list {
		n := tree.Node{ID: b.id, Type: "block", Offset: 1, CreatedNS: int64(i), Content: tree.Hold(canon.Value(b.content))}
		n.Headers = append(n.Headers, tree.Header{Name: "kind", Value: canon.String(b.kind)})
		if b.refs != nil {
			n.Headers = append(n.Headers, tree.Header{Name: "refs", Value: canon.Strings(b.refs)})
		}
		if b.failed {
			n.Headers = append(n.Headers, tree.Header{Name: "wire:failed", Value: canon.True})
		}
		if b.name != "" {
			n.Headers = append(n.Headers, tree.Header{Name: "wire:name", Value: canon.String(b.name)})
		}
		add(n, 4)
	}
	made, err := tree.Build(1, placed)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// partners returns the calls of a result or the results of a call, by looking at
// every block.
func partners(list []modelCall, b modelCall) (found []modelCall) {
	other := map[string]string{"call": "result", "result": "call"}[b.kind]
	for _, p := range list {
		if p.kind == other && (slices.Contains(p.refs, b.id) || slices.Contains(b.refs, p.id)) {
			found = append(found, p)
		}
	}
	return found
}

func (b modelCall) toolIn(list []modelCall) string {
	if b.kind != "result" {
		return b.name
	}
	for _, p := range partners(list, b) {
		if p.name != "" {
			return p.name
		}
	}
	return ""
}

func (b modelCall) failedIn(list []modelCall) bool {
	failed := func(p modelCall) bool { return p.kind == "result" && p.failed }
	return failed(b) || b.kind == "call" && slices.ContainsFunc(partners(list, b), failed)
}

// Facets of calls and sizes select what a look at every block selects, in every
// edition.
func TestFacetsAgreeWithModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	contents := []string{`"a b c"`, `"x"`, `{"k":"v w"}`, ""}
	for range 300 {
		list := make([]modelCall, 1+r.IntN(8))
		for i := range list {
			b := modelCall{id: fmt.Sprint("b", i), kind: []string{"call", "result", "text"}[r.IntN(3)],
				content: contents[r.IntN(len(contents))]}
			if b.kind == "call" {
				b.name = []string{"", "ls", "cat"}[r.IntN(3)]
			}
			b.failed = b.kind == "result" && r.IntN(3) == 0
			for range r.IntN(3) {
				if ref := fmt.Sprint("b", r.IntN(len(list))); ref != b.id && !slices.Contains(b.refs, ref) {
					b.refs = append(b.refs, ref)
				}
			}
			list[i] = b
		}
		made := callTree(t, list)
		for text, holds := range map[string]func(modelCall) bool{
			"[tool=ls]":         func(b modelCall) bool { return b.toolIn(list) == "ls" },
			"[tool]":            func(b modelCall) bool { return b.toolIn(list) != "" },
			"[tool~'^c']":       func(b modelCall) bool { return strings.HasPrefix(b.toolIn(list), "c") },
			"[failed]":          func(b modelCall) bool { return b.failedIn(list) },
			"[failed=true]":     func(b modelCall) bool { return b.failedIn(list) },
			"[failed=null]":     func(b modelCall) bool { return !b.failedIn(list) },
			"[bytes>3]":         func(b modelCall) bool { return len(b.content) > 3 },
			"[bytes=null]":      func(b modelCall) bool { return b.content == "" },
			"[tokens>=2]":       func(b modelCall) bool { return strings.Contains(b.content, " ") },
			"[tool=ls][failed]": func(b modelCall) bool { return b.toolIn(list) == "ls" && b.failedIn(list) },
		} {
			want := []string{}
			for _, b := range list {
				if holds(b) {
					want = append(want, b.id)
				}
			}
			for _, edition := range []selector.Edition{selector.V01, selector.Depth, selector.Canonical} {
				if edition == selector.V01 && strings.Contains(text, "~") {
					continue // it has no such operator
				}
				plan, err := query.Compile(selector.MustParse("[offset=1]"+text, edition))
				if err != nil {
					t.Fatal(err)
				}
				got, err := plan.Counting(words{}).Run(context.Background(), made)
				if err != nil || !slices.Equal(got.IDs(), want) {
					t.Fatalf("%s in %s of %+v: %v, %v, want %v", text, edition, list, got.IDs(), err, want)
				}
			}
		}
	}
}

// A header of the name of a facet, which another tool wrote, comes first. Tokens
// without a counter are refused, and what another node decides is not local.
func TestFacetsAtTheirLimits(t *testing.T) {
	made := callTree(t, []modelCall{{id: "b", kind: "text", content: `"x"`}})
	run := func(text string) ([]string, error) {
		plan, err := query.Compile(selector.MustParse(text, selector.Canonical))
		if err != nil {
			t.Fatal(err)
		}
		got, err := plan.Run(context.Background(), made)
		return got.IDs(), err
	}
	if _, err := run("[tokens>1]"); fault.CodeOf(err) != fault.SelectorInvalid {
		t.Errorf("tokens without a counter end as %v", err)
	}
	for text, local := range map[string]bool{"[tool=ls]": false, "[failed]": false, "[bytes>1]": true} {
		plan, err := query.Compile(selector.MustParse(text, selector.Canonical))
		if err != nil || plan.Local() != local {
			t.Errorf("%s is local: %v, %v", text, plan.Local(), err)
		}
	}
	placed := []tree.Placed{{Node: tree.NewNode(tree.Node{ID: "root", Type: "^root", Expiry: tree.Never,
		Headers: []tree.Header{{Name: "tool", Value: `"saw"`}}}, nil), Parent: -1}}
	var err error
	if made, err = tree.Build(1, placed); err != nil {
		t.Fatal(err)
	}
	if got, err := run("[tool=saw]"); err != nil || !slices.Equal(got, []string{"root"}) {
		t.Errorf("a header of that name: %v, %v", got, err)
	}
}
