package librarytest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
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
	ctx, interrupt := context.WithCancel(background)
	s := dbtest.Of(&late{engine.InMemory(), interrupt})
	c := create(t, s)
	must(t, c.Edit(background, say("I am Jane Doe"), nil))
	same := reopened(t, s, "c")
	of, err := c.Erase(ctx, erasureOf("Jane"))
	if err != nil || of == nil || len(of.Receipt) != 64 {
		t.Fatalf("%+v, %v", of, err)
	}
	for _, c := range []*pact.Context{c, same} {
		if text := textOf(t, snapshotAt(t, c, "working")); strings.Contains(text, "Jane") {
			t.Errorf("a handle still has %s", text)
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
	_, err = c.Erase(background, erasureOf("Jane"))
	must(t, err)
	var out bytes.Buffer
	must(t, c.ExportSnapshots(background, &out, pact.Cycle(1), "latest"))
	if strings.Contains(out.String(), "Jane") {
		t.Error("the text is still there")
	}
	if _, findings, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", &out,
		&pact.ImportOptions{Strict: true}); err != nil || len(findings) > 0 {
		t.Errorf("%v, %v", findings, err)
	}
}

// TestEraseWritesTheReceiptFirst holds that the receipt is handed over once, before
// anything is written, and that nothing is erased where it cannot be.
func TestEraseWritesTheReceiptFirst(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	must(t, c.Edit(background, say("I am Jane Doe"), nil))
	_, err := c.Commit(background, nil)
	must(t, err)
	revision := c.Info().Revision

	var given []string
	lost := errors.New("nowhere to put it")
	e := pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance(), DryRun: true,
		Receipt: func(receipt string) error {
			given = append(given, receipt)
			return lost
		}}
	_, err = c.Erase(background, e)
	must(t, err)
	if len(given) > 0 {
		t.Errorf("a dry run gives the receipts %q", given)
	}
	e.DryRun = false
	if _, err := c.Erase(background, e); !errors.Is(err, lost) {
		t.Errorf("a lost receipt: %v", err)
	}
	if list := verdicts(t, s); c.Info().Revision != revision || len(list) > 0 {
		t.Errorf("an erasure without a receipt left revision %d, and verify says %q", c.Info().Revision, list)
	}
	for _, random := range []io.Reader{nil, bytes.NewReader(make([]byte, 31))} { // no salt, no erasure
		e.Random = random
		if _, err := c.Erase(background, e); fault.CodeOf(err) == "" || c.Info().Revision != revision {
			t.Errorf("without a salt: %v", err)
		}
	}
	lost, given, e.Random = nil, nil, chance()
	of, err := c.Erase(background, e)
	must(t, err)
	if !slices.Equal(given, []string{of.Receipt}) {
		t.Errorf("the receipts are %q, and the answer has %q", given, of.Receipt)
	}
	e.Random = chance()
	if of, err = c.Erase(background, e); err != nil || of.Receipt != "" || len(given) != 1 {
		t.Errorf("nothing was left, and the receipts are %q, %v", given, err)
	}
}

// An erasure by a text that is found nowhere changes nothing: neither the digests of drafts that were replaced, nor
// what attempts sent, nor the log.
func TestAnErasureThatFindsNothingChangesNothing(t *testing.T) {
	c := contextWithPIN(t, pact.NewDB(store.NewMemory()), "4711")
	before, err := logOf(c)
	must(t, err)
	of, err := c.Erase(background, erasureOf("0815"))
	must(t, err)
	if of.Digests+of.Attempts+of.Versions+of.Entries+len(of.Contexts) != 0 || of.Receipt != "" {
		t.Errorf("it erased %+v", of)
	}
	if after, err := logOf(c); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the log was\n%+v and is\n%+v, %v", before, after, err)
	}
}

// An erased key is nowhere: not in what commits noted of its cadence, which ends, nor in a fork.
func TestEraseOfAKeyThatComesAgain(t *testing.T) {
	for _, way := range []string{"id", "text"} {
		c := published(t, pact.NewDB(store.NewMemory()), 0)
		var id string
		must(t, c.Edit(background, func(b *pact.Batch) error {
			id = b.Add("^ah", pact.Spec{Key: "alice-smith", Cad: new(int64(9)), TTL: new(int64(2)), Content: "x"})
			b.Add("^ah", pact.Spec{Key: "other", Cad: new(int64(9)), TTL: new(int64(2)), Content: "x", Offset: 1})
			return nil
		}, nil))
		turnsOf(t, c, "1", "2", "3", "4")
		fork, err := c.Fork(background, pact.Cycle(2), "fork", nil)
		must(t, err)
		turn(t, fork, "y")
		e := erasureOf("alice")
		if way == "id" {
			e = erasure(id)
		}
		_, err = c.Erase(background, e)
		must(t, err)
		must(t, fork.Refresh(background))
		for of, c := range map[string]*pact.Context{"the context": c, "the fork": fork} {
			for last := c.Info().Cycle; last < 10; last++ {
				turn(t, c, "z")
			}
			var backup bytes.Buffer
			must(t, c.Export(background, &backup))
			if text := backup.String(); strings.Contains(text, "alice") || !strings.Contains(text, "other") {
				t.Errorf("by %s: the export of %s has the erased key, or not the other:\n%s", way, of, text)
			}
			if got := ids(t, c, "@t-1 #other"); len(got) != 1 {
				t.Errorf("by %s: the other key came again %d times in %s", way, len(got), of)
			}
		}
	}
}
