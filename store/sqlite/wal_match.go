package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/contexttree/pact/fault"
)

// checkWAL returns E_STORE if the WAL does not go on from the file: it belongs to another store, or to another state
// of this one, or is missing; or pages after the end of the file are in neither. SQLite would lay any WAL over the
// file. Cost: reading the WAL, about 4 MiB.
//
// Other processes may write and move pages at the same time: a mismatch counts only if nothing that tells so changed
// meanwhile.
func (p *files) checkWAL() error {
	for range 10 {
		before, err := p.state()
		if err != nil {
			return err
		}
		l, err := p.readWAL()
		if err != nil {
			return err
		}
		wrong := p.mismatch(before, l)
		if wrong == nil {
			id := before.mark.this
			p.seen.Store(&id)
			return nil
		}
		if after, err := p.state(); err != nil || after == before {
			return errors.Join(err, wrong)
		}
	}
	return nil
}

// walState is what a file and its WAL are at a moment.
type walState struct {
	size    int64 // of the file
	wal     int64 // -1 without a WAL
	header  [32]byte
	mark    mark
	hasMark bool
}

func (p *files) state() (s walState, err error) {
	file, err := os.Stat(p.path)
	if err != nil {
		return s, p.goneError("", err)
	}
	s.size, s.wal = file.Size(), -1
	s.mark, s.hasMark = p.inFile()
	info, err := os.Stat(p.path + suffixes[1])
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return s, fault.New(fault.Store, "the log "+p.path+suffixes[1]+" is not a regular file", "move it away")
	}
	log, err := os.Open(p.path + suffixes[1]) // closing the WAL releases no lock
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fault.Wrap(fault.Store, err, "the log "+p.path+suffixes[1]+" cannot be read", "check its permissions")
	}
	defer log.Close()
	s.wal = info.Size()
	_, _ = log.ReadAt(s.header[:], 0) // what is not there stays 0
	return s, nil
}

// mismatch returns E_STORE if a WAL does not go on from the file.
func (p *files) mismatch(s walState, l wal) error {
	missing := s.hasMark && s.mark.more && !l.has[s.mark.next]
	switch {
	case missing && l.pages == 0:
		return fault.New(fault.Store, p.path+" lacks commits that its log "+p.path+suffixes[1]+
			" had: it was copied without the log while it was in use, or the log was removed or damaged",
			"put the log that belongs to it beside it, or take a backup; stores.md says how to go on without those commits")
	case missing && (l.first == nil || l.first.before == s.mark.this || l.has[s.mark.this]):
		return fault.New(fault.Store, p.path+suffixes[1]+" lacks commits that "+p.path+
			" knows of: it is damaged, lost its end, or is from an older or another copy of the two",
			"put the log that belongs to it beside it, or take a backup; stores.md says how to go on with what can be read of it")
	case s.hasMark && l.first != nil && l.first.before != s.mark.this && !l.has[s.mark.this], !l.whole(s.size):
		return fault.New(fault.Store, p.path+suffixes[1]+" is not the log of "+p.path+
			": it belongs to another store, or to another state of this one, and would damage it",
			"if the file is a backup, move the log away; otherwise put back the file that the log belongs to")
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

// wal is what the transactions in a WAL say.
type wal struct {
	pages int64           // that the store has after the last one; 0 if the WAL holds none
	there map[uint32]bool // the pages that the WAL has
	first *mark           // nil without a mark
	has   map[markID]bool // the marks
}

// whole reports whether each page after the end of a file is in the WAL.
func (l wal) whole(fileSize int64) bool {
	const locks = 1<<30/pageSize + 1 // SQLite never writes the page with the locks
	for page := fileSize/pageSize + 1; page <= l.pages; page++ {
		if !l.there[uint32(page)] && page != locks {
			return false
		}
	}
	return true
}

// frameAt returns where the frame of a number begins in a WAL.
func frameAt(i int64) int64 { return 32 + i*(24+pageSize) }

// readWAL reads the transactions that SQLite would read: up to the first frame with other salts or a wrong sum.
func (p *files) readWAL() (l wal, err error) {
	l = wal{there: make(map[uint32]bool), has: make(map[markID]bool)}
	f, err := os.Open(p.path + suffixes[1])
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fault.Wrap(fault.Store, err, "the log "+p.path+suffixes[1]+" cannot be read", "check its permissions")
	}
	defer f.Close()
	var head [32]byte
	in := bufio.NewReaderSize(f, 64<<10)
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return l, nil
	}
	magic := binary.BigEndian.Uint32(head[:])
	sum := walSum{order: binary.LittleEndian}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	if sum.add(head[:24]); magic&^1 != 0x377f0682 || binary.BigEndian.Uint32(head[8:]) != pageSize || !sum.is(head[24:]) {
		return l, nil // nothing that SQLite would read
	}
	frame := make([]byte, 24+pageSize)
	var pages []uint32 // since the last end of a transaction
	var marks []mark
	for {
		if _, err := io.ReadFull(in, frame); err != nil || string(frame[8:16]) != string(head[16:24]) {
			return l, nil
		}
		sum.add(frame[:8])
		if sum.add(frame[24:]); !sum.is(frame[16:]) {
			return l, nil
		}
		pages = append(pages, binary.BigEndian.Uint32(frame))
		if m, ok := readMark(frame[24:]); ok && pages[len(pages)-1] == markPage {
			marks = append(marks, m)
		}
		n := binary.BigEndian.Uint32(frame[4:])
		if n == 0 {
			continue
		}
		l.pages = int64(n)
		for _, page := range pages {
			l.there[page] = true
		}
		for _, m := range marks {
			if l.has[m.this] = true; l.first == nil {
				l.first = &m
			}
		}
		pages, marks = pages[:0], marks[:0]
	}
}

// walSum is the sum that a WAL has of its header and of each frame with all before it.
type walSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (s *walSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *walSum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == s.s0 && binary.BigEndian.Uint32(b[4:]) == s.s1
}
