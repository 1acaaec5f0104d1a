package sqlite_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
)

// with puts a log beside a copy of a file and returns the path of the copy.
func with(t *testing.T, file, log string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pact.db")
	copyFile(t, file, path)
	if log != "" {
		copyFile(t, log, path+"-wal")
	}
	return path
}

// isRefused expects that a file is not opened and says what to do, and that neither it nor a log beside it is changed.
func isRefused(t *testing.T, path, what string) {
	t.Helper()
	content := func() string {
		file, err := os.ReadFile(path)
		must(t, err)
		log, err := os.ReadFile(path + "-wal")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x %v %x", sha256.Sum256(file), err == nil, sha256.Sum256(log))
	}
	before := content()
	s, err := openFile(t.Context(), path)
	if err == nil {
		s.Close()
	}
	if e := (*fault.Error)(nil); !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" {
		t.Errorf("%s: %v", what, err)
	}
	if after := content(); after != before {
		t.Errorf("%s: the file, or the log beside it, was %s and is %s", what, before, after)
	}
}

// A file whose log was left behind is refused, however many commits each has; with its log it has them all.
func TestAttackACopyWithoutItsLog(t *testing.T) {
	testrun.Door(t, "a copy without its log, after each commit")
	testrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path) // one turn, in the file
	s := open(t, path).(*file)
	info, err := s.Find(t.Context(), "turns")
	must(t, err)
	w := &turns{store: s}
	must(t, w.load(t.Context(), info.Key))
	large := strings.Repeat("a line of text. ", 20<<10)
	for i := range 24 {
		text := fmt.Sprint("turn ", i)
		if i > 12 { // the log is moved now and then, and goes on
			text += large
		}
		w.next(t, text)
		isRefused(t, with(t, path, ""), fmt.Sprint("without the log after commit ", i+1))
		whole := open(t, with(t, path, path+"-wal"))
		if info, err := whole.Find(t.Context(), "turns"); err != nil || info.Cycle != w.state.Cycle {
			t.Errorf("after commit %d the copy with its log has cycle %d of %d, %v", i+1, info.Cycle, w.state.Cycle, err)
		}
		must(t, whole.Close())
	}
	lost := with(t, path, "") // for good
	raw(t, lost, "UPDATE mark SET this = randomblob(16)").Close()
	must(t, open(t, lost).Close())
	must(t, s.Close())
	alone := open(t, with(t, path, ""))
	if info, err := alone.Find(t.Context(), "turns"); err != nil || info.Cycle != w.state.Cycle {
		t.Errorf("a file that was closed has %d of %d, %v", info.Cycle, w.state.Cycle, err)
	}
}

// A process is killed, and another program that knows SQLite moves its log into the file and removes it, or copies the
// store: both are whole.
func TestLogMovedByAnotherProgram(t *testing.T) {
	path, copied := filepath.Join(t.TempDir(), "pact.db"), filepath.Join(t.TempDir(), "copied.db")
	acknowledged := make(map[int64]string)
	crash(t, path, 10_001*time.Microsecond, acknowledged)
	isRefused(t, with(t, path, ""), "without the log")
	db := raw(t, path, "VACUUM INTO '"+copied+"'")
	must(t, db.Close())
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the log is still there")
	}
	for _, path := range []string{path, copied} {
		survived(t, path, maps.Clone(acknowledged)) // which commits once more
	}
}

// A log that is damaged is not taken for that of another store, and nobody is told to move it away: its beginning can
// be read.
func TestADamagedLogIsCalledThat(t *testing.T) {
	testrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	s, w, err := resume(t.Context(), path)
	must(t, err)
	defer s.Close()
	w.next(t, "second")
	w.next(t, "third")
	log, err := os.ReadFile(path + "-wal")
	must(t, err)
	refused := 0
	for at := 32; at < len(log); at += 24 + 4096 {
		damaged := with(t, path, "")
		changed := slices.Clone(log)
		changed[at+100] ^= 1
		must(t, os.WriteFile(damaged+"-wal", changed, 0o600))
		s, err := openFile(t.Context(), damaged)
		if err == nil {
			must(t, s.Close())
			continue
		}
		refused++
		if e := (*fault.Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Message, "damaged") ||
			strings.Contains(e.Message, "another store") || strings.Contains(e.Remedy, "move the log away") {
			t.Errorf("damage at byte %d: %v", at+100, err)
		}
	}
	if refused < 2 {
		t.Errorf("%d damaged logs were refused", refused)
	}
}

// A process is killed, and one that only reads moves its log into the file: an earlier copy of that log is refused from
// then on. While another process has the file open, which then keeps the log, a reader leaves it as it is.
func TestAttackAnEarlierLogAfterAReader(t *testing.T) {
	testrun.OneGoroutine(t)
	dir := t.TempDir()
	path, killed, earlier := filepath.Join(dir, "pact.db"), filepath.Join(dir, "killed.db"), filepath.Join(dir, "earlier.log")
	newStoreFile(t, path)
	s, w, err := resume(t.Context(), path)
	must(t, err)
	defer s.Close()
	w.next(t, "second")
	copyFile(t, path+"-wal", earlier)
	w.next(t, "third")
	copyFile(t, path, killed)
	copyFile(t, path+"-wal", killed+"-wal")
	must(t, open(t, with(t, killed, earlier)).Close())
	read, err := openFile(t.Context(), killed)
	must(t, err)
	must(t, read.Close())
	isRefused(t, with(t, killed, earlier), "an earlier log after a reader")

	path = filepath.Join(dir, "used.db") // which nobody copies: to close a file ends the locks of the process
	newStoreFile(t, path)
	used, w, err := resume(t.Context(), path)
	must(t, err)
	defer used.Close()
	w.next(t, "second")
	before, err := os.ReadFile(path + "-wal")
	must(t, err)
	read, err = openFile(t.Context(), path)
	must(t, err)
	must(t, read.Close())
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path, childOpens+"="+onlyReads)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if after, err := os.ReadFile(path + "-wal"); err != nil || string(after) != string(before) {
		t.Errorf("a reader wrote to the log of a process that goes on: %d bytes instead of %d, %v", len(after), len(before), err)
	}
}

// A log of another store, or of another time of this one, beside a file is refused.
func TestAttackALogOfAnotherStore(t *testing.T) {
	testrun.Door(t, "a log of another store or time")
	testrun.OneGoroutine(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	save := func(from, as string) { copyFile(t, from, at(as+".db")); copyFile(t, from+"-wal", at(as+".log")) }
	run := func(path string, n int, text string) (*file, *turns) {
		s, w, err := resume(t.Context(), path)
		must(t, err)
		for i := range n {
			w.next(t, fmt.Sprint(text, i))
		}
		return s, w
	}
	large := strings.Repeat("a line of text. ", 20<<10)

	s, _ := run(at("pact.db"), 3, "first")
	must(t, s.Close())
	copyFile(t, at("pact.db"), at("closed.db"))
	copyFile(t, at("pact.db"), at("twin.db"))
	s, w := run(at("pact.db"), 6, "second")
	save(at("pact.db"), "earlier")
	must(t, s.Backup(t.Context(), at("backup.db")))
	for range 30 { // moves the log
		w.next(t, large)
	}
	save(at("pact.db"), "later")
	must(t, s.Backup(t.Context(), at("later backup.db")))
	_, err := s.Compact(t.Context())
	must(t, err)
	w.next(t, "after compacting")
	save(at("pact.db"), "compacted")
	must(t, s.Close())
	copyFile(t, at("pact.db"), at("ended.db"))
	other, _ := run(at("another.db"), 6, "another store ")
	save(at("another.db"), "other")
	must(t, other.Close())
	twin, _ := run(at("twin.db"), 6, "went another way ")
	save(at("twin.db"), "twin went on")
	must(t, twin.Close())

	refused := 0
	for _, name := range []string{"closed", "earlier", "backup", "later", "later backup", "compacted", "ended", "other", "twin"} {
		for _, log := range []string{"earlier", "later", "compacted", "other", "twin went on"} {
			if name == log || name == "closed" && log == "earlier" || name == "closed" && log == "twin went on" {
				whole, err := openFile(t.Context(), with(t, at(name+".db"), at(log+".log"))) // what goes on from the file
				if err != nil {
					t.Fatalf("the log %s beside %s: %v", log, name, err)
				}
				must(t, whole.Close())
				continue
			}
			isRefused(t, with(t, at(name+".db"), at(log+".log")), "the log "+log+" beside "+name)
			refused++
		}
	}
	t.Logf("%d pairs were refused", refused)
}

// A process that knows a file by another name than the process that uses it, as through a mount of the file alone, is
// refused, or notices at its next commit.
func TestAttackAFileThatIsMountedElsewhere(t *testing.T) {
	testrun.Door(t, "a store that is mounted elsewhere")
	dir := t.TempDir()
	path, other := filepath.Join(dir, "pact.db"), filepath.Join(dir, "other.db")
	newStoreFile(t, path)
	put(t, other, "")
	if out, err := exec.Command("mount", "--bind", path, other).CombinedOutput(); err != nil {
		t.Skipf("left out: nothing can be mounted here: %s", out)
	}
	defer exec.Command("umount", other).Run()
	s, w, err := resume(t.Context(), path)
	must(t, err)
	defer s.Close()
	child := func(path string) error {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childFile+"="+path, childTurns+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	}
	must(t, child(path))
	must(t, w.load(t.Context(), w.state.Key))
	w.next(t, "now the log has more")
	if err := child(other); err == nil || !strings.Contains(err.Error(), "E_STORE") {
		t.Errorf("the other name: %v", err)
	}
	w.next(t, "this one goes on")
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
