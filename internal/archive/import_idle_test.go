package archive_test

import (
	"bytes"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

// The handle that an import returns knows the groups that stayed empty as something refers to them: its next commit lets
// them go once nothing does.
func TestAnImportKnowsWhichGroupsAreEmpty(t *testing.T) {
	from := create(t, pact.NewDB(store.NewMemory()))
	must(t, from.Edit(background, func(b *pact.Batch) error {
		group := b.Add("^ah", pact.Spec{ID: "group", NodeType: "cont", Offset: 1, Removable: true})
		b.Add(group, pact.Spec{ID: "last", TTL: new(int64(1))})
		b.Add("^sys", pact.Spec{ID: "holder", Refs: []string{"group"}})
		return nil
	}, nil))
	for range 3 {
		_, err := from.Commit(background, nil)
		must(t, err)
	}
	var history bytes.Buffer
	must(t, from.Export(background, &history))
	c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "copy", &history, nil)
	must(t, err)
	there := func(v *pact.Snapshot, id string) bool {
		_, err := v.Node(id)
		return err == nil
	}
	if w := c.Working(); there(w, "last") || !there(w, "group") {
		t.Fatal("the group is not empty, or not there")
	}
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Remove("holder")
		return nil
	}, nil))
	sealed, err := c.Commit(background, nil)
	must(t, err)
	if there(sealed.Snapshot, "group") {
		t.Errorf("the empty group is there still: %+v", sealed.Report)
	}
}
