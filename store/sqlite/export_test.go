package sqlite

import (
	"context"
	"os"
	"slices"
	"time"
)

// AddStep gives the format another version until the function that it returns is called.
func AddStep(statements string) (restore func()) {
	steps = append(steps, statements)
	return func() { steps = steps[:len(steps)-1] }
}

// IsMark reports whether a page is taken for that of the mark.
func IsMark(page []byte) bool {
	_, ok := readMark(page)
	return ok
}

// WithoutSync has stores that are opened from now on leave it to the system when what
// is written reaches the disk, until the function that it returns is called: for
// contracts that end with the process, in which waiting for the disk shows nothing.
func WithoutSync() (restore func()) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.pragma == "synchronous" })
	before := settings[i]
	settings[i].set, settings[i].want = "OFF", "0"
	return func() { settings[i] = before }
}

// SeePast calls see before anything is written to a file past SQLite, until the function that it returns is called.
func SeePast(see func(name string, data []byte, at int64)) (restore func()) {
	before := writePast
	writePast = func(f *os.File, data []byte, at int64) error {
		see(f.Name(), data, at)
		return before(f, data, at)
	}
	return func() { writePast = before }
}

// WaitForReaders has a writer wait so long for readers before it leaves the WAL as it is, until the function that it
// returns is called.
func WaitForReaders(d time.Duration) (restore func()) {
	was := checkpointWait
	checkpointWait = d
	return func() { checkpointWait = was }
}

// WaitsInQueue reports whether another process has a place in the queue of writers, this one from the head or one behind it.
func WaitsInQueue(s *Store, place int) bool {
	return writersWait(s.files.main.File, firstPlace+int64(place))
}

// BeginWithoutLocks begins to write as where the file system gives no locks: to lock a place needs a file that can be
// written.
func BeginWithoutLocks(ctx context.Context, readOnly *os.File, begin func() error) error {
	p := &files{main: &mainFile{File: readOnly, users: 1, queuing: make(chan struct{}, 1)}}
	return p.beginWrite(ctx, begin)
}

// IsOpen reports whether this process has the file of a store open past SQLite.
func IsOpen(path string) bool {
	mainFiles.Lock()
	defer mainFiles.Unlock()
	return slices.ContainsFunc(mainFiles.open, func(m *mainFile) bool { return m.Name() == path })
}
