package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store/sqlite"
)

// settled makes a file with turns, nearly all of them in segments and in a checkpoint.
func settled(t *testing.T, n int) (path string, s *file, w *turns) {
	t.Helper()
	t.Cleanup(joinSoon())
	t.Cleanup(sqlite.WithoutSync())
	path = filepath.Join(t.TempDir(), "pact.db")
	s, err := openFile(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	w = begin(t, s)
	for i := range n {
		w.next(t, fmt.Sprint("turn ", i))
	}
	must(t, s.SettleAll(t.Context()))
	return path, s, w
}

// walked looks at every node of a tree and returns its digest, made anew.
func walked(of *tree.Tree) (d tree.Digest, err error) {
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for p, err := range of.All() {
		if err != nil {
			return d, err
		}
		e, parent := p.Entry, p.Parent
		at[e.Node().ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: e.Node(), Parent: at[parent]})
	}
	again, err := tree.Build(of.Cycle(), nodes)
	if err != nil {
		return d, err
	}
	return again.Digest(), nil
}

// A snapshot that is opened through a checkpoint loads what is looked at, and no more.
func TestOpenedThroughACheckpoint(t *testing.T) {
	testrun.OneGoroutine(t)
	path, _, w := settled(t, 600)
	again := open(t, path)
	st, err := again.Load(t.Context(), w.state.Key)
	must(t, err)
	_, runs := sure.Get2(st.Head.Region(tree.Seq).Children().Parts())
	unopened := 0
	for _, run := range runs {
		if run.Len() > 0 && run.Unopened() {
			unopened += run.Len()
		}
	}
	if unopened < 400 && !st.Head.Region(tree.Seq).Children().Unopened() {
		t.Errorf("opening loaded all but %d of 600 turns", unopened)
	}
	if st.Head.Digest() != w.state.Head.Digest() || st.Head.ThreadDigest() != w.state.Head.ThreadDigest() {
		t.Error("opened as another tree")
	}
	got, err := walked(st.Head)
	if must(t, err); got != w.state.Head.Digest() {
		t.Error("what was loaded is another tree")
	}
}

// damagesOfCheckpoints are statements that damage the checkpoints of a file.
var damagesOfCheckpoints = []string{
	"UPDATE pair SET value = CAST(substr(value, 1, 40) || x'ff' || substr(value, 42) AS BLOB)" + isCheckpoint,
	"UPDATE pair SET value = x''" + isCheckpoint,
	"UPDATE pair SET value = (SELECT value FROM pair" + isCheckpoint + " LIMIT 1)" + isCheckpoint,
	"UPDATE pair SET value = CAST(substr(value, 1, 20) || x'ff' || substr(value, 22) AS BLOB)" + isPage,
	"UPDATE pair SET value = x''" + isPage,
	"DELETE FROM pair" + isPage,
}

const (
	isCheckpoint = " WHERE space = 1 AND substr(name, 1, 1) = x'63'" // c
	isPage       = " WHERE space = 1 AND substr(name, 1, 1) = x'70'" // p
)

// What a checkpoint says is not trusted: whatever is flipped in it is found by Check, and readers
// get the same from the revisions. Compacting makes it anew.
func TestDamagedCheckpoint(t *testing.T) {
	testrun.OneGoroutine(t)
	for _, statement := range damagesOfCheckpoints {
		t.Run(statement, func(t *testing.T) {
			path, first, w := settled(t, 60)
			must(t, first.Close())
			raw(t, path, statement).Close()
			s, err := openFile(t.Context(), path)
			must(t, err)
			defer s.Close()
			st, err := s.Load(t.Context(), w.state.Key)
			must(t, err)
			if got, err := walked(st.Head); err != nil || got != w.state.Head.Digest() {
				t.Errorf("the reader got another tree, %v", err)
			}
			if !sure.Get(st.Head.Has("block:7-0")) || sure.Get(st.Head.Has("block:7-9")) {
				t.Error("an id is not found, or one that is not there is")
			}
			n := 0
			for at, err := range s.History(t.Context(), w.state.Key, 60, 60) {
				must(t, err)
				if n++; at.Digest() != w.state.Head.Digest() {
					t.Error("the history has another tree")
				}
			}
			if n != 1 {
				t.Errorf("the history has %d snapshots", n)
			}
			if d, err := s.Check(t.Context(), w.state.Key); err != nil || d == nil || !d.Derived {
				t.Errorf("Check found %+v, %v", d, err)
			}
			must(t, s.SettleAll(t.Context()))
			if d, err := s.Check(t.Context(), w.state.Key); err != nil || d != nil {
				t.Errorf("after settling, Check found %+v, %v", d, err)
			}
			if n := keysIn(t, path, "c"); n < 2 {
				t.Errorf("%d checkpoints were made anew", n)
			}
		})
	}
}

// Where the revisions are damaged, a checkpoint in front of them does not hide it, nor does one that
// is damaged too.
func TestDamageBehindACheckpoint(t *testing.T) {
	path, s, w := settled(t, 60)
	w.next(t, "one more, in the log")
	must(t, s.Close())
	for _, statement := range []string{"UPDATE log SET value = CAST(substr(value, 1, 30) || x'0909' || substr(value, 33) AS BLOB)",
		damagesOfCheckpoints[0]} {
		raw(t, path, statement).Close()
		_, err := open(t, path).Load(t.Context(), w.state.Key)
		var d *history.Damage
		if fault.CodeOf(err) != fault.Store || !errors.As(err, &d) || d.Derived {
			t.Errorf("after %s the reader got %v", statement, err)
		}
	}
}

// A fork is opened through the checkpoint of its origin, and lives on when the origin is deleted.
func TestForkUsesTheCheckpointOfItsOrigin(t *testing.T) {
	testrun.OneGoroutine(t)
	path, s, w := settled(t, 600)
	info, err := s.Fork(t.Context(), w.state.Key, 600, engine.Fork{Name: "fork", Entry: history.Entry{}})
	must(t, err)
	f := &turns{store: s, name: "fork"}
	must(t, f.load(t.Context(), info.Key))
	for i := range 5 {
		f.next(t, fmt.Sprint("in the fork ", i))
		w.next(t, fmt.Sprint("beside it ", i))
		must(t, s.SettleAll(t.Context()))
	}
	must(t, s.Delete(t.Context(), w.state.Key))
	again := open(t, path)
	must(t, (&turns{store: again}).load(t.Context(), info.Key))
	st, err := again.Load(t.Context(), info.Key)
	must(t, err)
	got, err := walked(st.Head)
	if must(t, err); got != f.state.Head.Digest() {
		t.Error("what was loaded is another tree")
	}
	if d, err := again.CheckAll(t.Context()); d != nil || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
}
