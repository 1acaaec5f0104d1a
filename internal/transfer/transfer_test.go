package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/internal/tree"

	"github.com/contexttree/pact/store/sqlite"
)

var background = context.Background()

var must = testrun.Must

func open(t *testing.T, path string) *engine.Engine {
	t.Helper()
	s, err := sqlite.Open(background, path)
	must(t, err)
	e := engine.Open(s)
	t.Cleanup(func() { e.Close() })
	return e
}

// TestLeftOfAnotherSource finds what a copy of another source left under the name:
// it goes, and the copy begins anew.
func TestLeftOfAnotherSource(t *testing.T) {
	one, other, target := engine.InMemory(), engine.InMemory(), engine.InMemory()
	for i, s := range []engine.Contexts{one, other} {
		first, stamps, err := tree.New(tree.Env{Clock: func() int64 { return int64(i) + 1 },
			Vocabulary: tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}}, nil)
		must(t, err)
		_, err = s.Create(background, engine.Creation{Name: "chat", Edition: "canonical", Tree: first, Stamps: stamps})
		must(t, err)
	}
	canceled, cancel := context.WithCancel(background)
	_, err := transfer.Copy(canceled, one, interrupting{target, cancel}, nil, nil)
	if err == nil {
		t.Fatal("the copy was not interrupted")
	}
	if branches, err := target.Branches(background); err != nil || len(branches) != 1 || !branches[0].Unfinished {
		t.Fatalf("left %+v, %v", branches, err)
	}
	copied, err := transfer.Copy(background, other, target, nil, nil)
	must(t, err)
	if copied.Contexts[0].Resumed != 0 {
		t.Errorf("a copy of another source went on with what was left: %+v", copied)
	}
	found, err := target.Find(background, "chat")
	must(t, err)
	want, err := other.Find(background, "chat")
	must(t, err)
	if found.Stamps != want.Stamps {
		t.Errorf("copied %+v, want %+v", found, want)
	}
}

// TestDraftsThatMoveOn interrupts a copy that has drafts. Then the source goes on, commits and joins them, and the
// next copy keeps the snapshots that were copied, and takes the drafts as they became.
func TestDraftsThatMoveOn(t *testing.T) {
	path, target := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	names := family(t, path)
	from := open(t, path)
	to := open(t, target)
	canceled, cancel := context.WithCancel(background)
	if _, err := transfer.Copy(canceled, from, interrupting{to, cancel}, nil, nil); err == nil {
		t.Fatal("the copy was not interrupted")
	}
	chat, err := pact.Open(background, dbtest.Of(from), "chat", nil)
	must(t, err)
	for i := range 70 {
		must(t, chat.Edit(background, func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Content: fmt.Sprint("then ", i)})
			return nil
		}, nil))
		_, err := chat.Commit(background, nil)
		must(t, err)
	}
	_, err = from.Compact(background)
	must(t, err)
	copied, err := transfer.Copy(background, from, to, nil, nil)
	must(t, err)
	for _, c := range copied.Contexts {
		if c.Resumed == 0 {
			t.Errorf("%s was copied anew", c.Name)
		}
	}
	must(t, from.Close())
	must(t, to.Close())
	equal(t, names, path, target)
}

// TestNothingIsCopiedTwice repeats a copy that was interrupted when everything was there, drafts too.
func TestNothingIsCopiedTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "from.db")
	names := family(t, path)
	from, target := open(t, path), filepath.Join(t.TempDir(), "to.db")
	to := open(t, target)
	canceled, cancel := context.WithCancel(background)
	if _, err := transfer.Copy(canceled, from, interrupting{to, cancel}, nil, nil); err == nil {
		t.Fatal("the copy was not interrupted")
	}
	_, err := transfer.Copy(background, from, &stopping{to, 0}, nil, nil)
	must(t, err)
	must(t, from.Close())
	must(t, to.Close())
	equal(t, names, path, target)
}

// TestDiscard deletes what an interrupted copy left, with the forks in it, and nothing
// else.
func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "from.db")
	names := family(t, path)
	target := open(t, filepath.Join(t.TempDir(), "to.db"))
	_, err := transfer.Copy(background, open(t, path), &stopping{target, 3}, nil, nil)
	if !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	if gone, err := transfer.Discard(background, target, []string{"nobody"}); len(gone) > 0 || err != nil {
		t.Errorf("deleted %q, %v", gone, err)
	}
	gone, err := transfer.Discard(background, target, nil)
	if err != nil || len(gone) < 2 || len(gone) > len(names) {
		t.Errorf("deleted %q, %v", gone, err)
	}
	if branches, err := target.Branches(background); len(branches) > 0 || err != nil {
		t.Errorf("left %+v, %v", branches, err)
	}
	if damage, err := target.CheckAll(background); damage != nil || err != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}

// interrupting is a target that refuses to finish.
type interrupting struct {
	engine.Contexts
	cancel func()
}

func (s interrupting) FinishCopies(ctx context.Context, _ []engine.Branch) error {
	s.cancel()
	return fault.Wrap(fault.Store, ctx.Err(), "interrupted", "")
}
