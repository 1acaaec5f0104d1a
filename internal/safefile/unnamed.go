package safefile

import (
	"errors"
	"os"
)

// Unnamed is a temporary file that only its owner can read and that Close removes. Where the system removes files
// that are open it has no name from the beginning, so that a process which is killed leaves nothing behind either.
type Unnamed struct {
	*os.File
	named bool
}

// NewUnnamed makes an empty file. pattern is that of [os.CreateTemp].
func NewUnnamed(pattern string) (*Unnamed, error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, err
	}
	return &Unnamed{f, os.Remove(f.Name()) != nil}, nil
}

// Close closes and removes the file.
func (u *Unnamed) Close() error {
	err := u.File.Close()
	if u.named {
		err = errors.Join(err, os.Remove(u.Name()))
	}
	return err
}
