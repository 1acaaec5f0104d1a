package record_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/store/sqlite"
)

// full is a store on a disk that is full at times.
type full struct {
	engine.Contexts
	random *rand.Rand
	room   atomic.Bool // from now on
}

func (f *full) write() error {
	if !f.room.Load() && f.random.IntN(4) == 0 {
		return fault.New(fault.Store, "the disk is full", "")
	}
	return nil
}

func (f *full) Create(ctx context.Context, g engine.Creation) (*engine.State, error) {
	if err := f.write(); err != nil {
		return nil, err
	}
	return f.Contexts.Create(ctx, g)
}

func (f *full) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	if err := f.write(); err != nil {
		return err
	}
	return f.Contexts.Apply(ctx, key, g, changes...)
}

func (f *full) PutAttempt(ctx context.Context, key history.Key, a history.Attempt) (history.Attempt, error) {
	if err := f.write(); err != nil {
		return history.Attempt{}, err
	}
	return f.Contexts.PutAttempt(ctx, key, a)
}

// A disk that is full at times costs calls their records, and nothing else: what
// is recorded is what was sent, what was lost is counted, and as soon as there is
// room calls are recorded again.
func TestADiskThatIsFullAtTimes(t *testing.T) {
	for seed := range uint64(testrun.Size(t, 8, 20, 100)) {
		p, url := startProvider(t)
		s := &full{Contexts: engine.InMemory(), random: rand.New(rand.NewPCG(seed, 1))}
		rec := recorder(t, dbtest.Of(s), record.Options{Context: "chat"})
		a := newAgent(t, provider.Chat, url, rec.Transport(nil), seed%2 == 0)
		const calls = 15
		for i := range calls {
			if i == calls-1 {
				s.room.Store(true)
			}
			a.ask(fmt.Sprint("question ", i))
			a.call()
		}
		rec.Close()
		got := rec.Stats()
		if got.Calls > calls || got.Calls+got.NotRecorded < calls || got.NotRecorded > 0 && !errors.Is(got.LastError, fault.Store) {
			t.Errorf("seed %d: %+v", seed, got)
		}
		last := false
		for _, name := range rec.Contexts() {
			for _, body := range ownBodies(t, dbtest.Of(s), name) {
				if !slices.ContainsFunc(p.Received(), func(r providertest.Received) bool { return string(r.Body) == body }) {
					t.Errorf("seed %d: %s has a call that was not sent: %s", seed, name, body)
				}
				last = last || bytes.Equal(a.lastBody, []byte(body))
			}
		}
		if !last {
			t.Errorf("seed %d: the last call was not recorded: %+v", seed, got)
		}
	}
}

// A process that holds the file holds up no call, and what waited is recorded then.
func TestAStoreThatIsLockedHoldsUpNobody(t *testing.T) {
	p, url := startProvider(t)
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer s.Close()
	holder, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer holder.Close()
	conn, err := holder.Conn(t.Context())
	must(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	for i := range 3 {
		a.ask(fmt.Sprint("question ", i))
		a.call()
	}
	if got := rec.Stats(); got.Calls != 0 || len(p.Received()) != 3 {
		t.Errorf("the file was not held: %+v", got)
	}
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	rec.Close()
	if got := rec.Stats(); got.Calls != 3 || got.NotRecorded != 0 {
		t.Errorf("%+v", got)
	}
	sentAsReceived(t, opened(t, s, "chat"), p)
}
