//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package sqlite

import (
	"io/fs"
	"os"
)

// stat returns the size of the named file in bytes, and whether it is still the file seen
// before.
func stat(name string, seen fs.FileInfo) (same bool, size int64, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return false, 0, err
	}
	return os.SameFile(info, seen), info.Size(), nil
}

// linked reports whether a file has several names, which this system does not tell.
func linked(fs.FileInfo) bool { return false }
