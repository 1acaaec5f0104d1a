//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package sqlite

import (
	"errors"
	"io/fs"
	"os"
)

// stat returns the size of the file of a name, in bytes, and whether it is still the
// file that was seen before.
func stat(name string, seen fs.FileInfo) (same bool, size int64, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return false, 0, err
	}
	return os.SameFile(info, seen), info.Size(), nil
}

// exists reports whether there is something of this name, as far as can be told.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
