package librarytest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// late is a store whose caller is interrupted when an erasure is durable.
type late struct {
	engine.Contexts
	interrupt func()
}

func (s *late) Erase(ctx context.Context, key history.Key, e engine.Erase) (*history.Erased, error) {
	of, err := s.Contexts.Erase(ctx, key, e)
	if !e.DryRun {
		s.interrupt()
	}
	return of, err
}

// TestEraseReturnsItsReceiptAlthoughTheCallerGivesUp interrupts the caller of an erasure when there is no
// way back: the receipt is given out once, so it must not be lost.
func TestEraseReturnsItsReceiptAlthoughTheCallerGivesUp(t *testing.T) {
	file, err := dbtest.Engine(sqlite.Open(background, filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	t.Cleanup(func() { file.Close() })
	for name, s := range map[string]engine.Contexts{"memory": engine.InMemory(), "sqlite": file} {
		ctx, interrupt := context.WithCancel(background)
		interrupted := &late{s, interrupt}
		c := create(t, dbtest.Of(interrupted))
		must(t, c.Edit(background, say("I am Jane Doe"), nil))
		same, err := pact.Open(background, dbtest.Of(interrupted), "c", nil)
		must(t, err)
		of, err := c.Erase(ctx, pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance()})
		if err != nil || of == nil || len(of.Receipt) != 64 {
			t.Fatalf("%s: %+v, %v", name, of, err)
		}
		if text := textOf(t, c.Working()); strings.Contains(text, "Jane") {
			t.Errorf("%s: who erased still has %s", name, text)
		}
		if text, err := textAt(t, same, pact.Working()); err != nil || strings.Contains(text, "Jane") {
			t.Errorf("%s: another handle still gives out %s, %v", name, text, err)
		}
	}
}

// TestErasedStubsAreReadAgain erases what stands for a turn, and has the history
// read by a reader that mends nothing.
func TestErasedStubsAreReadAgain(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("a question that is long enough for a stub to be shorter"), nil))
	first, err := c.Commit(background, nil)
	must(t, err)
	turn := sure.Get(tree.Of(first).Region(tree.Seq).Children().At(0)).Node().ID
	snapshot, err := c.Commit(background,
		&pact.CommitOptions{Pruning: &pact.Pruning{Policy: lifecycle.Policy{Stub: "gone, Jane"}, IDs: []string{turn}}})
	must(t, err)
	if len(snapshot.Report.Stubs) != 1 {
		t.Fatalf("stubs %+v", snapshot.Report.Stubs)
	}
	_, err = c.Erase(background, pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance()})
	must(t, err)
	var out bytes.Buffer
	must(t, c.ExportSnapshots(background, &out, pact.Cycle(1), pact.Latest()))
	if strings.Contains(out.String(), "Jane") {
		t.Error("the text is still there")
	}
	if _, findings, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", &out,
		&pact.ImportHistoryOptions{HistoryOptions: pact.HistoryOptions{Strict: true}}); err != nil || len(findings) > 0 {
		t.Errorf("%v, %v", findings, err)
	}
}

// TestEraseLeavesDamageToBeFound damages a value, erases something else, and looks
// whether the damage is still found.
func TestEraseLeavesDamageToBeFound(t *testing.T) {
	testrun.OneGoroutine(t)
	d := damage(t)
	r := rand.New(rand.NewPCG(17, 4))
	intact, err := os.ReadFile(d.path)
	must(t, err)
	flips := 0
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		for _, c := range d.cells(table) {
			if !testrun.Thorough() && r.IntN(6) > 0 {
				continue
			}
			if err := d.set(c, c.at, flip(r, c.value)); err != nil {
				continue
			}
			flips++
			before := d.answers() == d.intact
			if done := d.erase("rule"); done && len(d.found()) == 0 && !before {
				t.Errorf("mended: %v", c)
			}
			must(t, d.db.Close())
			for _, name := range []string{d.path + "-wal", d.path + "-shm"} {
				os.Remove(name)
			}
			must(t, os.WriteFile(d.path, intact, 0o600))
			d.reopen()
		}
	}
	if !d.erase("rule") {
		t.Error("what is whole cannot be erased")
	}
	if list := d.found(); len(list) > 0 {
		t.Errorf("undamaged, it does not hold: %q", list)
	}
	t.Logf("%d flips", flips)
}

// erase reports whether an erasure was carried out.
func (d *damaged) erase(id string) bool {
	d.Helper()
	s, err := dbtest.Open(sqlite.Open(background, d.path))
	if err != nil {
		return false
	}
	defer s.Close()
	c, err := pact.Open(background, s, "c", nil)
	if err != nil {
		return false
	}
	_, err = c.Erase(background, erasure(id))
	return err == nil
}

// TestVerifyBesideErasures verifies while turns are erased, one after the other:
// what is read half before and half after is no damage.
func TestVerifyBesideErasures(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := create(t, s)
			for i := range 12 {
				must(t, c.Edit(background, say(fmt.Sprint("turn ", i)), nil))
				_, err := c.Commit(background, nil)
				must(t, err)
			}
			other, err := pact.Open(background, s, "c", nil)
			must(t, err)
			done := make(chan error, 1)
			go func() {
				for i := range 12 {
					e := erasure(fmt.Sprintf("cb:%d-0", i+1))
					e.Random = rand.NewChaCha8([32]byte{byte(i)})
					if _, err := c.Erase(background, e); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			for {
				r, err := pact.Verify(background, other, nil)
				must(t, err)
				if r.Defect != nil {
					t.Fatalf("broken: %+v", r.Defect)
				}
				select {
				case err := <-done:
					must(t, err)
					r, err := pact.Verify(background, other, nil)
					if err != nil || r.Erased != 12 || len(r.Erasures) != 12 {
						t.Errorf("at the end %+v, %v", r, err)
					}
					return
				default:
				}
			}
		})
	}
}

// An erasure by a text that is found nowhere changes nothing: neither the digests of drafts that were replaced, nor
// what attempts sent, nor the log.
func TestAnErasureThatFindsNothingChangesNothing(t *testing.T) {
	for pair, open := range handles {
		t.Run(pair, func(t *testing.T) {
			s := open(t)[0]
			c := contextWithPIN(t, s, "4711")
			log := func() (text string) {
				for e, err := range c.Log(background, 1) {
					must(t, err)
					text += fmt.Sprintf("%+v\n", e)
				}
				return text
			}
			before := log()
			of, err := c.Erase(background, pact.Erasure{Texts: []string{"0815"}, Reason: "asked for", Random: chance()})
			must(t, err)
			if of.Digests+of.Attempts+of.Versions+of.Entries+len(of.Contexts) != 0 || of.Receipt != "" {
				t.Errorf("it erased %+v", of)
			}
			if after := log(); after != before {
				t.Errorf("the log was\n%s and is\n%s", before, after)
			}
		})
	}
}
