package pact_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
	"pgregory.net/rapid"
)

// TestAttemptsAgreeWithModel makes random edits, attempts, commits, forks and
// undos, and compares every line with what was written down of it.
func TestAttemptsAgreeWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	memory := func() *pact.DB { return pact.NewDB(store.NewMemory()) }
	dir, files := t.TempDir(), 0
	onDisk := func() *pact.DB {
		files++
		s, err := dbtest.Open(sqlite.Open(background, filepath.Join(dir, fmt.Sprint(files))))
		must(t, err)
		return s
	}
	for name, open := range map[string]func() *pact.DB{"memory": memory, "sqlite": onDisk} {
		t.Run(name, func(t *testing.T) {
			seen := inspect.AttemptCounts{}
			rapid.Check(t, func(r *rapid.T) {
				s := open()
				defer s.Close()
				lines := []*modelAttempts{{context: create(t, s)}}
				forks := 0
				for range rapid.IntRange(5, 30).Draw(r, "steps") {
					d := rapid.SampledFrom(lines).Draw(r, "line")
					switch rapid.SampledFrom([]string{"edit", "edit", "start", "start", "end", "end", "commit", "commit", "fork",
						"undo"}).Draw(r, "what") {
					case "edit":
						d.edit(t, r)
					case "start":
						d.start(t)
					case "end":
						d.end(t, r)
					case "commit":
						snapshot, err := d.context.Commit(background, nil)
						must(t, err)
						var text bytes.Buffer
						must(t, snapshot.WriteThread(background, &text))
						d.published, d.drafts = append(slices.Clip(d.published), text.String()), nil
					case "fork":
						if n := rapid.IntRange(0, len(d.published)).Draw(r, "at"); n > 0 {
							forks++
							f, err := d.context.Fork(background, pact.Cycle(int64(n)), fmt.Sprint("fork", forks), nil)
							must(t, err)
							lines = append(lines, d.forkedAt(n, f, forks))
						}
					case "undo":
						if n := len(d.published); n > 1 {
							forks++
							undone, err := d.context.Undo(background, nil)
							must(t, err)
							old, err := pact.Open(background, s, undone, nil)
							must(t, err)
							lines = append(lines, d.forkedAt(n-1, d.context, forks))
							d.context = old
						}
					}
				}
				for _, d := range lines {
					j := d.check(t)
					seen.Matching += j.Matching
					seen.Differing = append(seen.Differing, j.Differing...)
					seen.Incomplete += j.Incomplete
				}
			})
			if !testing.Short() && (seen.Matching == 0 || len(seen.Differing) == 0 || seen.Incomplete == 0) {
				t.Errorf("not everything happened: %+v", seen)
			}
		})
	}
}

// forkedAt returns the attempts that a fork at a cycle shares.
func (d *modelAttempts) forkedAt(n int, f *pact.Context, number int) *modelAttempts {
	shared := &modelAttempts{context: f, suffix: fmt.Sprint("-f", number), published: d.published[:n:n]}
	for _, a := range d.calls {
		if a.cycle <= int64(n) {
			shared.calls = append(shared.calls, a)
		}
	}
	return shared
}

// edit adds a draft of one of two texts, or takes one back.
func (d *modelAttempts) edit(t testing.TB, r *rapid.T) {
	must(t, d.context.Edit(background, func(b *pact.Batch) error {
		if len(d.drafts) > 0 && rapid.Bool().Draw(r, "back") {
			id := d.drafts[len(d.drafts)-1]
			d.drafts = d.drafts[:len(d.drafts)-1]
			b.Remove(id)
			return nil
		}
		id := b.Add("^ah", pact.Spec{Content: rapid.SampledFrom([]string{"a", "b"}).Draw(r, "text")})
		err := b.Err()
		d.drafts = append(d.drafts, id)
		return err
	}, nil))
}

func (d *modelAttempts) start(t testing.TB) {
	a, text := start(t, d.context)
	n := 1
	for _, other := range d.calls {
		if other.cycle == d.cycle() {
			n++
		}
	}
	if want := fmt.Sprintf("attempt:%d-%d%s", d.cycle(), n, d.suffix); a.ID != want {
		t.Fatalf("the id is %s, want %s", a.ID, want)
	}
	d.calls = append(d.calls, &modelAttempt{a.ID, d.cycle(), text, history.Running})
}

func (d *modelAttempts) end(t testing.TB, r *rapid.T) {
	if len(d.calls) == 0 {
		return
	}
	a := rapid.SampledFrom(d.calls).Draw(r, "attempt")
	status := rapid.SampledFrom([]history.AttemptStatus{history.Completed, history.Completed, history.Canceled,
		history.Failed}).Draw(r, "status")
	_, err := d.context.EndAttempt(background, a.id, pact.Outcome{Status: status})
	if a.status != history.Running {
		if fault.CodeOf(err) != fault.Conflict {
			t.Fatalf("%s was ended twice: %v", a.id, err)
		}
		return
	}
	must(t, err)
	a.status = status
}

func (d *modelAttempts) check(t testing.TB) inspect.AttemptCounts {
	list, err := d.context.Attempts(background, 1, d.cycle())
	must(t, err)
	if len(list) != len(d.calls) {
		t.Fatalf("%d attempts, want %d", len(list), len(d.calls))
	}
	for i, a := range list {
		if want := d.calls[i]; a.ID != want.id || a.Cycle != want.cycle || a.Status != want.status ||
			a.Thread != sha(want.text) {
			t.Fatalf("attempt %d is %+v, want %+v", i, a, want)
		}
	}
	want, got := d.counts(), attemptCounts(t, d.context)
	if got == nil {
		got = &inspect.AttemptCounts{Differing: []int64{}}
	}
	if fmt.Sprint(want) != fmt.Sprint(*got) {
		t.Fatalf("verify says %+v, want %+v", *got, want)
	}
	return want
}
