package transfer_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/internal/verify"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

var background = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(background, path)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestFilesOfVersion1 copies contexts of which the log recorded no digests: their
// snapshots are compared, and the copy says no more of them than the file does.
func TestFilesOfVersion1(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "store", "sqlite", "testdata", "v1.sql"))
	must(t, err)
	path := filepath.Join(t.TempDir(), "old.db")
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	for _, statement := range []string{string(text), "PRAGMA application_id = 0x50414354", "PRAGMA user_version = 1"} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	must(t, raw.Close())
	from, to := open(t, path), open(t, filepath.Join(t.TempDir(), "new.db"))
	_, err = transfer.Copy(background, from, to, nil, nil)
	must(t, err)
	for _, name := range []string{"chat"} {
		a, err := from.Find(background, name)
		must(t, err)
		b, err := to.Find(background, name)
		must(t, err)
		before, err := store.Collect(from.History(background, a.Key, a.First, a.Cycle))
		must(t, err)
		after, err := store.Collect(to.History(background, b.Key, b.First, b.Cycle))
		must(t, err)
		if len(before) != 3 || len(after) != len(before) {
			t.Fatalf("%d snapshots became %d", len(before), len(after))
		}
		for i := range before {
			if before[i].Digest() != after[i].Digest() {
				t.Errorf("%s differs in cycle %d", name, before[i].Cycle())
			}
		}
		log, err := to.Log(background, b.Key, 1, b.Revision)
		must(t, err)
		if log[3].Digest != "" || log[3].Request != "r1" {
			t.Errorf("the log says %+v", log[3])
		}
	}
	found, err := verify.All(background, to, nil)
	if err != nil || !found.Holds() {
		t.Errorf("verified %+v, %v", found, err)
	}
}

// TestLeftOfAnotherSource finds what a copy of another source left under the name:
// it goes, and the copy begins anew.
func TestLeftOfAnotherSource(t *testing.T) {
	one, other, target := store.NewMemory(), store.NewMemory(), store.NewMemory()
	for i, s := range []*store.Memory{one, other} {
		first, stamps, err := tree.New(tree.Env{Clock: func() int64 { return int64(i) + 1 },
			Vocabulary: tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}}, nil)
		must(t, err)
		_, err = s.Create(background, store.Creation{Name: "chat", Edition: "canonical", Tree: first, Stamps: stamps})
		must(t, err)
	}
	canceled, cancel := context.WithCancel(background)
	_, err := transfer.Copy(canceled, one, interrupting{target, cancel}, nil, nil)
	if err == nil {
		t.Fatal("the copy was not interrupted")
	}
	if lines, err := target.Lines(background); err != nil || len(lines) != 1 || !lines[0].Unfinished {
		t.Fatalf("left %+v, %v", lines, err)
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

// TestDiscard deletes what an interrupted copy left, with the forks in it, and nothing
// else.
func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "from.db")
	names := family(t, path)
	target := open(t, filepath.Join(t.TempDir(), "to.db"))
	_, err := transfer.Copy(background, open(t, path), &stopping{target, 7}, nil, nil)
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
	if lines, err := target.Lines(background); len(lines) > 0 || err != nil {
		t.Errorf("left %+v, %v", lines, err)
	}
	if damage, err := target.CheckAll(background); damage != nil || err != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}

// interrupting is a target that refuses to finish.
type interrupting struct {
	*store.Memory
	cancel func()
}

func (s interrupting) FinishCopies(ctx context.Context, _ []store.Line) error {
	s.cancel()
	return fault.Wrap(fault.Store, ctx.Err(), "interrupted", "")
}
