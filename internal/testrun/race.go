//go:build race

package testrun

// Raced says whether the race detector is built in.
const Raced = true
