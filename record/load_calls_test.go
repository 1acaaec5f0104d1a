//go:build unix

package record_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// Each of many calls is a conversation of its own: the last ones cost the processor as much as the first, each is recorded
// or lost, and the next recorder reads as little for its first call as after few.
func TestOneCallConversationsCostTheSame(t *testing.T) {
	conversations := testrun.Size(t, 800, 1500, 50_000)
	s := &dbtest.Failing{}
	var err error
	s.Store, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db"))
	must(t, err)
	db := pact.NewDB(s)
	defer func() { must(t, db.Close()) }()
	rec := recorder(t, db, record.Options{})
	var costs []time.Duration // of a tenth of the calls each
	before, early, first := processor(), 0, int64(0)
	for i := range conversations {
		post(t, rec, talkOf(fmt.Sprint("text ", i)), "")
		if (i+1)%(conversations/10) == 0 {
			record.Drain(rec)
			now := processor()
			costs, before = append(costs, now-before), now
		}
		if i+1 == 64 {
			rec.Close()
			early, first = rec.Stats().Calls, restarts(t, db, s, "Hello.")
			rec, before = recorder(t, db, record.Options{}), processor()
		}
	}
	rec.Close()
	got := rec.Stats()
	got.Calls += early
	t.Logf("%d recorded, %d lost; of the processor each tenth took %v", got.Calls, got.Lost, costs)
	if got.Calls+got.Lost != conversations || (got.Lost > 0) != (got.LastError != nil) {
		t.Errorf("%d recorded, %d lost of %d: %v", got.Calls, got.Lost, conversations, got.LastError)
	}
	if some, late := costs[1]+costs[2], costs[8]+costs[9]; testrun.Thorough() && float64(late) > 1.2*float64(some) {
		t.Errorf("a fifth took %v of the processor at first, %v at the end", some, late)
	}
	if now := restarts(t, db, s, "Good day."); now > first+first/10 {
		t.Errorf("the first call of a recorder reads %d times, after few calls %d", now, first)
	}
}

// restarts records a call with a new recorder, and returns how often it read.
func restarts(t *testing.T, db *pact.DB, s *dbtest.Failing, text string) int64 {
	t.Helper()
	s.From.Store(math.MaxInt64)
	before, began := s.Reads(), time.Now()
	rec := recorder(t, db, record.Options{Strict: true})
	post(t, rec, talkOf(text), "")
	t.Logf("a restart with one call took %v and %d reads", time.Since(began), s.Reads()-before)
	reads := s.Reads() - before
	rec.Close()
	return reads
}
