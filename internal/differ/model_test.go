package differ_test

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
)

// modelDocument reads a tree back from its exported document, which is all that the
// model of a comparison knows: headers by id, and ids in document order. The blocks
// of an elided core are exported as children of the turn.
func modelDocument(t *testing.T, tr *tree.Tree) (map[string]map[string]any, []string) {
	t.Helper()
	var out bytes.Buffer
	must(t, document.Write(context.Background(), &out, tr, "v0.1"))
	var doc struct{ Root map[string]any }
	d := json.NewDecoder(&out)
	d.UseNumber()
	must(t, d.Decode(&doc))
	nodes := map[string]map[string]any{}
	var order []string
	var walk func(n map[string]any, parent string)
	walk = func(n map[string]any, parent string) {
		id := n["id"].(string)
		order = append(order, id)
		headers := map[string]any{"parent": parent}
		for name, v := range n {
			if name != "children" && name != "content" {
				headers[name] = v
			}
		}
		nodes[id] = headers
		kids, _ := n["children"].([]any)
		for _, k := range kids {
			walk(k.(map[string]any), id)
		}
	}
	walk(doc.Root, "")
	return nodes, order
}

// modelDiff compares two exports id by id.
func modelDiff(t *testing.T, from, to *tree.Tree) *diff.Result {
	a, orderA := modelDocument(t, from)
	b, orderB := modelDocument(t, to)
	r := &diff.Result{Added: []string{}, Removed: []string{}, Changed: []diff.Change{}}
	for _, id := range orderB {
		if a[id] == nil {
			r.Added = append(r.Added, id)
		}
	}
	for _, id := range orderA {
		if b[id] == nil {
			r.Removed = append(r.Removed, id)
		}
	}
	newer := orderB
	if from.Cycle() > to.Cycle() {
		newer = orderA
	}
	for _, id := range newer {
		if a[id] == nil || b[id] == nil {
			continue
		}
		var fields []string
		for name := range union(a[id], b[id]) {
			if !reflect.DeepEqual(a[id][name], b[id][name]) {
				fields = append(fields, name)
			}
		}
		if slices.Sort(fields); len(fields) > 0 {
			r.Changed = append(r.Changed, diff.Change{ID: id, Fields: fields})
		}
	}
	return r
}

func union(a, b map[string]any) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}
