package librarytest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// writers opens a new context twice: as one process does, and as two.
func writers(t *testing.T, test func(t *testing.T, a, b *pact.Context)) {
	for name, on := range handles() {
		t.Run(name, func(t *testing.T) {
			a := create(t, on[0])
			b, err := pact.Open(background, on[1], a.Info().Name, &pact.OpenOptions{Actor: "bea", Clock: steps()})
			must(t, err)
			test(t, a, b)
		})
	}
}

// conflict returns the Conflict of an error, which has to be an E_CONFLICT.
func conflict(t *testing.T, err error) *pact.Conflict {
	t.Helper()
	var lost *pact.Conflict
	if fault.CodeOf(err) != fault.Conflict || !errors.As(err, &lost) {
		t.Fatalf("got %v, want an E_CONFLICT with a Conflict", err)
	}
	return lost
}

// The loser of an edit and of a commit is told what was written meanwhile; Rebase
// makes the call upon it, and dropping the error gives up.
func TestConflictSaysWhatTheOtherWriterDid(t *testing.T) {
	writers(t, func(t *testing.T, a, b *pact.Context) {
		must(t, b.Edit(background, say("draft of b"), nil))
		_, err := b.Commit(background, &pact.CommitOptions{Edit: say("of b"), Note: pact.Note{Message: "first"}})
		must(t, err)
		runs := 0
		lost := conflict(t, a.Edit(background, func(batch *pact.Batch) error {
			runs++
			return say("of a")(batch)
		}, nil))
		type written struct {
			revision       int64
			kind           history.Kind
			cycle          int64
			actor, message string
		}
		var got []written
		for _, e := range lost.Meanwhile {
			got = append(got, written{e.Revision, e.Kind, e.Cycle, e.Actor, e.Message})
		}
		if want := []written{{2, history.Edit, 1, "bea", ""}, {3, history.Commit, 1, "bea", "first"}}; !slices.Equal(got, want) ||
			lost.More {
			t.Errorf("meanwhile %v, more %v, want %v", got, lost.More, want)
		}
		if want := `meanwhile revision 2, edit of cycle 1 by bea; revision 3, commit of cycle 1 by bea: "first"`; lost.Error() != want {
			t.Errorf("%s, want %s", lost, want)
		}
		if a.Info().Revision != 1 {
			t.Errorf("the loser is at revision %d before it was asked", a.Info().Revision)
		}
		_, err = lost.Rebase(background)
		must(t, err)
		if runs != 2 || a.Info().Revision != 4 {
			t.Errorf("the edit ran %d times, revision %d", runs, a.Info().Revision)
		}
		// b does not know of the draft: it loses, and gives up.
		conflict(t, b.Edit(background, say("never"), nil))
		snapshot, err := a.Commit(background, nil)
		must(t, err)
		var text strings.Builder
		must(t, tree.Of(snapshot).WriteThread(background, &text))
		if n := strings.Count(text.String(), "of a"); n != 1 || strings.Contains(text.String(), "never") {
			t.Errorf("%d times the edit of a: %s", n, text.String())
		}
	})
}

// What was sent to a model, and drafts that another writer committed, are not
// committed as something else.
func TestRebaseRefusesOtherCandidatesAndDrafts(t *testing.T) {
	writers(t, func(t *testing.T, a, b *pact.Context) {
		_, err := a.Prepare(background, nil)
		must(t, err)
		must(t, b.Edit(background, say("b"), nil))
		_, err = a.Commit(background, nil)
		lost := conflict(t, err)
		if _, err := lost.Rebase(background); fault.CodeOf(err) != fault.Conflict || a.Info().Revision != 2 {
			t.Errorf("a prepared candidate was committed as another: %v, revision %d", err, a.Info().Revision)
		}
		_, err = b.Commit(background, nil)
		must(t, err)
		_, err = a.Commit(background, nil)
		lost = conflict(t, err)
		if _, err := lost.Rebase(background); fault.CodeOf(err) != fault.Conflict || a.Info().Revision != 3 {
			t.Errorf("drafts were committed twice: %v, revision %d", err, a.Info().Revision)
		}
		// An edit alone in between leaves the cycle what it was.
		must(t, b.Edit(background, say("b again"), nil))
		_, err = a.Commit(background, nil)
		lost = conflict(t, err)
		snapshot, err := lost.Rebase(background)
		must(t, err)
		if snapshot.Cycle() != 2 {
			t.Errorf("cycle %d", snapshot.Cycle())
		}
		// A failure of the function itself is no conflict, whatever others did.
		must(t, a.Edit(background, say("a"), nil))
		if err := b.Edit(background, func(batch *pact.Batch) error { return fault.New(fault.Conflict, "mine", "") },
			nil); errors.As(err, new(*pact.Conflict)) {
			t.Errorf("%v", err)
		}
	})
}

// Two writers that commit against each other, and rebase when they lose, make one
// line in which every acknowledged turn is once.
func TestWritersThatRebaseLoseNoTurn(t *testing.T) {
	const each = 12
	writers(t, func(t *testing.T, a, b *pact.Context) {
		var all sync.WaitGroup
		for name, c := range map[string]*pact.Context{"a": a, "b": b} {
			all.Go(func() {
				for i := range each {
					_, err := c.Commit(background, &pact.CommitOptions{Edit: say(fmt.Sprintf("%s-%d;", name, i))})
					for lost := (*pact.Conflict)(nil); errors.As(err, &lost); lost = nil {
						_, err = lost.Rebase(background)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		must(t, a.Refresh(background))
		if last := a.Info().Cycle; last != 2*each || a.Info().Revision != 2*each+1 {
			t.Errorf("cycle %d, revision %d after %d commits", last, a.Info().Revision, 2*each)
		}
		var text strings.Builder
		must(t, tree.Of(snapshotAt(t, a, "latest")).WriteThread(background, &text))
		for _, name := range []string{"a", "b"} {
			for i := range each {
				if n := strings.Count(text.String(), fmt.Sprintf("%s-%d;", name, i)); n != 1 {
					t.Errorf("the turn %s-%d is there %d times", name, i, n)
				}
			}
		}
	})
}
