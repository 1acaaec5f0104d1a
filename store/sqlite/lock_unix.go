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

// openElsewhere reports whether another process has a database open: each connection of SQLite shares a lock on the
// bytes from 2^30+2 on, and closes the log if nobody else has it.
func openElsewhere(f *os.File) bool {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: 1<<30 + 2, Len: 510}
	err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return err == nil && lock.Type != syscall.F_UNLCK
}
