package librarytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/store"
)

// A history of snapshots brings no log. Lifetimes, turns that go and groups left
// empty still tell why a node went, and the report says that it is a guess; what
// came when is in the headers.
func TestCausesInAnImportedHistory(t *testing.T) {
	kinds := map[diff.Kind]int{}
	for seed := range uint64(15) {
		s := genRecordedHistory(t, seed, 8)
		var snapshots bytes.Buffer
		must(t, s.context.ExportSnapshots(background, &snapshots, pact.Cycle(1), pact.Latest()))
		again, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", &snapshots,
			&pact.ImportHistoryOptions{HistoryOptions: pact.HistoryOptions{Strict: true}})
		must(t, err)
		for i, was := range s.states[:len(s.states)-2] {
			r, err := again.RichDiff(background, pact.Cycle(was.cycle), pact.Cycle(was.cycle+1), nil)
			must(t, err)
			for _, gone := range r.Removed {
				want := s.modelCause(gone.ID, i, i+1)
				due := was.headers[gone.ID]["ttl"] == json.Number("1")
				emptied := len(was.kids[gone.ID]) > 0 && !slices.ContainsFunc(was.kids[gone.ID],
					func(id string) bool { return was.headers[id]["ttl"] != json.Number("1") })
				turn := was.headers[gone.ID]["nodeType"] == "mt"
				switch {
				case want.Kind == diff.ByExpiry && due || want.Kind == diff.ByCascade && emptied || want.Kind == diff.ByPruning &&
					turn && !due:
					if gone.Cause.Kind != want.Kind || !gone.Cause.Inferred {
						t.Fatalf("seed %d, cycle %d: %s went by %+v, want %+v", seed, was.cycle+1, gone.ID, gone.Cause, want)
					}
					kinds[want.Kind]++
				case want.Kind == diff.BySeal:
					if gone.Cause.Kind != diff.BySeal || gone.Cause.Inferred {
						t.Fatalf("seed %d: %s went by %+v", seed, gone.ID, gone.Cause)
					}
				}
			}
		}
		for _, cycle := range []int64{1, 4, 8} {
			a, err := s.context.Blame(background, pact.Cycle(cycle))
			must(t, err)
			b, err := again.Blame(background, pact.Cycle(cycle))
			must(t, err)
			for i := range a {
				a[i].By, b[i].By = diff.Author{}, diff.Author{}
				if a[i].Version != nil && b[i].Version != nil {
					a[i].Version.By, b[i].Version.By = diff.Author{}, diff.Author{}
				}
			}
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, cycle %d: blame\n got %+v\nwant %+v", seed, cycle, b, a)
			}
		}
	}
	for _, kind := range []diff.Kind{diff.ByExpiry, diff.ByCascade, diff.ByPruning} {
		if kinds[kind] < 3 {
			t.Errorf("%d times %s", kinds[kind], kind)
		}
	}
}

// A fork is asked like any other context: what it shares and what came after.
func TestInspectingAFork(t *testing.T) {
	s := genRecordedHistory(t, 5, 6)
	f, err := s.context.Fork(background, pact.Cycle(4), "fork", &pact.Note{Actor: "ann"})
	must(t, err)
	must(t, f.Edit(background, func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "own", Content: "own"})
		return nil
	}, &pact.Note{Actor: "carl"}))
	_, err = f.Commit(background, &pact.CommitOptions{Note: pact.Note{Actor: "dora"}})
	must(t, err)
	blame, err := f.Blame(background, pact.Latest())
	must(t, err)
	for _, b := range blame {
		if actor := s.actors[b.ID]; actor != "" && b.By.Actor != actor || b.ID == "own" &&
			(b.By.Actor != "carl" || b.Cycle != 5) {
			t.Errorf("%+v", b)
		}
	}
	r, err := f.RichDiff(background, pact.Cycle(3), pact.Cycle(5), nil)
	must(t, err)
	if !slices.ContainsFunc(r.Added, func(c diff.Component) bool { return c.ID == "own" && c.Cause.Actor == "carl" }) {
		t.Errorf("added %+v", r.Added)
	}
	for _, gone := range r.Removed {
		cause := gone.Cause
		cause.Author = diff.Author{}
		if want := s.modelCause(gone.ID, 2, 3); s.state(4).headers[gone.ID] == nil && cause != want {
			t.Errorf("%s went by %+v, want %+v", gone.ID, gone.Cause, want)
		}
	}
	l, err := f.Timeline(background, "own")
	must(t, err)
	if l.State != inspect.Present || *l.First != 5 || l.Events[0].Cause.Actor != "carl" {
		t.Errorf("%+v", l)
	}
	cycles := 0
	for _, err := range f.Prefixes(background, pact.Cycle(1), pact.Latest()) {
		must(t, err)
		cycles++
	}
	if cycles != 5 {
		t.Errorf("%d cycles", cycles)
	}
}

// A new context has nothing published, and all of it can be asked.
func TestInspectingANewContext(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{OpenOptions: pact.OpenOptions{Actor: "ann"}})
	must(t, c.Edit(background, say("hello"), nil))
	blame, err := c.Blame(background, pact.Working())
	must(t, err)
	if len(blame) != 1 || blame[0].Cycle != 1 || blame[0].By.Actor != "ann" || blame[0].Region != "^ah" {
		t.Errorf("blame %+v", blame)
	}
	l, err := c.Timeline(background, blame[0].ID)
	must(t, err)
	if l.State != inspect.Draft || l.First != nil || l.Range != nil || len(l.Events) != 1 ||
		l.Events[0].Kind != inspect.EventBorn || !l.Events[0].Draft {
		t.Errorf("life %+v", l)
	}
	if _, err := c.Timeline(background, "ah"); err != nil {
		t.Error(err)
	}
	for _, err := range c.Prefixes(background, pact.Latest(), pact.Latest()) {
		if !errors.Is(err, fault.SnapshotNotFound) {
			t.Errorf("prefixes: %v", err)
		}
	}
	_, err = c.Commit(background, nil)
	must(t, err)
	if l, err = c.Timeline(background, "ah"); err != nil || l.State != inspect.Gone ||
		l.Events[1].Cause.Kind != diff.BySeal {
		t.Errorf("the first active head: %+v, %v", l, err)
	}
}
