package bring

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// Imports that overlap allow garbage by what each collection left, and leave behind what the process allowed before the first,
// whichever ends last.
func TestImportsAllowLessGarbageUntilTheLastEnds(t *testing.T) {
	t.Setenv("GOGC", "") // with which make test runs; then nothing is decided here
	const before = 77
	defer debug.SetGCPercent(debug.SetGCPercent(before))
	percent := func() int {
		now := debug.SetGCPercent(before)
		debug.SetGCPercent(now)
		return now
	}
	runtime.GC()
	first, second := allowGarbage(1<<10), allowGarbage(1<<10) // less than what that collection left
	first()
	if got := percent(); got != importGarbage {
		t.Errorf("%d while an import runs, want %d", got, importGarbage)
	}
	third := allowGarbage(1 << 30)
	debug.SetGCPercent(before)
	for range 100 { // a collection has what was collected called a moment later
		runtime.GC()
		if time.Sleep(time.Millisecond); percent() != before {
			break
		}
	}
	if got := percent(); got <= importGarbage || got == before {
		t.Errorf("%d after a collection, with much room", got)
	}
	third()
	if second(); percent() != before {
		t.Errorf("%d after the last import, want %d", percent(), before)
	}
}
