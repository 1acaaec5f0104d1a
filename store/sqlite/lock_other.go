//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package sqlite

import (
	"errors"
	"os"
)

// tryLock reports that this system has no locks, so that there is no queue.
func tryLock(*os.File) (err error, held bool) { return errors.ErrUnsupported, false }

func lock(*os.File) error { return errors.ErrUnsupported }

// openElsewhere reports that nobody is known to have a database open: then a mark is written that may not be needed.
func openElsewhere(*os.File) bool { return false }
