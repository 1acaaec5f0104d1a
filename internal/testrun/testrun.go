// Package testrun tells a test what kind of run it is part of, so that all of
// them choose what they leave out in one way (CONTRIBUTING.md). Tests alone
// import it.
package testrun

import (
	"os"
	"testing"
)

// Thorough says whether PACT_THOROUGH is set: tests then take all that they have
// samples of, and the sizes that they are about, which can take hours.
func Thorough() bool { return os.Getenv("PACT_THOROUGH") != "" }

// Size chooses how much a test does, by the kind of run: go test -short, go test,
// or PACT_THOROUGH=1 go test. Whatever does less than the third says so in its log.
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

// Long leaves t out of go test -short. It says what takes so long.
func Long(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: it " + what)
	}
}

// CountsAllocations leaves t out under the race detector. A count of allocations
// says nothing there: the detector has sync.Pool forget at random, and what goes
// through a pool (hashes, compression, fmt) then allocates at random. The same
// tests are run without the detector by make test and make test-all.
func CountsAllocations(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("left out: allocations are counted without the race detector, which has pools forget at random")
	}
}
