package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contexttree/pact/fault"
)

// SQLite finds a log and its locks by the name of the file. Two processes that know a file by two names would each
// have their own, and write over each other. So every name leads to one: a symbolic link is followed before
// anything is appended to it, and a hard link is refused.

// mostLinks is how many symbolic links are followed, as systems do.
const mostLinks = 40

// resolved returns the name to which the symbolic links of a path lead, whether a file is there or not.
func resolved(path string) (string, error) {
	for range mostLinks {
		target, err := os.Readlink(path)
		if err != nil { // no link, or nothing there
			return path, nil
		}
		if !filepath.IsAbs(target) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // .. leads up from where a directory is
			if err != nil {
				return "", noDirectory(path, err)
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fault.New(fault.Store, "the symbolic links of "+path+" lead to nothing but each other", "name the file itself")
}

// errNames says that a file has several names.
var errNames = errors.New("several names")

// oneName returns an error if a file has other names. A process that was killed while it made the store may have left
// another one, which goes.
func oneName(path string, info fs.FileInfo) (fs.FileInfo, error) {
	if !linked(info) {
		return info, nil
	}
	made, err := filepath.Glob(filepath.Join(globbed(filepath.Dir(path)), "."+globbed(filepath.Base(path))+".*"))
	if err != nil {
		return nil, err
	}
	for _, name := range made {
		if other, err := os.Lstat(name); err == nil && os.SameFile(other, info) {
			_ = os.Remove(name) // the process that makes the store may be faster
		}
	}
	if info, err = os.Stat(path); err == nil && linked(info) {
		err = namesError(path)
	}
	return info, err
}

// globbed returns a pattern that matches a name alone.
func globbed(name string) string {
	var pattern []byte
	for _, c := range []byte(name) {
		if c == '*' || c == '?' || c == '[' || c == '\\' {
			pattern = append(pattern, '\\')
		}
		pattern = append(pattern, c)
	}
	return string(pattern)
}

func namesError(path string) error {
	return fault.New(fault.Store, path+" has several names (hard links), and each would get a log of its own, so that commits are lost",
		"end the processes that use it, then remove the other names, or copy the file to one with a single name")
}
