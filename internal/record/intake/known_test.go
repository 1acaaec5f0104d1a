package intake

import (
	"runtime"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// TestImportingTheSameLogAgainIsLinear: of a call that is recorded the request is not made, so twice the calls allocate
// about twice the bytes.
func TestImportingTheSameLogAgainIsLinear(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	again := func(calls int) uint64 {
		log, err := calllog.Read(dbtest.Session(calls))
		if err != nil {
			t.Fatal(err)
		}
		to := pact.NewDB(store.NewMemory())
		defer to.Close()
		s := Session{Name: "s", Format: log.Format, Session: &log.Sessions[0]}
		var before, after runtime.MemStats
		for range 2 {
			runtime.ReadMemStats(&before)
			_, _, _, err = s.Record(t.Context(), to, "me", nil, func(int) {})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := again(150), again(600); many > 6*few {
		t.Errorf("150 calls allocate %d bytes, 600 calls %d", few, many)
	}
}
