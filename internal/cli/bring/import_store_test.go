package bring

import (
	"runtime/debug"
	"testing"
)

// Imports that overlap leave behind what the process allowed before the first, whichever ends last.
func TestImportsAllowLessGarbageUntilTheLastEnds(t *testing.T) {
	const before = 77
	defer debug.SetGCPercent(debug.SetGCPercent(before))
	percent := func() int {
		now := debug.SetGCPercent(before)
		debug.SetGCPercent(now)
		return now
	}
	first, second := lessGarbage(), lessGarbage()
	first()
	if got := percent(); got != importGarbage {
		t.Errorf("%d while an import runs, want %d", got, importGarbage)
	}
	if second(); percent() != before {
		t.Errorf("%d after the last import, want %d", percent(), before)
	}
}
