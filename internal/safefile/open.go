package safefile

import (
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// Open opens a file that somebody named, to read it. E_STORE for what is no regular file, such as a pipe or a
// device, which may have no end or wait for ever: Open does not wait for it. The errors of [os.Open] else.
func Open(name string) (*os.File, error) {
	if err := CheckRegular(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// CheckRegular returns the error of [Open] for what is no regular file.
func CheckRegular(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fault.New(fault.Store, name+" is a directory", "name a file in it")
	case !info.Mode().IsRegular():
		return fault.New(fault.Store, name+" is a pipe, a device or a socket", "name a file")
	}
	return nil
}

// ShellPipe reports whether a name is that of a pipe which the shell opened, as <(…) and >(…) are.
func ShellPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0 && strings.HasPrefix(name, "/dev/")
}

// Read reads a file as [Open] opens it. E_LIMIT if it has more than most bytes, of which Read then reads none.
func Read(name string, most int64) ([]byte, error) {
	if err := CheckRegular(name); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && info.Size() > most {
		return nil, fault.New(fault.Limit, name+" has more than "+strconv.FormatInt(most, 10)+" bytes", "divide it")
	}
	return os.ReadFile(name)
}
