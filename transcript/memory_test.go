package transcript

import (
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

func listOf(n int, messages ...string) []byte {
	all := strings.Repeat(strings.Join(messages, ",")+",", n)
	return []byte("[" + strings.TrimSuffix(all, ",") + "]")
}

// TestAnImportHoldsWhatItTakes: what an import says that it will hold, before it makes the first
// node, is at least what it holds then, and not much more; a budget below that refuses it.
func TestAnImportHoldsWhatItTakes(t *testing.T) {
	testrun.CountsAllocations(t)
	user, answer := `{"role":"user","content":"a"}`, `{"role":"assistant","content":"b"}`
	long := `{"role":"user","content":"` + strings.Repeat("word ", 200) + `"}`
	for name, text := range map[string][]byte{
		"messages":      listOf(20_000, user),
		"calls":         listOf(2_000, user, answer),
		"long messages": listOf(10_000, long),
		"parts": listOf(1, `{"role":"user","content":`+
			string(listOf(20_000, `{"type":"text","text":"a"}`))+`}`),
	} {
		list, err := Read(text)
		must(t, err)
		ctx, held := budget.WithMemory(t.Context(), 1<<40, "")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		db := pact.NewDB(store.NewMemory())
		c, err := Import(ctx, db, "a", list[0], nil)
		must(t, err)
		if _, err := db.Compact(ctx); err != nil { // nothing is joined in the background any more
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		says, took := list[0].Memory(), int64(after.HeapAlloc)-int64(before.HeapAlloc)
		runtime.KeepAlive(c)
		runtime.KeepAlive(list)
		if says < took || says > 4*took {
			t.Errorf("%s: the import takes %d bytes and says %d", name, took, says)
		}
		if held.Reserved() != 0 {
			t.Errorf("%s: %d bytes stay held", name, held.Reserved())
		}
		small, _ := budget.WithMemory(t.Context(), says-1, "divide it")
		runtime.ReadMemStats(&before)
		_, err = Import(small, pact.NewDB(store.NewMemory()), "a", list[0], nil)
		runtime.ReadMemStats(&after)
		if fault.CodeOf(err) != fault.Limit || after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("%s: %v after %d bytes", name, err, after.TotalAlloc-before.TotalAlloc)
		}
	}
}
