package tree

import (
	"context"
	"fmt"
	"testing"
)

// contextOfTurns is a history of so many turns of one block each, and an editor for
// what comes next.
func contextOfTurns(t *testing.T, count int) (*Tree, *Editor, Env) {
	t.Helper()
	var nodes []Placed
	put := func(parent int, id, typ string) int {
		nodes = append(nodes, Placed{NewNode(Node{ID: id, Type: typ, CreatedNS: int64(len(nodes)), Expiry: Never}, nil),
			parent})
		return len(nodes) - 1
	}
	root := put(-1, "root", "^root")
	put(root, "sys", "^sys")
	seq := put(root, "seq", "^seq")
	for i := range count {
		put(put(seq, fmt.Sprint("turn", i), "seg"), fmt.Sprint("block", i), "block")
	}
	put(root, "ah", "^ah")
	tr, err := Build(int64(count), nodes)
	if err != nil {
		t.Fatal(err)
	}
	env := Env{Vocabulary: Vocabulary{"seg", "cont", "block"}, Clock: func() int64 { return 0 }, Taken: func(string) (bool,
		error) {
		return false, nil
	}}
	s := Stamps{Cycle: int64(count + 1), LastNS: int64(len(nodes)), Given: -1}
	return tr, Edit(context.Background(), tr.WithCycle(s.Cycle), tr, s, env), env
}

// listsOf collects the runs and the child lists that a tree consists of.
func listsOf(l *List, into map[*List]bool) {
	if l == nil || into[l] {
		return
	}
	into[l] = true
	for _, e := range l.held.items {
		listsOf(e.kids, into)
	}
	for _, b := range l.held.below {
		listsOf(b, into)
	}
}
