package pact_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
)

// logReads takes down how many entries are asked for at once.
type logReads struct {
	engine.Contexts
	most, total int64
}

func (s *logReads) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	s.most, s.total = max(s.most, to-from+1), s.total+to-from+1
	return s.Contexts.Log(ctx, key, from, to)
}

// A log is read as it is asked for, a few entries at a time and each of them
// once, however long it is.
func TestTheLogIsReadInPieces(t *testing.T) {
	for _, commits := range []int{100, 1000} {
		s := &logReads{Contexts: engine.InMemory()}
		c := create(t, dbtest.Of(s))
		for i := range commits {
			_, err := c.Commit(background, &pact.CommitOptions{Note: pact.Note{Message: fmt.Sprint("turn ", i+1)},
				Edit: say("x")})
			must(t, err)
		}
		s.most, s.total = 0, 0
		revision := int64(0)
		for e, err := range c.Log(background, 0) {
			must(t, err)
			if revision++; e.Revision != revision || e.Cycle != revision-1 {
				t.Fatalf("entry %d is revision %d of cycle %d", revision, e.Revision, e.Cycle)
			}
		}
		if revision != int64(commits)+1 || s.total != revision || s.most > 256 {
			t.Errorf("%d commits: %d entries, %d asked for, %d at once", commits, revision, s.total, s.most)
		}
		s.most, s.total = 0, 0
		for range c.Log(background, 0) {
			break
		}
		if s.total > 256 {
			t.Errorf("%d entries were read for the first", s.total)
		}
		s.most, s.total = 0, 0
		var out bytes.Buffer
		must(t, c.Export(background, &out))
		if lines := bytes.Count(out.Bytes(), []byte("\n")); lines != commits+2 || s.total != revision || s.most > 256 {
			t.Errorf("a backup of %d lines asked for %d entries, %d at once", lines, s.total, s.most)
		}
	}
}
