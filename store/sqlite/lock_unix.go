//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sqlite

import (
	"os"
	"syscall"
)

// tryLock locks a file until it is closed, and reports whether another process holds the lock.
func tryLock(f *os.File) (err error, held bool) {
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	return err, err == syscall.EWOULDBLOCK
}

// lock waits for the lock. The system serves those who wait in turn.
func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
