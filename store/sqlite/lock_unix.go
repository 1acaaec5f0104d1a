//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sqlite

import (
	"io"
	"os"
	"syscall"
)

// writersWait reports whether another process has a place in the queue, this one or one behind it. Cost: one system call.
func writersWait(f *os.File, from int64) bool {
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Start: from} // up to the end
	return fcntl(f, syscall.F_GETLK, &l) == nil && l.Type != syscall.F_UNLCK
}

// takePlace locks the first byte behind the places that other processes have. The system unlocks it when this process
// ends, however it ends.
func takePlace(f *os.File) (place int64, err error) {
	for place = firstPlace; ; {
		behind := syscall.Flock_t{Type: syscall.F_WRLCK, Start: place}
		if err := fcntl(f, syscall.F_GETLK, &behind); err != nil {
			return 0, err
		}
		if behind.Type != syscall.F_UNLCK {
			if behind.Len == 0 {
				return 0, syscall.ENOLCK // a program that does not know the queue has all of it
			}
			place = behind.Start + behind.Len
			continue
		}
		here := syscall.Flock_t{Type: syscall.F_WRLCK, Start: place, Len: 1}
		switch err := fcntl(f, syscall.F_SETLK, &here); err {
		case syscall.EAGAIN, syscall.EACCES: // another process was faster
		default:
			return place, err
		}
	}
}

// waitForPlaces waits until all places before one are free, and takes them. Who is before it may be killed: then it
// goes on waiting for those who were before that one.
func waitForPlaces(f *os.File, place int64) error {
	for _, from := range [...]int64{place - 1, firstPlace} { // the first wakes nobody else when its turn comes
		if from < firstPlace {
			break
		}
		l := syscall.Flock_t{Type: syscall.F_WRLCK, Start: from, Len: place - from}
		if err := fcntl(f, syscall.F_SETLKW, &l); err != nil {
			return err
		}
	}
	return nil
}

// leavePlaces unlocks a place and those before it.
func leavePlaces(f *os.File, place int64) {
	l := syscall.Flock_t{Type: syscall.F_UNLCK, Start: firstPlace, Len: place - firstPlace + 1}
	_ = fcntl(f, syscall.F_SETLK, &l) // of a closed file, which has no lock any more
}

func fcntl(f *os.File, command int, l *syscall.Flock_t) error {
	l.Whence = io.SeekStart
	for {
		if err := syscall.FcntlFlock(f.Fd(), command, l); err != syscall.EINTR {
			return err
		}
	}
}

// openElsewhere reports whether another process has a database open: each connection of SQLite shares a lock on the
// bytes from 2^30+2 on, and closes the log if nobody else has it.
func openElsewhere(f *os.File) bool {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: 1<<30 + 2, Len: 510}
	return fcntl(f, syscall.F_GETLK, &lock) == nil && lock.Type != syscall.F_UNLCK
}
