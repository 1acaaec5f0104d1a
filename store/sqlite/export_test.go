package sqlite

import (
	"slices"

	"github.com/contexttree/pact/store/internal/sqlstore"
)

// PackSoon has stores that are opened from now on pack pages of so many cycles, and
// keep as many as rows, until the function that it returns is called.
func PackSoon(cycles, keep int64) (restore func()) {
	before := packing
	packing = sqlstore.Packing{Cycles: cycles, Keep: keep}
	return func() { packing = before }
}

// DirectorySoon has stores that are opened from now on write a directory whenever they
// pack, so that short histories are opened through one too, until the function that it
// returns is called.
func DirectorySoon() (restore func()) {
	before := packing
	packing.Directory = 1
	return func() { packing = before }
}

// WithoutSync has stores that are opened from now on leave it to the system when what
// is written reaches the disk, until the function that it returns is called: for
// contracts that end with the process, in which waiting for the disk shows nothing.
func WithoutSync() (restore func()) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.pragma == "synchronous" })
	before := settings[i]
	settings[i].set, settings[i].want = "OFF", "0"
	return func() { settings[i] = before }
}
