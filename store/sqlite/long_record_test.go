package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// overtaken is a medium on which something happens after it told what is latest.
type overtaken struct {
	store.Store
	after func()
}

func (o *overtaken) Latest(ctx context.Context, name string, spaces ...store.Space) (map[store.Space]store.Latest, error) {
	found, err := o.Store.(store.Latester).Latest(ctx, name, spaces...)
	if after := o.after; after != nil {
		o.after = nil
		after()
	}
	return found, err
}

// TestALongRecordAfterALongRecord reads a context whose last record is long, while another writer appends a
// second long one.
func TestALongRecordAfterALongRecord(t *testing.T) {
	var medium *overtaken
	defer sqlite.WithoutSync()()
	defer withMedium(func(s store.Store) store.Store { medium = &overtaken{Store: s}; return medium })()
	s, err := openFile(t.Context(), filepath.Join(t.TempDir(), "pact.db"))
	must(t, err)
	defer s.Close()
	w := begin(t, s)
	edit := func() {
		x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
		for i := range 1500 {
			_, err := x.Add("^ah", tree.Spec{Content: fmt.Sprint(i)})
			must(t, err)
		}
		must(t, w.apply(t.Context(), engine.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps}))
	}
	edit()
	latest, err := medium.Latest(t.Context(), "i", store.Space(w.state.Key))
	must(t, err)
	if len(latest) != 1 || !latest[store.Space(w.state.Key)].Long {
		t.Fatalf("the record is not long: %v", latest)
	}
	medium.after = edit
	info, err := s.Info(t.Context(), w.state.Key)
	if err != nil || info.Revision != 2 && info.Revision != 3 {
		t.Errorf("the context is at revision %d, %v", info.Revision, err)
	}
}
