package tree_test

import (
	"context"
	"errors"
	"reflect"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// placed lists a tree of the model for Build, parents first.
func placed(list []*modelNode) []tree.Placed {
	at := map[string]int{"": -1}
	var nodes []tree.Placed
	for _, r := range list {
		at[r.id] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: r.node(), Parent: at[r.parent]})
	}
	return nodes
}

// built makes the tree of a model without any editing.
func built(t failer, w *modelTree) *tree.Tree {
	t.Helper()
	tr, err := tree.Build(w.cycle, placed(w.document()))
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return tr
}

// remade makes a tree again from copies of its nodes, with nothing remembered.
func remade(t failer, tr *tree.Tree) *tree.Tree {
	t.Helper()
	at := map[string]int{"": -1}
	var nodes []tree.Placed
	for p := range sure.All(tr.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		n.Headers = append([]tree.Header(nil), n.Headers...)
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	again, err := tree.Build(tr.Cycle(), nodes)
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return again
}

var words = tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}

func faultOf(err error) *fault.Error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return &fault.Error{}
	}
	return e
}

var background = context.Background()

// failer is what the checks need of a test, rapid's or the standard one.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func equal(t failer, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\n got %v\nwant %v", what, got, want)
	}
}
