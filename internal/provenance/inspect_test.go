package provenance_test

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
		must(t, s.context.ExportSnapshots(background, &snapshots, pact.Cycle(1), "latest"))
		again, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", &snapshots,
			&pact.ImportOptions{Strict: true})
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

// A new context has nothing published, and all of it can be asked.
func TestInspectingANewContext(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{OpenOptions: pact.OpenOptions{Actor: "ann"}})
	must(t, c.Edit(background, say("hello"), nil))
	blame, err := c.Blame(background, "working")
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
	for _, err := range c.Prefixes(background, "latest", "latest") {
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
