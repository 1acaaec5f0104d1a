// Package engine keeps contexts in any medium that holds bytes: a log of deltas, segments of
// joined cycles, and checkpoints from which a snapshot is read.
package engine
