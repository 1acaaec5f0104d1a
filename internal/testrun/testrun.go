package testrun

import (
	"os"
	"testing"
)

// Thorough reports whether PACT_THOROUGH is set. Tests then use all of their
// samples and their largest sizes, which can take hours.
func Thorough() bool { return os.Getenv("PACT_THOROUGH") != "" }

// Size returns how much a test does, by the kind of run: go test -short, go
// test, or PACT_THOROUGH=1 go test. It logs when a test does less than in the
// third.
func Size[N int | int64 | uint64](t testing.TB, short, ordinary, thorough N) N {
	t.Helper()
	size := ordinary
	switch {
	case Thorough():
		return thorough
	case testing.Short():
		size = short
	}
	if size < thorough {
		t.Logf("%d instead of %d; PACT_THOROUGH=1 takes all", size, thorough)
	}
	return size
}

// Long skips t under go test -short. what says what takes long.
func Long(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: it " + what)
	}
}

// OneGoroutine skips t under the race detector. One goroutine works in t and in each process
// that t starts, so there is nothing to find, and it would take several times as long. Where
// what t calls starts goroutines of its own, another test runs that code under the detector.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("left out: one goroutine works in it, so that it cannot race; it runs without the detector")
	}
}

// CountsAllocations skips t under the race detector. The detector makes
// sync.Pool drop items at random, so code that uses a pool (hashes,
// compression, fmt) allocates at random. make test and make test-all run these
// tests without the detector.
func CountsAllocations(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("left out: allocations are counted without the race detector, which has pools forget at random")
	}
}
