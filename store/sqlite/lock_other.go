//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package sqlite

import (
	"errors"
	"os"
)

// This system has no such locks, so that only writers of one process wait in the order in which they came.

func writersWait(*os.File, int64) bool { return false }

func takePlace(*os.File) (place int64, err error) { return 0, errors.ErrUnsupported }

func waitForPlaces(*os.File, int64) error { return errors.ErrUnsupported }

func leavePlaces(*os.File, int64) {}

// openElsewhere reports that nobody is known to have a database open: then a mark is written that may not be needed.
func openElsewhere(*os.File) bool { return false }
