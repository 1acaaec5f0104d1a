//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sqlite

import (
	"io/fs"
	"syscall"
)

// stat returns the size of the named file in bytes, and whether it is still the file seen
// before; errNames if it has several names. It does what os.Stat and os.SameFile do, without allocating: each commit asks six
// times.
func stat(name string, seen fs.FileInfo) (same bool, size int64, err error) {
	var st syscall.Stat_t
	for {
		if err = syscall.Stat(name, &st); err != syscall.EINTR {
			break
		}
	}
	was, ok := seen.Sys().(*syscall.Stat_t)
	if err == nil && st.Nlink > 1 {
		err = errNames
	}
	return ok && err == nil && st.Dev == was.Dev && st.Ino == was.Ino, st.Size, err
}

// linked reports whether a file has several names.
func linked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
