// Package testrun tells a test what kind of run it is part of, so that all of
// them choose what they leave out in one way (CONTRIBUTING.md). Tests alone
// import it.
package testrun

import "testing"

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
