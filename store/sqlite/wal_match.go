package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/contexttree/pact/fault"
)

// checkWAL returns E_STORE if the WAL cannot belong to the file, such as a later WAL beside a
// backup. The file ends with the last page that was moved to it; the WAL must have every later
// page. SQLite reads zeros for a page that is in neither, and fails only when it needs that
// page. A log beside an old copy of the file alone, in which pages were used again meanwhile, is
// not told from its own here: reading what it lacks returns E_STORE, and a check finds it. Cost: reading the header of every frame of the WAL, about 1,300.
//
// Other processes may write and move pages at the same time: a mismatch counts only if the
// sizes of both files stayed the same meanwhile.
func (p *files) checkWAL() error {
	info, err := os.Stat(p.path + suffixes[1])
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.Store, "the log "+p.path+suffixes[1]+" is not a regular file", "move it away")
	}
	log, err := os.Open(p.path + suffixes[1]) // closing the WAL releases no lock
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Wrap(fault.Store, err, "the log "+p.path+suffixes[1]+" cannot be read", "check its permissions")
	}
	defer log.Close()
	for range 3 {
		before, err := p.sizes(log)
		if err != nil {
			return err
		}
		if fits, change := pagesFit(log, before[0]); fits && (change < 0 || p.change() <= change) {
			return nil
		}
		if after, err := p.sizes(log); err != nil || after == before {
			return errors.Join(err, fault.New(fault.Store, p.path+suffixes[1]+" is not the log of "+p.path+
				": some pages are in neither of them, or the file is newer",
				"if the file is a backup, move the log away; otherwise put back the file that the log belongs to"))
		}
	}
	return nil
}

// checkEnd returns E_STORE if the file ends within its last page. SQLite takes such a page for
// whole, with zeros at its end, and refuses only a file without the page. A WAL that holds
// something may have the page, which checkWAL looked up. Cost: one query, two calls of stat.
func (p *files) checkEnd(ctx context.Context, db *sql.DB) error {
	const end = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	for range 3 { // another process may move pages from the WAL, or shrink the file
		var want int64
		if err := db.QueryRowContext(ctx, end).Scan(&want); err != nil {
			return openError(err, p.path)
		}
		if log, err := os.Stat(p.path + suffixes[1]); err == nil && log.Size() > 0 {
			return nil
		}
		file, err := os.Stat(p.path)
		if err != nil {
			return p.goneError("", err)
		}
		if file.Size() >= want {
			return nil
		}
	}
	return fault.New(fault.Store, p.path+" is truncated: it ends within its last page",
		"restore it from a backup or an export")
}

// sizes returns the sizes of the file and of the WAL in bytes.
func (p *files) sizes(log *os.File) (sizes [2]int64, err error) {
	file, err := os.Stat(p.path)
	if err != nil {
		return sizes, p.goneError("", err)
	}
	info, err := log.Stat()
	if err != nil {
		return sizes, p.goneError(suffixes[1], err)
	}
	return [2]int64{file.Size(), info.Size()}, nil
}

// schemaCookie is where the first page counts the changes of the schema. Writing a file anew counts
// as one, so a backup, or what was compacted, is ahead of each WAL from before.
const schemaCookie = 40

// change returns what the file alone, without its WAL, counts as changes of the schema; -1 if that
// cannot be read.
func (p *files) change() int64 {
	db, err := sql.Open("sqlite", dataSource(p.path, aloneQuery()))
	if err != nil {
		return -1
	}
	defer db.Close()
	change := int64(-1)
	if db.QueryRow("PRAGMA schema_version").Scan(&change) != nil {
		return -1
	}
	return change
}

// pagesFit reports whether the WAL has every page after the end of the file. change is what its last
// first page counts as changes of the schema, -1 if it has no first page.
func pagesFit(log io.ReaderAt, fileSize int64) (fits bool, change int64) {
	var head [32]byte
	if _, err := log.ReadAt(head[:], 0); err != nil || binary.BigEndian.Uint32(head[:])&^1 != 0x377f0682 {
		return true, -1 // empty, or no frame that SQLite would read
	}
	pageSize := int64(binary.BigEndian.Uint32(head[8:]))
	if pageSize < minFileSize || pageSize > 1<<16 {
		return true, -1
	}
	salt := string(head[16:24])
	last, there := fileSize/pageSize, make(map[int64]bool)
	count, pages := int64(0), []int64(nil) // pages: those since the last commit
	var frame [24]byte
	var cookie [4]byte
	last1 := int64(-1) // of the last first page, committed or not
	change = -1
	for at := int64(len(head)); ; at += int64(len(frame)) + pageSize {
		if _, err := log.ReadAt(frame[:], at); err != nil || string(frame[8:16]) != salt {
			break
		}
		page := int64(binary.BigEndian.Uint32(frame[:]))
		if pages = append(pages, page); page == 1 {
			if _, err := log.ReadAt(cookie[:], at+int64(len(frame))+schemaCookie); err != nil {
				break
			}
			last1 = int64(binary.BigEndian.Uint32(cookie[:]))
		}
		if n := binary.BigEndian.Uint32(frame[4:]); n != 0 { // a commit
			count, change = int64(n), last1
			for _, page := range pages {
				there[page] = true
			}
			pages = pages[:0]
		}
	}
	locks := 1<<30/pageSize + 1 // SQLite never writes the page with the locks
	for page := last + 1; page <= count; page++ {
		if !there[page] && page != locks {
			return false, change
		}
	}
	return true, change
}
