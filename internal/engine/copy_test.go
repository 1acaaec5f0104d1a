package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// between is a medium to which another process writes before the next batch.
type between struct {
	shared
	other func() // nil once it has written
}

func (b *between) Write(ctx context.Context, of *store.Batch) error {
	if other := b.other; other != nil {
		b.other = nil
		other()
	}
	return b.shared.Write(ctx, of)
}

// TestASlowCopierReplacesNoCommit has two processes continue one copy: that which read the drafts of the source
// before they were committed may not put them back behind what the other one wrote, also if the other one writes
// after the slow one looked at the copy.
func TestASlowCopierReplacesNoCommit(t *testing.T) {
	from := engine.New(store.NewMemory(), zstd.Packing)
	defer from.Close()
	c, err := pact.Create(background, dbtest.Of(from), "chat", nil)
	must(t, err)
	edit := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Content: "hello"})
		return nil
	}
	must(t, c.Edit(background, edit, nil))
	branches, err := from.Branches(background)
	must(t, err)
	first, err := from.Part(background, branches[0].Key, 1, 1)
	must(t, err)
	slow, err := from.Part(background, branches[0].Key, 2, 2)
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: edit})
	must(t, err)
	fast, err := from.Part(background, branches[0].Key, 2, 3)
	must(t, err)
	want, err := from.Revisions(background, branches[0].Key, 1, 3)
	must(t, err)

	for _, late := range []bool{false, true} {
		medium := &between{shared: shared{store.NewMemory()}}
		to, other := engine.New(medium, zstd.Packing), engine.New(medium.shared, zstd.Packing)
		key, err := to.BeginCopy(background, branches[0], first)
		must(t, err)
		must(t, to.ExtendCopy(background, key, slow))
		commits := func() { must(t, other.ExtendCopy(background, key, fast)) } // which has the draft as well
		if late {
			medium.other = commits
		} else {
			commits()
		}
		if err := to.ExtendCopy(background, key, slow); !errors.Is(err, fault.Conflict) {
			t.Errorf("drafts from before a commit: %v", err)
		}
		got, err := to.Revisions(background, key, 1, 3)
		must(t, err)
		if !slices.EqualFunc(got, want, engine.Revision.Equal) {
			t.Errorf("the copy has %d revisions, and not those of its source", len(got))
		}
		must(t, to.Close())
		must(t, other.Close())
		must(t, medium.Store.Close())
	}
}
