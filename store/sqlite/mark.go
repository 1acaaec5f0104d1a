package sqlite

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/contexttree/pact/fault"
)

// A file and its log are two files that know nothing of each other: SQLite lays any log over any file, and a file
// without its log is an older state of the store, whole in itself. What follows lets them be told apart.
//
// A mark is a row with a random id and the id of the mark before it, on a page of its own. A process writes a mark
// when a log begins and before it moves a log into the file. So a log goes on from a file if the file has the mark
// before the first of the log, or one of the log.
//
// No row can say that a log has more than its file: what is left in the file by moving a part of the log is, byte for
// byte, what a backup of that moment is. So one thing is written past SQLite, into bytes of the page with the mark
// that belongs to no row: a copy of the id that the mark has in the file, and the id of a later mark. While the copy is equal,
// there is a log with the later mark. It is written when the log has that mark already, so that moving the whole log, by
// whatever program, makes them differ; and so does every copy that SQLite makes.
//
// What is left: a file that was copied, or whose process died, in the milliseconds in which pages are moved, and whose
// log was lost then; and an older copy of a log that another program moved, or the last two processes that closed the
// file at the same time without having written.

// markPage is the page of the mark. The schema makes it the fifth, in a new file and in each that was rewritten.
const (
	pageSize = 4096
	markPage = 5
	cellSize = 38                       // of the row with the mark, at the end of the page
	tagAt    = pageSize - cellSize - 32 // where the copy of the id is, and the id of a mark that the log has
)

// cell is how the row begins: its size, its key, and that there are two values of 16 bytes.
var cell = []byte{36, 1, 4, 0, 44, 44}

type markID [16]byte

// mark is what the page with the mark says.
type mark struct {
	this, before markID
	more         bool   // the log has what the file lacks,
	next         markID // and this mark
}

// readMark reads the page with the mark. ok is false if it is another page.
func readMark(page []byte) (m mark, ok bool) {
	row := page[pageSize-cellSize:]
	leaf := page[0] == 13 && binary.BigEndian.Uint16(page[3:]) == 1 // with one row, which begins there:
	if !leaf || binary.BigEndian.Uint16(page[8:]) != pageSize-cellSize || !bytes.HasPrefix(row, cell) {
		return m, false
	}
	copy(m.this[:], row[len(cell):])
	copy(m.before[:], row[len(cell)+len(m.this):])
	tag := page[tagAt:]
	if m.more = bytes.HasPrefix(tag, m.this[:]); m.more {
		copy(m.next[:], tag[len(m.this):])
	}
	return m, true
}

// mainFile is the file of a store, opened past SQLite. It is closed when the last store of this process that uses the
// file is closed and no writer has a place in the queue, because closing it releases the locks of the process.
type mainFile struct {
	*os.File
	info    fs.FileInfo
	users   int           // stores
	writers int           // in the queue or on their way to it
	queuing chan struct{} // full while a writer of this process is in the queue, see beginWrite
}

var mainFiles struct {
	sync.Mutex
	open []*mainFile
}

// useMain opens the file, and reports whether no other store of this process has it open.
func (p *files) useMain() (first bool, err error) {
	mainFiles.Lock()
	defer mainFiles.Unlock()
	i := slices.IndexFunc(mainFiles.open, func(m *mainFile) bool { return os.SameFile(m.info, p.opened[0]) })
	if i < 0 {
		f, err := os.OpenFile(p.path, os.O_RDWR, 0)
		if err != nil {
			f, err = os.Open(p.path)
		}
		if err != nil {
			return false, fault.Wrap(fault.Store, withoutPath(err), "cannot open "+p.path, "check the permissions of the file")
		}
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return false, p.goneError("", err)
		}
		i = len(mainFiles.open)
		mainFiles.open = append(mainFiles.open, &mainFile{File: f, info: info, queuing: make(chan struct{}, 1)})
	}
	p.main = mainFiles.open[i]
	p.main.users++
	return p.main.users == 1, nil
}

// forWriter returns the file for a writer, who calls endWriter, and nil once the store is closed.
func (p *files) forWriter() *mainFile {
	mainFiles.Lock()
	defer mainFiles.Unlock()
	p.pageMu.Lock()
	defer p.pageMu.Unlock()
	if p.main != nil {
		p.main.writers++
	}
	return p.main
}

// addWriter lets the file stay open for one more writer.
func (m *mainFile) addWriter() {
	mainFiles.Lock()
	defer mainFiles.Unlock()
	m.writers++
}

// endWriter ends the use of the file by a writer.
func (m *mainFile) endWriter() {
	mainFiles.Lock()
	defer mainFiles.Unlock()
	m.writers--
	m.closeUnused()
}

// closeUnused closes the file if nobody uses it any more. Its caller has locked mainFiles.
func (m *mainFile) closeUnused() {
	if m.users+m.writers == 0 {
		m.Close()
		mainFiles.open = slices.DeleteFunc(mainFiles.open, func(one *mainFile) bool { return one == m })
	}
}

// letMain ends the use of the file, once.
func (p *files) letMain() {
	mainFiles.Lock()
	defer mainFiles.Unlock()
	p.pageMu.Lock()
	defer p.pageMu.Unlock()
	if p.main == nil {
		return
	}
	p.main.users--
	p.main.closeUnused()
	p.main = nil
}

// leftToMove reports whether closing the file moves a log that another process has left: nobody else has the file open.
func (p *files) leftToMove() bool {
	if p.readOnly {
		return false
	}
	if log, err := os.Stat(p.path + suffixes[1]); err != nil || log.Size() == 0 {
		return false
	}
	mainFiles.Lock()
	defer mainFiles.Unlock()
	return p.main != nil && p.main.users == 1 && !openElsewhere(p.main.File)
}

// inFile returns the mark that the file has, without its log. ok is false if it has none, or is closed.
func (p *files) inFile() (m mark, ok bool) {
	p.pageMu.Lock()
	defer p.pageMu.Unlock()
	if p.main == nil {
		return m, false
	}
	if _, err := p.main.ReadAt(p.page[:], (markPage-1)*pageSize); err != nil {
		return m, false
	}
	return readMark(p.page[:])
}

// checkOwnLog returns E_STORE if the log beside the file is not the one that goes on from it. It looks again whenever
// the file has another mark: a process that knows the file by another name, as a mount of this file alone, would have
// its own log. Cost: reading one page, and the log once after each time that it was moved.
func (p *files) checkOwnLog() error {
	m, ok := p.inFile()
	if seen := p.seen.Load(); !ok || seen != nil && *seen == m.this {
		return nil
	}
	return p.checkWAL()
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// putMark writes a mark into the log.
func putMark(ctx context.Context, db execer) (id markID, err error) {
	if _, err = rand.Read(id[:]); err == nil {
		_, err = db.ExecContext(ctx, "UPDATE mark SET before = this, this = ?", id[:])
	}
	return id, err
}

// tellMore has the file say that its log has more, if it does not. It may fail, which is no failure of the commit
// before it: then the next one tries again.
func (p *files) tellMore(ctx context.Context, write execer) {
	for range 3 { // another process may move the log
		m, ok := p.inFile()
		if !ok || m.more {
			return
		}
		next, err := p.queuedMark(ctx, write)
		if err != nil {
			return
		}
		if now, ok := p.inFile(); !ok || now.this != m.this {
			continue
		}
		p.writeTag(append(m.this[:], next[:]...))
		id := m.this
		p.seen.Store(&id)
		return
	}
}

// queuedMark writes a mark when it is the turn of this writer.
func (p *files) queuedMark(ctx context.Context, write execer) (id markID, err error) {
	err = p.beginWrite(ctx, func() (err error) {
		id, err = putMark(ctx, write)
		return err
	})
	return id, err
}

// writeTag writes the two ids that say that the log has more.
func (p *files) writeTag(ids []byte) {
	p.pageMu.Lock()
	defer p.pageMu.Unlock()
	if p.main == nil {
		return
	}
	_ = writePast(p.main.File, ids, (markPage-1)*pageSize+tagAt)
}

// writePast writes to a file past SQLite, and waits for the disk. A variable so that a test can see it.
var writePast = func(f *os.File, data []byte, at int64) error {
	_, err := f.WriteAt(data, at)
	if err == nil && synchronous() {
		err = f.Sync()
	}
	return err
}
