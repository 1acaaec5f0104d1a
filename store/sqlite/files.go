package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
)

// files are the file of a store and the files that SQLite keeps beside it.
type files struct {
	path     string
	names    [3]string      // path with each suffix
	opened   [3]os.FileInfo // the files by suffix, as they were when the store was opened; nil before
	readOnly bool           // the store was opened read-only, from the file alone
	main     *mainFile
	pageMu   sync.Mutex
	page     [pageSize]byte         // that inFile reads
	seen     atomic.Pointer[markID] // of the file, when its log was last found to be its own
	log      *os.File               // the WAL
	salts    [2][8]byte             // that startsAt reads
	moveAt   int64                  // how many frames the WAL has when it is moved next
	moveOf   [8]byte                // the salts of that WAL
	wrote    atomic.Bool            // this process wrote
}

// suffixes are those of the files that writers and readers share: the file, the WAL with pages
// that are not in the file yet, and the index of the WAL, which holds the locks.
var suffixes = [3]string{"", "-wal", "-shm"}

// minFileSize is the size of the smallest database.
const minFileSize = 512

// findFiles examines the file without opening it, because closing it would release the locks of
// this process. It returns nil if there is no file, and E_STORE if the file cannot be a store.
func findFiles(path string) (*files, error) {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return nil, noDirectory(path, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.Wrap(fault.Store, err, "cannot open "+path, "check the permissions of the directory")
	case !info.Mode().IsRegular():
		return nil, safefile.CheckRegular(path)
	case info.Size() == 0:
		return nil, fault.New(fault.Store,
			path+" is an empty file, which no store ever is: it was truncated, or another program made it",
			"restore it from a backup, or remove it to begin anew")
	case info.Size() < minFileSize:
		return nil, fault.New(fault.Store, path+" is not a SQLite database", "name another file")
	}
	if info, err = oneName(path, info); err != nil {
		return nil, err
	}
	p := &files{path: path, opened: [3]os.FileInfo{info}}
	for i, ending := range suffixes {
		p.names[i] = path + ending
	}
	return p, nil
}

// create makes a complete store under another name and then links it to path, so that nobody
// ever finds half a store. Its mode is 0600, whatever the umask. If another process was faster,
// create leaves the store of that process.
func create(ctx context.Context, path string) (err error) {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		if _, err := os.Stat(path); err == nil {
			return nil // another process made it meanwhile and uses it
		}
		return fault.New(fault.Store, "there is a log "+path+
			"-wal and no store beside it; the log may hold commits",
			"put the store back beside its log, or move the log away to begin anew")
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fault.Wrap(fault.Store, withoutPath(err), "cannot make "+path,
			"check the disk and the permissions of the directory")
	}
	name := f.Name()
	defer func() {
		for _, ending := range suffixes {
			os.Remove(name + ending)
		}
	}()
	if err := f.Close(); err != nil {
		return fault.Wrap(fault.Store, err, "cannot make "+path, "check the disk and the permissions of the directory")
	}
	db, err := openHandle(ctx, name, "0")
	if err != nil {
		return openError(err, path)
	}
	if err := errors.Join(migrate(ctx, db), db.Close()); err != nil {
		return err
	}
	if _, err := os.Stat(name + "-wal"); err == nil { // SQLite gives no error if it could not move the log into the file
		return fault.New(fault.Store, "cannot make "+path+": the disk failed", "check the disk, then open the file again")
	}
	if err := linkNew(name, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.Wrap(fault.Store, err, "cannot make "+path, "check the disk and the permissions of the directory")
	}
	if err := safefile.SyncDir(filepath.Dir(path)); err != nil {
		return fault.Wrap(fault.Store, err, "cannot make "+path, "check the disk and the permissions of the directory")
	}
	return nil
}

// noDirectory is the error for a path whose directory is not there, or cannot be looked at.
func noDirectory(path string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return safefile.NoDirectory(filepath.Dir(path))
	}
	return fault.Wrap(fault.Store, withoutPath(err), "the directory "+filepath.Dir(path)+" cannot be used",
		"check the permissions of the directory")
}

// withoutPath returns what the system said about a file, without the name of the file: that may
// be a temporary one, which means nothing to the user.
func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// linkNew gives a file another name. It fails with fs.ErrExist if the name is taken.
func linkNew(name, path string) error {
	err := os.Link(name, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: the name is taken first, then replaced.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Rename(name, path))
}

// record records which files were opened. It returns E_STORE if the file is no longer the one
// that findFiles saw.
func (p *files) record() error {
	found := p.opened[0]
	for i, ending := range suffixes {
		info, err := os.Stat(p.path + ending)
		if err != nil {
			return p.goneError(ending, err)
		}
		p.opened[i] = info
	}
	if !os.SameFile(found, p.opened[0]) {
		return p.goneError("", nil)
	}
	log, err := os.Open(p.path + suffixes[1]) // closing the WAL releases no lock
	if err != nil {
		return p.goneError(suffixes[1], err)
	}
	p.log = log
	return nil
}

// beforeWrite returns E_STORE if nobody would find what is written next.
func (p *files) beforeWrite() error {
	if err := p.check(); err != nil {
		return err
	}
	return p.checkOwnLog()
}

// letGo closes what was opened past SQLite, after SQLite has closed the file.
func (p *files) letGo() {
	p.letMain()
	if p.log != nil {
		p.log.Close()
	}
}

// check returns E_STORE if one of the files was removed, replaced or truncated: nobody would
// find a commit there. Cost: three calls of stat.
func (p *files) check() error {
	_, err := p.walSize()
	return err
}

// walSize does what check does, and returns the size of the WAL in bytes.
func (p *files) walSize() (log int64, err error) {
	for i, ending := range suffixes {
		same, size, err := stat(p.names[i], p.opened[i])
		if errors.Is(err, errNames) {
			return 0, namesError(p.names[i])
		}
		if !same || i == 0 && size < minFileSize {
			return 0, p.goneError(ending, err)
		}
		if ending == "-wal" {
			log = size
		}
	}
	return log, nil
}

// goneError is the error for a file that is no longer where it was opened.
func (p *files) goneError(ending string, err error) error {
	what := "was replaced or cut to nothing"
	if err != nil {
		what = "cannot be found"
	}
	if errors.Is(err, fs.ErrNotExist) {
		what, err = "was removed", nil
	}
	return fault.Wrap(fault.Store, err, p.path+ending+" "+what+" while it was open, so that nothing written reaches it",
		"put the file back, open the store again and look which changes it has")
}
