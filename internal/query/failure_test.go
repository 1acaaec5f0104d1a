package query_test

import (
	"context"
	"errors"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// A run ends with its context, also in the middle.
func TestRunsEndWithTheirContext(t *testing.T) {
	tr := mixed(t, 3_000)
	for _, text := range []string{"*", ".mt .cb:first", ".cb:core", ".mt :pre", "*[priority>=0] @order=post"} {
		plan, err := query.Compile(selector.MustParse(text, canonical))
		must(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r, err := plan.Run(ctx, tr); !errors.Is(err, context.Canceled) || r.Nodes != nil || r.Visited > 4096 {
			t.Errorf("%s: got %d nodes, %d visited, error %v", text, len(r.Nodes), r.Visited, err)
		}
	}
}

// Content that cannot be read ends the run with the error of the store.
func TestContentThatCannotBeRead(t *testing.T) {
	lost := errors.New("lost")
	block := tree.Node{ID: "b", Type: "cb", Expiry: tree.Never, Content: tree.From(5, reading(func(context.Context) (canon.Value, error) {
		return "", lost
	}))}
	tr, err := tree.Build(1, []tree.Placed{
		{Node: tree.NewNode(tree.Node{ID: "root", Type: "^root", Expiry: tree.Never}, nil), Parent: -1},
		{Node: tree.NewNode(tree.Node{ID: "ah", Type: "^ah", Expiry: tree.Never}, nil), Parent: 0},
		{Node: tree.NewNode(block, &tree.Digest{}), Parent: 1},
	})
	must(t, err)
	plan, err := query.Compile(selector.MustParse("[content~'x'], [content!=null]", canonical))
	must(t, err)
	if r, err := plan.Run(context.Background(), tr); !errors.Is(err, lost) || len(r.Nodes) > 0 {
		t.Errorf("got %v, error %v, want %v", r.IDs(), err, lost)
	}
}

// A pattern that the parser did not see is refused with what was written.
func TestCompileNamesTheToken(t *testing.T) {
	s := selector.MustParse("[role~'x']", canonical)
	s.Groups[0].Steps[0].Parts[0] = selector.Attr{Name: "role", Op: selector.Match,
		Values: []selector.Literal{{Kind: selector.Text, Text: "("}}}
	_, err := query.Compile(s)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.SelectorInvalid || f.Token != "(" {
		t.Errorf("got %v, want %s with its token", err, fault.SelectorInvalid)
	}
}
