package record_test

import (
	"fmt"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// An Entry leaves the contents that it decided about to the store, and forgets the results that no rule shapes. All that is in
// the store keeps its bytes, marks too.
func TestEntryIsBounded(t *testing.T) {
	record.SetMostDecided(2000, 20)
	t.Cleanup(func() { record.SetMostDecided(32<<20, 1<<17) })
	e := record.NewEntry(pact.NewDB(store.NewMemory()), "chat/originals", capped(t, ""), pact.OpenOptions{})
	decide := func(n int, text string) *record.Shaped {
		t.Helper()
		content := canon.String(text)
		list, err := e.Decide(t.Context(), []record.Result{{Call: fmt.Sprint("c", n), Tool: "ls", Content: string(content)}},
			[][]byte{[]byte(content)})
		must(t, err)
		return list[0]
	}
	marked := record.Result{Call: "raw", Tool: "ls", Content: string(canon.String(long(100)))}
	must(t, e.Leave(t.Context(), []record.Result{marked}, "no time"))
	first := map[int]string{}
	for n := range 60 {
		if s := decide(n, long(100+n)); s != nil {
			first[n] = s.Content
		}
		if decide(1000+n, "short") != nil {
			t.Error("a short result is shaped")
		}
		decided, bytes := e.Holds()
		if most := len(first) + 1 + 20 + 2; decided > most || bytes > 2000+2*len(first[n]) {
			t.Fatalf("after %d: %d decisions, %d bytes", n, decided, bytes)
		}
	}
	for n := range 60 {
		if s := decide(n, long(100+n)); s == nil || s.Content != first[n] || !strings.Contains(s.Content, fmt.Sprintf("c%d has them", n)) {
			t.Errorf("%d was %.100s and is %+v", n, first[n], s)
		}
	}
	list, err := e.Decide(t.Context(), []record.Result{marked}, [][]byte{[]byte(marked.Content)})
	if err != nil || list[0] != nil {
		t.Errorf("a result that was sent as it came is shaped: %+v, %v", list[0], err)
	}
}
