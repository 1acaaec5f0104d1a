// Package safefile puts files in their place whole: what was there before
// stays until the new file is complete and on the disk.
package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Replace has write fill a file beside the place of name, synchronises it and
// puts it there. A failure, or a crash, leaves what was there before. A new file
// can be read by its owner alone (0600), whatever the umask allows, because
// conversations are private; one that replaces another has the mode of that. A
// symbolic link stays one: what it points to is replaced. What is not a regular
// file, such as a pipe or a device, is written to as it is.
func Replace(name string, write func(*os.File) error) (err error) {
	if there, err := filepath.EvalSymlinks(name); err == nil {
		name = there
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), name); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(name))
}

// SyncDir has the names in a directory reach the disk. Where a directory cannot
// be synchronised, as on Windows, the system does so by itself.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
