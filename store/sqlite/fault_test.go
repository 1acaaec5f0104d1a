package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// shortLife makes a store, commits, closes it, opens it again and goes on, and
// notes what was acknowledged, until something fails.
func shortLife(ctx context.Context, path string, acknowledge func(cycle int64, digest string)) error {
	for range 2 {
		s, w, err := resume(ctx, path)
		for i := 0; err == nil && i < 2; i++ {
			if err = w.commit(ctx, fmt.Sprint("turn ", w.state.Stamps.Cycle), i == 1); err == nil {
				acknowledge(w.state.Cycle, w.state.Head.Digest().String())
			}
		}
		if err == nil {
			_, err = s.PutAttempt(ctx, w.state.Key, w.call())
		}
		if s != nil {
			if failed := s.Close(); err == nil {
				err = failed
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// survives opens a file and looks for what was acknowledged, and for damage.
func survives(t *testing.T, path string, acknowledged map[int64]string, what string) {
	t.Helper()
	s, err := openFile(t.Context(), path)
	if err != nil {
		t.Errorf("%s: it does not open: %v", what, err)
		return
	}
	defer s.Close()
	if damage, err := s.CheckAll(t.Context()); err != nil || damage != nil {
		t.Errorf("%s: %+v, %v", what, damage, err)
	}
	info, err := s.Find(t.Context(), "turns")
	if err != nil {
		if len(acknowledged) > 0 {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
		t.Errorf("%s: %+v, %v", what, damage, err)
	}
	for cycle, digest := range acknowledged {
		snapshot, err := engine.Snapshot(t.Context(), s, info.Key, cycle)
		if err != nil || snapshot.Digest().String() != digest {
			t.Errorf("%s: commit %d was acknowledged: %v", what, cycle, err)
		}
	}
	w := &turns{store: s}
	if err := w.load(t.Context(), info.Key); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if err := w.commit(t.Context(), "afterwards", false); err != nil {
		t.Errorf("%s: it does not go on: %v", what, err)
	}
}

// TestFailingDisk fails every call of SQLite to the disk in turn, once alone and
// once with all that follow. What was acknowledged is there afterwards, and what
// is there is whole.
func TestFailingDisk(t *testing.T) {
	testrun.OneGoroutine(t)
	root := t.TempDir()
	every := 16 / testrun.Size(t, 1, 4, 16) // of the calls one in so many fails
	runs, refused := 0, 0
	for k := 1; ; k += every {
		ended := false
		for _, stays := range []bool{false, true} {
			dir := filepath.Join(root, fmt.Sprint(k, stays))
			must(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, "pact.db")
			d := useDisk(t, dir)
			d.fail, d.stays = k, stays
			acknowledged := map[int64]string{}
			err := shortLife(t.Context(), path, func(cycle int64, digest string) { acknowledged[cycle] = digest })
			d.mu.Lock()
			ended = d.calls < k
			d.dir = ""
			d.mu.Unlock()
			what := fmt.Sprintf("call %d failed (%v)", k, stays)
			if err != nil {
				refused++
				if fault.CodeOf(err) == "" {
					t.Errorf("%s: the error %v has no code", what, err)
				}
			}
			survives(t, path, acknowledged, what)
			runs++
			must(t, os.RemoveAll(dir))
		}
		if ended {
			break
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d runs, %d with an error", runs, refused)
	if refused < runs/4 {
		t.Error("few calls were failed")
	}
}

// TestPowerCuts writes down what a run does to its files, and cuts the power at
// moments of it: of what was not synchronised by then any part may have reached
// the disk, in any order, and a write in part. What was acknowledged by then is
// there, and what is there is whole.
func TestPowerCuts(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Run("log", func(t *testing.T) { powerCuts(t, 0) })
	t.Run("segments and checkpoints", func(t *testing.T) {
		t.Cleanup(joinSoon())
		powerCuts(t, 1)
	})
}

// powerCuts cuts the power of runs that write at least so many segments and checkpoints.
func powerCuts(t *testing.T, joined int) {
	cuts := testrun.Size(t, 50, 150, 5000)
	dir := t.TempDir()
	path := filepath.Join(dir, "pact.db")
	must(t, open(t, path).Close()) // which is made elsewhere and gets its name at last
	made, err := os.ReadFile(path)
	must(t, err)
	d := useDisk(t, dir)
	d.record = true
	past := 0
	t.Cleanup(sqlite.SeePast(func(name string, data []byte, at int64) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if past++; d.dir != "" && strings.HasPrefix(name, d.dir) {
			d.done = append(d.done, action{'w', name[len(d.dir):], at, slices.Clone(data)}, action{kind: 's', file: name[len(d.dir):]})
		}
	}))
	type ack struct {
		at     int // actions before it
		cycle  int64
		digest string
	}
	var acks []ack
	must(t, shortLife(t.Context(), path, func(cycle int64, digest string) {
		d.mu.Lock()
		acks = append(acks, ack{len(d.done), cycle, digest})
		d.mu.Unlock()
	}))
	if joined > 0 {
		s, w, err := resume(t.Context(), path)
		must(t, err)
		must(t, s.SettleAll(t.Context()))
		w.next(t, "after joining")
		must(t, s.Close())
	}
	d.mu.Lock()
	actions := d.done
	d.dir = ""
	d.mu.Unlock()
	if segments, checkpoints := segmentsIn(t, path), keysIn(t, path, "c"); min(segments, checkpoints) < joined {
		t.Fatalf("the run wrote %d segments and %d checkpoints", segments, checkpoints)
	}
	r := rand.New(rand.NewPCG(17, 10))
	for cut := range cuts {
		at := r.IntN(len(actions) + 1)
		files := powerCut(r, made, actions[:at])
		sub := filepath.Join(dir, fmt.Sprint("cut", cut))
		must(t, os.Mkdir(sub, 0o700))
		for name, data := range files {
			must(t, os.WriteFile(filepath.Join(sub, name), data, 0o600))
		}
		acknowledged := map[int64]string{}
		for _, a := range acks {
			if a.at <= at {
				acknowledged[a.cycle] = a.digest
			}
		}
		survives(t, filepath.Join(sub, "pact.db"), acknowledged, fmt.Sprintf("cut %d after action %d of %d", cut, at,
			len(actions)))
		must(t, os.RemoveAll(sub))
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d cuts in %d actions, %d commits, %d writes past SQLite", cuts, len(actions), len(acks), past)
	if past == 0 {
		t.Error("nothing was written past SQLite")
	}
}

// sector is the unit that a disk writes whole.
const sector = 512

// powerCut returns the files as they may be when the power goes after some
// actions: all that was synchronised, and any part of the rest.
func powerCut(r *rand.Rand, made []byte, actions []action) map[string][]byte {
	synced := map[string]int{} // the last synchronisation of each file
	for i, a := range actions {
		if a.kind == 's' {
			synced[a.file] = i + 1
		}
	}
	files := map[string][]byte{"/pact.db": slices.Clone(made)}
	likely := r.Float64()
	put := func(a action, from, to int) {
		data := files[a.file]
		if need := int(a.offset) + to; len(data) < need {
			data = append(data, make([]byte, need-len(data))...)
		}
		copy(data[int(a.offset)+from:], a.data[from:to])
		files[a.file] = data
	}
	var late []action // in an order of its own
	for i, a := range actions {
		switch durable := i < synced[a.file]; {
		case a.kind == 's':
		case durable && a.kind == 'w':
			put(a, 0, len(a.data))
		case !durable && a.kind == 'w':
			if r.Float64() < likely {
				late = append(late, a)
			}
		case a.kind == 't':
			if data, there := files[a.file]; there && (durable || r.Float64() < likely) && int(a.offset) < len(data) {
				files[a.file] = data[:a.offset]
			}
		case a.kind == 'd':
			if durable || r.Float64() < likely {
				delete(files, a.file)
			}
		}
	}
	r.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
	for _, a := range late {
		if r.IntN(4) > 0 {
			put(a, 0, len(a.data))
			continue
		}
		for from := 0; from < len(a.data); from += sector {
			if r.IntN(2) == 0 {
				put(a, from, min(from+sector, len(a.data)))
			}
		}
	}
	return files
}
