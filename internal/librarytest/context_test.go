package librarytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

func TestCommitPublishesExactlyThePreparedCandidate(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("one"), nil))
	candidate, err := c.Prepare(background, nil)
	must(t, err)
	sent, err := candidate.Thread(background)
	must(t, err)
	snapshot, err := c.Commit(background, nil)
	must(t, err)
	committed, err := snapshot.Thread(background)
	must(t, err)
	if candidate.Digest() != snapshot.Digest() || !bytes.Equal(sent, committed) {
		t.Errorf("prepared %s, committed %s", sent, committed)
	}
	// An edit discards the candidate.
	_, err = c.Prepare(background, nil)
	must(t, err)
	must(t, c.Edit(background, say("two"), nil))
	snapshot, err = c.Commit(background, nil)
	must(t, err)
	if blocks, _ := snapshot.ThreadSize(); blocks != 2 {
		t.Errorf("the edit after Prepare is not in the snapshot: %d blocks", blocks)
	}
	_, err = c.Prepare(background, nil)
	must(t, err)
	if _, err := c.Commit(background,
		&pact.CommitOptions{Pruning: &pact.Pruning{Policy: lifecycle.Policy{MaxNodes: 1}}}); !errors.Is(err, fault.Conflict) {
		t.Errorf("pruning a prepared candidate: got %v", err)
	}
}

// What a context says of itself is what the store lists of it, after its own changes too.
func TestInfoIsWhatIsListed(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c := create(t, db, pact.CreateOptions{Attrs: map[string]any{"data_title": "a"}})
	same := func(after string) {
		t.Helper()
		if listed, err := db.Find(background, c.Info().Name); err != nil || c.Info() != listed {
			t.Errorf("after %s the context says %+v, and the store %+v, %v", after, c.Info(), listed, err)
		}
	}
	same("its beginning")
	must(t, c.Edit(background, say("a draft"), nil))
	same("an edit")
	for range 3 {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: say("a turn"), Next: keep(&lifecycle.Policy{MaxTurns: 2})})
		must(t, err)
		same("a commit with an edit behind it")
	}
	_, err := c.Undo(background, nil)
	must(t, err)
	same("an undo")
}

// A context in a message is its name and where it stands, and not what it holds in memory.
func TestAContextSaysWhichItIs(t *testing.T) {
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "a \"chat\"", nil)
	must(t, err)
	must(t, c.Edit(background, say("a secret"), nil))
	for _, want := range []string{`context "a \"chat\"" at @c1`, `context "a \"chat\"" at @c2`} {
		_, err = c.Commit(background, nil)
		must(t, err)
		if said := fmt.Sprint(c); said != want {
			t.Errorf("the context says %s, want %s", said, want)
		}
	}
}

func TestRetainedNodeStaysUntilReleased(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	var id string
	must(t, c.Edit(background, func(b *pact.Batch) (err error) {
		id = b.Add("^ah", pact.Spec{Role: "tool", Offset: 1, Content: "x", TTL: new(int64(1))})
		return nil
	}, nil))
	release, err := c.Retain(id)
	must(t, err)
	for range 3 {
		_, err := c.Commit(background, nil)
		must(t, err)
	}
	if s := snapshotAt(t, c, "latest"); sure.Get(tree.Of(s).Node(id)) == nil {
		t.Error("a retained node went")
	}
	release()
	release() // again does nothing
	snapshot, err := c.Commit(background, nil)
	must(t, err)
	if sure.Get(tree.Of(snapshot).Node(id)) != nil || len(snapshot.Report.Removed) != 1 {
		t.Errorf("a released node stayed: %+v", snapshot.Report)
	}
	if _, err := c.Retain("nobody"); !errors.Is(err, fault.NodeNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestWorkingStateIsNoSnapshot asks for snapshots at the address of the working state, in a
// context that has one of cycle 0.
func TestWorkingStateIsNoSnapshot(t *testing.T) {
	c, _, err := pact.Import(background, pact.NewDB(store.NewMemory()), "c", []byte(`{"cycle":0,"root":{"id":"r","children":[
		{"id":"s","nodeType":"^sys"},{"id":"q","nodeType":"^seq"},{"id":"a","nodeType":"^ah"}]}}`), nil)
	must(t, err)
	for name, err := range map[string]error{
		"History":         drain(c.History(background, "working", "latest")),
		"Prefixes":        drain(c.Prefixes(background, "latest", "working")),
		"Occurrences":     failure(c.Occurrences(background, "latest", "working", true, func(int64, string) bool { return true })),
		"ExportSnapshots": c.ExportSnapshots(background, io.Discard, "working", "working"),
		"Fork":            failure(c.Fork(background, "working", "fork", nil)),
	} {
		if fault.CodeOf(err) != fault.SnapshotNotFound {
			t.Errorf("%s from or to the working state: %v", name, err)
		}
	}
}

// Addresses are texts with the words of every edition beside those of the documents.
func TestAddressesAreTexts(t *testing.T) {
	c := threeSnapshots(t)
	for text, want := range map[pact.Address]struct {
		as    pact.Address
		cycle int64
	}{"@t0": {"@t0", 3}, "latest": {"@t0", 3}, "@t-2": {"@t-2", 1}, "latest-2": {"@t-2", 1}, "@c2": {"@c2", 2}, "working": {"working", 4}} {
		parsed, err := pact.ParseAddress(string(text), "")
		must(t, err)
		for _, at := range []pact.Address{text, parsed} {
			if got := snapshotAt(t, c, at).Cycle(); got != want.cycle || at.String() != want.as.String() {
				t.Errorf("%s is cycle %d, want %d, and prints as %s", text, got, want.cycle, at)
			}
		}
	}
	for _, text := range []pact.Address{"", "@", "t0", "@t", "latest-", "latest--1", "@t-3..@t0", "@*", "now", "@t0 .cb", "@t0, *"} {
		if _, err := c.At(background, text); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := pact.ParseAddress(string(text), ""); err == nil {
			t.Errorf("%q was read as an address", text)
		}
	}
}

// TestErrorsQuoteAddressesAsWritten: with zeros, blanks and short forms, in front of selectors too.
func TestErrorsQuoteAddressesAsWritten(t *testing.T) {
	c := threeSnapshots(t)
	for _, text := range []string{"@t-7", "@t-07", "@c12", "@c0012"} {
		a, err := pact.ParseAddress(text, "")
		must(t, err)
		_, err = c.At(background, a)
		_, there := c.At(background, pact.Address(text))
		for _, err := range []error{err, there} {
			if f := new(fault.Error); !errors.As(err, &f) || f.Token != text || f.Message != "there is no snapshot "+text {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for text, offset := range map[string]int{"@t-07 .block": fault.NoOffset, "@t-9:-8 *": 0, "  @c0012..0013 *": 2} {
		address := strings.Fields(text)[0]
		_, err := c.RangeDiffLatest(background, text, nil)
		if offset == fault.NoOffset {
			_, err = c.Select(background, text, nil)
		}
		if f := new(fault.Error); !errors.As(err, &f) || f.Token != address || f.Offset != offset {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := c.At(background, "latest-7"); err == nil || !strings.Contains(err.Error(), "there is no snapshot @t-7") {
		t.Error(err)
	}
}

func TestZeroAddressNamesNothing(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{})
	_, err := c.Commit(background, nil)
	must(t, err)
	alone := c.Working()
	var unset pact.Address
	for name, err := range map[string]error{
		"Context.At":  failure(c.At(background, unset)),
		"Snapshot.At": failure(alone.At(unset)),
		"CycleAt":     failure(c.CycleAt(unset)),
		"Diff":        failure(c.Diff(background, unset, "working", nil)),
		"Blame":       failure(c.Blame(background, unset)),
		"History":     drain(c.History(background, unset, "latest")),
		"Fork":        failure(c.Fork(background, unset, "fork", nil)),
	} {
		if fault.CodeOf(err) != fault.SelectorInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Readers see one moment each and never wait, while another goroutine commits through the same handle.
func TestReadersWhileWriting(t *testing.T) {
	c := longContext(t, 1, "first")
	var readers sync.WaitGroup
	var done atomic.Bool
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				s := c.Working()
				before := s.Digest()
				_, failed := c.Select(background, "@t0 ^seq .mt:depth(1-3) .cb[role='user']", nil)
				_, err := c.Diff(background, "latest", "working", nil)
				if err = errors.Join(failed, err, s.WriteThread(background, io.Discard)); err != nil || s.Digest() != before {
					t.Errorf("a snapshot changed under its reader, or %v", err)
					return
				}
			}
		})
	}
	for range 60 {
		turn(t, c, "more")
	}
	done.Store(true)
	readers.Wait()
}

func TestACanceledCallStops(t *testing.T) {
	c := longContext(t, 1_000, "x")
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := c.Select(ctx, "@t0 .cb", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a selection: got %v", err)
	}
	if _, err := c.Timeline(ctx, "cb:1-0"); !errors.Is(err, context.Canceled) {
		t.Errorf("the timeline: got %v", err)
	}
}
