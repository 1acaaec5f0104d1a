package gathered_test

import (
	"errors"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// Of two imports of one log at the same time, the one that loses tells of the other, wherever both begin forks: what it
// gathered and what the other wrote do not fit, and nothing is damaged.
func TestAnImportThatLosesARaceFindsNoDamage(t *testing.T) {
	read := func() *intake.Session {
		log, err := calllog.Read(dbtest.Edits(8))
		testrun.Must(t, err)
		return &intake.Session{Name: "run", Format: log.Format, Session: &log.Sessions[0]}
	}
	for at := 1; at < 16; at++ {
		medium := unclosed{store.NewMemory()}
		loser, winner := gathered.New(medium), gathered.New(medium)
		var made []string
		var failed error
		_, _, _, err := read().Record(t.Context(), pact.NewDB(loser), "me", nil, func(done int) {
			if done != at || failed != nil {
				return
			}
			made, _, _, failed = read().Record(t.Context(), pact.NewDB(winner), "me", nil, func(int) {})
			failed = winner.End(t.Context(), failed)
		})
		testrun.Must(t, failed)
		if ended := loser.End(t.Context(), err); !errors.Is(ended, fault.Conflict) {
			t.Errorf("after call %d of the other: the import that was slower ended with %v, said to be %v", at, err, ended)
		}
		contexts, err := pact.List(t.Context(), pact.NewDB(medium))
		if err != nil || len(contexts) != len(made) {
			t.Errorf("after call %d: there are %d contexts, %v, and %d with calls", at, len(contexts), err, len(made))
		}
	}
}
