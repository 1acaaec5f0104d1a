package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/contexttree/pact/fault"
)

// Replace has write fill a temporary file in the same directory, synchronises it
// and renames it to name. After a failure or a crash the old file is still there.
// Only its owner can read a new file (0600), whatever the umask allows, because
// conversations are private; a file that replaces another keeps the other's mode.
// If name is a symbolic link, Replace replaces the file that it points to. If
// name is a device, or a pipe that a shell opened, write writes to it directly.
// E_STORE for another pipe, because nobody may ever read from it.
func Replace(name string, write func(*os.File) error) (err error) {
	if err := CanReplace(name); err != nil {
		return err
	}
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
		var at *fs.PathError
		if errors.As(err, &at) { // of a name that nobody chose
			at.Path = name
		}
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

// SyncDir makes the names in a directory durable. Systems that cannot synchronise
// a directory, such as Windows, do so by themselves.
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

// CanReplace returns the error of [Replace] that can be told before there is anything to write: name is a pipe that no
// shell opened, or its directory is not there or is a file.
func CanReplace(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !ShellPipe(name) {
		return CheckRegular(name)
	}
	dir := filepath.Dir(name)
	info, err = os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NoDirectory(dir)
	case err == nil && !info.IsDir():
		return fault.New(fault.NotFound, dir+" is a file, in which there is no "+filepath.Base(name), "name a file in a directory")
	}
	return nil
}

// NoDirectory is the error for a file whose directory is not there.
func NoDirectory(dir string) error {
	return fault.New(fault.NotFound, "there is no directory "+dir, "make the directory first")
}
