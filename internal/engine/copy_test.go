package engine_test

import (
	"errors"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// TestASlowCopierReplacesNoCommit has two processes continue one copy: that which read the drafts of the source
// before they were committed may not put them back behind what the other one wrote.
func TestASlowCopierReplacesNoCommit(t *testing.T) {
	from, to := engine.New(store.NewMemory(), zstd.Packing), engine.New(store.NewMemory(), zstd.Packing)
	defer from.Close()
	defer to.Close()
	c, err := pact.Create(background, dbtest.Of(from), "chat", nil)
	must(t, err)
	edit := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Content: "hello"})
		return nil
	}
	must(t, c.Edit(background, edit, nil))
	lines, err := from.Lines(background)
	must(t, err)
	first, err := from.Part(background, lines[0].Key, 1, 1)
	must(t, err)
	slow, err := from.Part(background, lines[0].Key, 2, 2)
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: edit})
	must(t, err)
	fast, err := from.Part(background, lines[0].Key, 2, 3)
	must(t, err)
	key, err := to.BeginCopy(background, lines[0], first)
	must(t, err)
	must(t, to.ExtendCopy(background, key, slow))
	must(t, to.ExtendCopy(background, key, fast)) // which has the draft as well
	if err := to.ExtendCopy(background, key, slow); !errors.Is(err, fault.Conflict) {
		t.Errorf("drafts from before a commit: %v", err)
	}
}
