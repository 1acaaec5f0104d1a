package record_test

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// managedChat records a conversation whose three results, of the calls c0, c1 and c2, are shaped.
func managedChat(t *testing.T) *pact.DB {
	t.Helper()
	name := managedAPIs[0]
	_, url := startProvider(t, callTurns(4)...)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Policy: capped(t, ""), Manage: true})
	a := newAgent(t, name, url, rec.Transport(nil), true)
	a.ask("Look.")
	a.call()
	works(a, 0, 3)
	rec.Close()
	if got := rec.Stats(); got.Managed.Shaped != 3 {
		t.Fatalf("%+v", got)
	}
	return s
}

// An erasure of a shaped result erases its original too, under one receipt, and no other; one by text
// erases what an original alone contains.
func TestEraseReachesTheOriginals(t *testing.T) {
	s := managedChat(t)
	ids, err := opened(t, s, "chat").Working().Select(t.Context(), ".cb[kind='result']", nil)
	if err != nil || len(ids) != 3 {
		t.Fatal(ids, err)
	}
	id := ids[1] // of c1
	kept := func() (whole []string) {
		for n, call := range []string{"c0", "c1", "c2"} {
			var text string
			original, err := record.Original(t.Context(), opened(t, s, "chat/originals").Working(), call)
			if err == nil && json.Unmarshal(original, &text) == nil && text == long(100+n) {
				whole = append(whole, call)
			}
		}
		return whole
	}
	if got := kept(); len(got) != 3 {
		t.Fatalf("the originals are %v", got)
	}
	receipts := 0
	e := pact.Erasure{IDs: []string{id}, Reason: "asked for", Random: rand.Reader, DryRun: true,
		Receipt: func(string) error { receipts++; return nil }}
	plan, err := record.Erase(t.Context(), s, opened(t, s, "chat"), e)
	must(t, err)
	if !slices.Equal(plan.IDs, []string{id}) || len(plan.Originals) != 1 ||
		len(plan.Originals[0].IDs) != 2 || !slices.Contains(plan.Originals[0].IDs, "c1") || // and the decision
		receipts != 0 || len(kept()) != 3 {
		t.Fatalf("the plan is %+v and %+v", plan, plan.Originals)
	}
	e.DryRun = false
	done, err := record.Erase(t.Context(), s, opened(t, s, "chat"), e)
	must(t, err)
	if got := kept(); !slices.Equal(got, []string{"c0", "c2"}) || receipts != 1 || done.Receipt == "" ||
		!slices.Equal(done.Originals[0].Contexts, []string{"chat/originals"}) {
		t.Errorf("%d receipts, %+v and %+v; kept are %v", receipts, done, done.Originals, got)
	}
	// What stands in the cut part is in the original alone.
	byText := pact.Erasure{Texts: []string{"the PIN is 4711"}, Reason: "asked for", Random: rand.Reader}
	done, err = record.Erase(t.Context(), s, opened(t, s, "chat"), byText)
	must(t, err)
	if len(done.Originals)+len(done.IDs) != 0 {
		t.Errorf("a text that is nowhere: %+v", done)
	}
	byText.Texts = []string{long(102)}
	done, err = record.Erase(t.Context(), s, opened(t, s, "chat"), byText)
	must(t, err)
	if got := kept(); !slices.Equal(got, []string{"c0"}) || len(done.IDs) != 0 || done.Receipt == "" || len(done.Originals) != 1 ||
		!slices.Equal(done.Originals[0].IDs, []string{"c2"}) {
		t.Errorf("%+v and %+v; kept are %v", done, done.Originals, got)
	}
}
