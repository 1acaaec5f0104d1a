package engine_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// joining is a medium to which another process writes before the first batch that joins cycles.
type joining struct {
	shared
	other func() // nil once it has written
}

func (j *joining) Write(ctx context.Context, of *store.Batch) error {
	if other := j.other; other != nil && len(of.Cut) > 0 {
		j.other = nil
		other()
	}
	return j.shared.Write(ctx, of)
}

func running(cycle int64) history.Attempt {
	return history.Attempt{Cycle: cycle, Status: history.Running, StartedNS: 1, Provider: "provider", Model: "model",
		Params: history.NoThread, Thread: history.NoThread}
}

// ended starts an attempt and ends it.
func ended(t *testing.T, e *engine.Engine, key history.Key, cycle int64) {
	t.Helper()
	a, err := e.PutAttempt(background, key, running(cycle))
	must(t, err)
	_, err = e.PutAttempt(background, key, history.Attempt{ID: a.ID, Status: history.Completed, EndedNS: 2})
	must(t, err)
}

// attemptsOf returns the ids of the attempts of a context.
func attemptsOf(t *testing.T, e *engine.Engine, key history.Key) (ids []string) {
	t.Helper()
	list, err := e.Attempts(background, key, 1, math.MaxInt64)
	must(t, err)
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	return ids
}

// A copy gets its attempts when it has the cycles, which are joined in the background at that time: what joins had
// looked for attempts before they came, and took them away with the span it had read.
func TestACopyThatIsJoinedKeepsTheAttempts(t *testing.T) {
	from := engine.New(store.NewMemory(), zstd.Packing)
	defer from.Close()
	w := begin(t, from, "chat")
	for i := range 8 {
		ended(t, from, w.key, int64(i)+1)
		must(t, w.commit(said(i)))
	}
	list, err := from.Attempts(background, w.key, 1, 8)
	must(t, err)
	branches, err := from.Branches(background)
	must(t, err)
	first, err := from.Part(background, w.key, 1, 1)
	must(t, err)
	rest, err := from.Part(background, w.key, 2, branches[0].Revision)
	must(t, err)

	medium := &joining{shared: shared{store.NewMemory()}}
	to, other := engine.NewHasty(medium, zstd.Packing), engine.New(medium.shared, zstd.Packing)
	defer other.Close()
	key, err := to.BeginCopy(background, branches[0], first)
	must(t, err)
	copied := false
	medium.other = func() {
		copied = true
		must(t, other.CopyAttempts(background, key, list))
	}
	must(t, to.ExtendCopy(background, key, rest))
	to.Idle()
	if !copied {
		t.Fatal("nothing was joined")
	}
	if ids, want := attemptsOf(t, to, key), attemptsOf(t, from, w.key); !slices.Equal(ids, want) {
		t.Errorf("the copy has the attempts %q, want %q", ids, want)
	}
	must(t, to.Close())
}

// slow is a medium of a process that is stopped once, while others go on: before it looks for the attempts of a cycle,
// before it writes, or, late, after a join of others has read and before that writes.
type slow struct {
	shared
	stop   string // when; "" once it was
	joins  *joining
	others func()
}

func (s *slow) stops(at string) bool {
	if s.stop != at {
		return false
	}
	s.stop = ""
	return true
}

func (s *slow) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	if of.From[0] == 'a' && s.stops("look") {
		s.others()
	}
	return s.shared.Range(ctx, of, o)
}

func (s *slow) Write(ctx context.Context, of *store.Batch) (err error) {
	switch {
	case s.stops("write"):
		s.others()
	case s.stops("late"):
		s.joins.other = func() { err = s.shared.Write(ctx, of) }
		s.others()
		return err
	}
	return s.shared.Write(ctx, of)
}

// A process that starts an attempt may be stopped for as long as others need to end the cycle and to join it: what it
// acknowledges stays, and does not get the number of an attempt that was joined.
func TestASlowProcessStartsNoAttemptInAJoinedCycle(t *testing.T) {
	for _, stop := range []string{"look", "write", "late"} {
		medium := shared{store.NewMemory()}
		joins := &joining{shared: medium}
		other := engine.NewHasty(joins, zstd.Packing)
		w := begin(t, other, "chat")
		ended(t, other, w.key, 1)
		m := &slow{shared: medium, stop: stop, joins: joins, others: func() {
			for i := range 4 {
				must(t, w.commit(said(i)))
			}
			must(t, other.Settle(background, w.key))
		}}
		e := engine.New(m, zstd.Packing)
		a, err := e.PutAttempt(background, w.key, running(1))
		want := []string{"attempt:1-1"}
		if err == nil {
			want = append(want, "attempt:1-2")
		} else if !errors.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", stop, err)
		}
		if ids := attemptsOf(t, other, w.key); m.stop != "" || joins.other != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: there are the attempts %q, want %q; started %q, %v", stop, ids, want, a.ID, err)
		}
		must(t, e.Close())
		must(t, other.Close())
	}
}
