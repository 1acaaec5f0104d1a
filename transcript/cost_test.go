package transcript

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// longTalk is a context of so many turns: a question, a call, its result, which
// comes in the turn after, and an answer, of about so many bytes.
func longTalk(tb testing.TB, turns, size int) *pact.Context {
	tb.Helper()
	c, err := pact.Create(context.Background(), pact.NewDB(store.NewMemory()), "long", nil)
	must(tb, err)
	for i := range turns {
		exchange(tb, c, i, size)
		_, err = c.Commit(context.Background(), keepingOrphans)
		must(tb, err)
	}
	return c
}

var keepingOrphans = &pact.CommitOptions{Pruning: &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}}

// exchange adds a turn of four blocks; turns are numbered from 0.
func exchange(tb testing.TB, c *pact.Context, turn, size int) {
	tb.Helper()
	text := strings.Repeat("x", size/4)
	must(tb, c.Edit(context.Background(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
		b.Add("^ah", pact.Spec{Role: "tool", Kind: "result", Refs: []string{fmt.Sprint("call", turn-1)}, Content: text})
		b.Add("^ah", pact.Spec{Role: "assistant", Kind: "text", Content: text})
		b.Add("^ah", pact.Spec{ID: fmt.Sprint("call", turn), Role: "assistant", Kind: "call",
			Content: map[string]any{"name": "f", "arguments": text}})
		return nil
	}, nil))
}

// TestATurnMoreRendersATurnMore: of a snapshot with a turn more than the one
// before, that turn is rendered, and ^sys and ^ah, at every size, although each
// result has its call in the turn before.
func TestATurnMoreRendersATurnMore(t *testing.T) {
	testrun.CountsAllocations(t)
	sizes := []int{200, 3_200}
	var allocs, bytes [2]float64
	for i, turns := range sizes {
		c := longTalk(t, turns, 400)
		parts := 0
		counted := &tree.Form{Write: func(r *tree.Rendering, part *tree.Entry, region tree.Class) {
			parts++
			openAIForm.Write(r, part, region)
		}}
		write := func() {
			s, err := c.Prepare(t.Context(), keepingOrphans.Pruning)
			must(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			must(t, tree.Of(s).WriteAs(t.Context(), io.Discard, counted))
			runtime.ReadMemStats(&after)
			allocs[i] += float64(after.Mallocs - before.Mallocs)
			bytes[i] += float64(after.TotalAlloc - before.TotalAlloc)
			_, err = c.Commit(t.Context(), nil)
			must(t, err)
		}
		exchange(t, c, turns, 400)
		write()
		if parts != turns+3 {
			t.Errorf("%d turns were rendered in %d parts, want %d", turns+1, parts, turns+3)
		}
		const more = 100
		parts, allocs[i], bytes[i] = 0, 0, 0
		for n := range more {
			exchange(t, c, turns+1+n, 400)
			write()
		}
		if parts != 3*more {
			t.Errorf("after %d turns, %d more rendered %d parts, want %d", turns, more, parts, 3*more)
		}
		t.Logf("%d turns: %.0f allocations and %.0f bytes for a turn more", turns, allocs[i]/more, bytes[i]/more)
		sameAsModel(t, fmt.Sprint(turns, " turns"), tree.Of(c.Working()))
	}
	if allocs[1] > 1.3*allocs[0] || bytes[1] > 1.3*bytes[0] {
		t.Errorf("rendering a turn more: %.0f times the allocations and %.0f times the bytes at 16 times the size",
			allocs[1]/allocs[0], bytes[1]/bytes[0])
	}
}

// TestErasureForgetsWhatWasRendered: what was kept of a turn names the call of
// another; when that is erased, what was kept of either is not used again.
func TestErasureForgetsWhatWasRendered(t *testing.T) {
	c := longTalk(t, 40, 40)
	var parts []string
	counted := &tree.Form{Write: func(r *tree.Rendering, part *tree.Entry, region tree.Class) {
		parts = append(parts, part.Node().ID)
		openAIForm.Write(r, part, region)
	}}
	write := func(want int) {
		t.Helper()
		parts = nil
		must(t, tree.Of(c.Working()).WriteAs(t.Context(), io.Discard, counted))
		if len(parts) != want {
			t.Errorf("rendered %v, want %d parts", parts, want)
		}
	}
	write(42)
	write(2)
	_, err := c.Erase(t.Context(), pact.Erasure{IDs: []string{"call7"}, Reason: "asked for",
		Random: strings.NewReader(strings.Repeat("s", 32))})
	must(t, err)
	write(42) // it is read from the store again
	write(2)
	sameAsModel(t, "erased", tree.Of(c.Working()))
}
