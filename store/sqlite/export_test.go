package sqlite

import "slices"

// AddStep gives the format another version until the function that it returns is called.
func AddStep(statements string) (restore func()) {
	steps = append(steps, statements)
	return func() { steps = steps[:len(steps)-1] }
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
