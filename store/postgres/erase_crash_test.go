//go:build unix

package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"

	"github.com/contexttree/pact/store/postgres"
)

// eraseAsChild commits turns and erases each of them, which it acknowledges then.
func eraseAsChild(address string) error {
	ctx := context.Background()
	s, err := on(postgres.Open(ctx, address))
	if err != nil {
		return err
	}
	c, err := pact.Open(ctx, dbtest.Of(s), "turns", nil)
	if err != nil {
		return err
	}
	joinAllTheTime(ctx, s)
	for n := 0; ; n++ {
		text := fmt.Sprintf("Jane Doe the %dth of %d.", n, os.Getpid())
		_, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: text})
			return nil
		}})
		if err != nil {
			return err
		}
		of := pact.Erasure{Texts: []string{text}, Reason: "asked for", Random: rand.Reader}
		if _, err := c.Erase(ctx, of); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "ack", text); err != nil {
			return err
		}
	}
}

// TestEraserKilled kills a process that erases. All of an erasure is there or nothing, and
// one that was acknowledged left its text nowhere; what others left behind is cleaned up
// by a call.
func TestEraserKilled(t *testing.T) {
	kills := testrun.Size(t, 4, 8, 200)
	rnd := mrand.New(mrand.NewPCG(uint64(time.Now().UnixNano()), 8))
	address := postgrestest.Database(t)
	s := open(t, address)
	_, err := pact.Create(t.Context(), dbtest.Of(s), "turns", nil)
	must(t, err)
	total, halves := 0, 0
	for range kills {
		after := time.Duration(rnd.IntN(400_000)) * time.Microsecond
		acknowledged := killedAt(t, address, "erase", after)
		total += len(acknowledged)
		if awaited := postgrestest.Exec(t, address, "SELECT name FROM pair WHERE space = 0 AND name >= 'e' AND name < 'f'"); len(awaited) > 0 {
			halves++
		}
		info, err := s.Find(t.Context(), "turns")
		must(t, err)
		done, err := s.Erase(t.Context(), info.Key, engine.Erase{})
		if must(t, err); done.Remains != "" {
			t.Errorf("not cleaned up: %s", done.Remains)
		}
		c, err := pact.Open(t.Context(), dbtest.Of(s), "turns", nil)
		must(t, err)
		text := thread(t, c, "latest")
		for _, gone := range acknowledged {
			if strings.Contains(text, gone) {
				t.Errorf("%q was acknowledged as erased, and is there", gone)
			}
		}
		if all, err := pact.VerifyAll(t.Context(), dbtest.Of(s), nil); err != nil || !all.Holds() {
			t.Fatalf("%+v, %v", all, err)
		}
	}
	t.Logf("%d kills, %d erasures acknowledged, %d killed before the tables were written anew", kills, total, halves)
}

// nextStep is a made-up step to a version 2 of the schema.
const nextStep = `ALTER TABLE log ADD COLUMN note BIGINT; -- of nothing
	CREATE TABLE noted (space BIGINT PRIMARY KEY); INSERT INTO noted (space) SELECT DISTINCT space FROM pair`

// openAsChild opens a store, which brings it to that version.
func openAsChild(address string) error {
	if _, err := fmt.Fprintln(os.Stdout, "ack begins"); err != nil {
		return err
	}
	s, err := on(postgres.OpenNext(context.Background(), address, nextStep))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "ack opened"); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	time.Sleep(time.Hour) // until it is killed
	return nil
}

// TestMigrationKilled kills processes that bring a database to a newer version of the schema. A process that
// opens it next finds everything as it was, and the older program does not open it any more.
func TestMigrationKilled(t *testing.T) {
	kills := testrun.Size(t, 5, 10, 200)
	rnd := mrand.New(mrand.NewPCG(uint64(time.Now().UnixNano()), 9))
	address := postgrestest.Database(t)
	s, err := on(postgres.Open(t.Context(), address))
	must(t, err)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "turns", nil)
	must(t, err)
	for turn := range 5 {
		commit(t, c, fmt.Sprint("token ", turn), turn)
	}
	must(t, s.Close())
	before, within, after := 0, 0, 0
	for range kills {
		said := killedAt(t, address, "open", time.Duration(rnd.IntN(60_000))*time.Microsecond)
		at := postgrestest.Exec(t, address, "SELECT max(version) FROM pact_store")[0][0]
		switch {
		case len(said) == 2:
			after++
		case at == "1":
			before++
		default:
			within++
		}
		s, err := on(postgres.OpenNext(t.Context(), address, nextStep))
		must(t, err)
		all, err := pact.VerifyAll(t.Context(), dbtest.Of(s), nil)
		if must(t, err); !all.Holds() || len(all.Contexts) != 1 || all.Contexts[0].Snapshots != 5 {
			t.Fatalf("%+v", all)
		}
		must(t, s.Close())
		if _, err := on(postgres.Open(t.Context(), address)); fault.CodeOf(err) != fault.Store {
			t.Fatalf("the older program opens the database: %v", err)
		}
		if noted := postgrestest.Exec(t, address, "SELECT space FROM noted"); len(noted) != 2 {
			t.Errorf("the step did not do its work: %v", noted)
		}
		postgrestest.Exec(t, address, `DROP TABLE noted; ALTER TABLE log DROP COLUMN note;
			DELETE FROM pact_store WHERE version > 1`)
	}
	t.Logf("%d kills: %d before the migration was durable, %d between that and the answer, %d after it", kills, before,
		within, after)
}
