package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
)

// Backup copies the store, as it is at one moment, to a new file: all contexts with their
// snapshots, drafts, logs and attempts. Other connections may read and write meanwhile. The
// file appears when it is complete and on the disk. It is a store itself, without free
// pages, readable by its owner only; if it replaces a file, it keeps the mode of that file.
// It returns E_STORE if the medium fails, or if the target is a store that is open or has a
// log. Cost: reading the store and writing it once.
func (s *Store) Backup(ctx context.Context, name string) error {
	err := s.files.backup(ctx, name)
	if path := (*fs.PathError)(nil); fault.CodeOf(err) == "" && ctx.Err() == nil && errors.As(err, &path) {
		return fault.Wrap(fault.Store, path.Err, "the backup failed: cannot write "+name,
			"check the disk and the permissions of the directory")
	}
	return failed(ctx, err, "the backup failed")
}

func (p *files) backup(ctx context.Context, name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return noDirectory(name, err)
	}
	if info, err := os.Stat(name); err == nil {
		switch {
		case os.SameFile(info, p.opened[0]):
			return fault.New(fault.Store, name+" is the store itself", "name another file")
		case !info.Mode().IsRegular():
			return fault.New(fault.Store, name+" is not a regular file", "name a regular file or a new one")
		}
	}
	for _, ending := range [...]string{"-wal", "-journal"} {
		if _, err := os.Stat(name + ending); err == nil {
			return fault.New(fault.Store, "there is a log "+name+ending+", which would be taken for that of the backup",
				"name another file, or end the process that uses that store")
		}
	}
	query := plainQuery("rw")
	if p.readOnly {
		query = aloneQuery()
	}
	db, err := sql.Open("sqlite", dataSource(p.path, query))
	if err != nil {
		return err
	}
	defer db.Close()
	return safefile.Replace(name, func(f *os.File) error {
		if _, err := db.ExecContext(ctx, "VACUUM INTO ?", f.Name()); err != nil {
			return err
		}
		if err := markAnew(ctx, f.Name()); err != nil {
			return err
		}
		if p.readOnly {
			return nil // nothing writes to the file, which has no log that could be replaced
		}
		return p.check() // the file that was read is still the store
	})
}

// markAnew gives a copy a mark of its own, so that no log of the store that was copied is taken for its log.
func markAnew(ctx context.Context, name string) error {
	db, err := sql.Open("sqlite", dataSource(name, plainQuery("rw")))
	if err != nil {
		return err
	}
	_, err = putMark(ctx, db)
	return errors.Join(err, db.Close())
}
