package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

// TestForeignLog puts the log of a store that went on beside a backup and beside
// a copy of the file alone. A backup is refused. A copy is refused if pages are in neither file;
// if pages of the file were used again meanwhile, only a check tells. What is opened and passes
// the check is whole and has every commit.
func TestForeignLog(t *testing.T) {
	testrun.OneGoroutine(t)
	path, dir := filepath.Join(t.TempDir(), "pact.db"), t.TempDir()
	s := open(t, path).(*file)
	w := begin(t, s)
	refused := 0
	for i := range 8 {
		for range 1 + 9*(i%5) {
			w.next(t, fmt.Sprint("turn ", i))
		}
		backup := filepath.Join(dir, fmt.Sprint(i, ".db"))
		if i%2 == 0 {
			must(t, s.Backup(t.Context(), backup))
		} else {
			copyFile(t, path, backup)
		}
		for range 40 * (i % 8) {
			w.next(t, fmt.Sprint("later turn ", i, strings.Repeat(" and more", 1000)))
		}
		copyFile(t, path+"-wal", backup+"-wal")
		b, err := openFile(t.Context(), backup)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" {
				t.Errorf("%d: %v", i, err)
			}
			refused++
			continue
		}
		damage, err := b.CheckAll(t.Context())
		var info engine.Info
		if err == nil && damage == nil {
			if info, err = b.Find(t.Context(), "turns"); err == nil {
				damage, err = b.Check(t.Context(), info.Key)
			}
		}
		switch {
		case err != nil || damage != nil:
			if refused++; i%2 == 0 && i > 0 {
				t.Errorf("%d: a backup was opened, and does not hold: %+v, %v", i, damage, err)
			}
		case info.Cycle != w.state.Cycle:
			t.Errorf("%d: opened at cycle %d of %d", i, info.Cycle, w.state.Cycle)
		}
		must(t, b.Close())
	}
	t.Logf("%d of 8 were refused", refused)
	if refused < 5 {
		t.Errorf("%d were refused", refused)
	}
}

// TestOwnLog opens a store while others commit, write it anew, shorter, and move
// pages from its log: it is never refused.
func TestOwnLog(t *testing.T) {
	testrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path)
	must(t, cmd.Start())
	db := raw(t, path, "PRAGMA busy_timeout = 5000")
	db.SetMaxOpenConns(1)
	for i := range 30 {
		s, err := openFile(t.Context(), path)
		must(t, err)
		if i%3 == 0 {
			for _, statement := range []string{
				"INSERT INTO log WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) " +
					"SELECT (1000000 << 36) + i, zeroblob(4000), x'' FROM n",
				"DELETE FROM log WHERE id > 1000000 << 36",
				"VACUUM",
			} {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(statement, err)
				}
			}
		}
		must(t, s.Close())
	}
	stop()
	_ = cmd.Wait() // it was killed
}
