package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"

	"github.com/contexttree/pact/store/sqlite"
)

// onlyReads has openingChild know no newer version.
const onlyReads = "reads"

// openingChild opens a file, which brings it to the newest version.
func openingChild(ctx context.Context, path string, _ int) error {
	fmt.Fprintln(os.Stdout, "begins")
	s, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "opened")
	return s.Close()
}

// TestCrashWhileMigrating kills processes that bring a file to another version. A process that opens it
// next finds every snapshot and the working state as they were.
func TestCrashWhileMigrating(t *testing.T) {
	kills := testrun.Size(t, 5, 25, 200)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 4))
	made := filepath.Join(t.TempDir(), "made.db")
	newStoreFile(t, made)
	want := told(t, made)
	t.Cleanup(sqlite.AddStep(laterStep))
	path := filepath.Join(t.TempDir(), "pact.db")
	copyFile(t, made, path)
	// A kill comes at a random time before latest. How long opening takes depends on what else the machine
	// does, so latest follows: it is doubled after a kill that came too early, halved after one that came too late.
	latest := openedUntilKilled(t, path, time.Hour)
	before, within, after := 0, 0, 0
	for kill := range kills {
		path := filepath.Join(t.TempDir(), "pact.db")
		copyFile(t, made, path)
		opened := openedUntilKilled(t, path, time.Duration(r.Int64N(int64(latest))))
		switch now := userVersion(t, path); {
		case opened > 0:
			after++
			latest = max(latest/2, time.Microsecond)
		case now == 2:
			before++
			latest *= 2
		default:
			within++
		}
		if got := told(t, path); got != want || userVersion(t, path) != 3 {
			t.Fatalf("kill %d: the file has version %d and\n%s\nwant\n%s", kill+1, userVersion(t, path), got, want)
		}
	}
	t.Logf("%d kills: %d before the migration was durable, %d between that and the answer, %d after it", kills, before,
		within, after)
	if kills > 20 && (before == 0 || within+after == 0) {
		t.Error("all kills came at the same moment")
	}
}

// openedUntilKilled has a process open a file, and kills it a while after it began. It
// returns how long opening took, 0 where it was killed before it was done.
func openedUntilKilled(t *testing.T, path string, after time.Duration) (took time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path, childOpens+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var began time.Time
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch lines.Text() {
		case "begins":
			began = time.Now()
			defer time.AfterFunc(after, func() { cmd.Process.Kill() }).Stop()
		case "opened":
			took = time.Since(began)
		}
	}
	if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "killed") {
		t.Fatal(err)
	}
	return took
}

// told is all that a file has: the digests of the snapshots and the working states of its
// contexts, and how many entries each log has.
func told(t *testing.T, path string) string {
	t.Helper()
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	var all strings.Builder
	list, err := s.List(t.Context())
	must(t, err)
	for _, info := range list {
		st, err := s.Load(t.Context(), info.Key)
		must(t, err)
		fmt.Fprintln(&all, info.Name, info.Revision, st.Working.Digest())
		if info.Cycle < info.First {
			continue
		}
		trees, err := engine.Collect(s.History(t.Context(), info.Key, info.First, info.Cycle))
		must(t, err)
		for _, snapshot := range trees {
			fmt.Fprintln(&all, snapshot.Cycle(), snapshot.Digest())
		}
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%s: %+v, %v", info.Name, damage, err)
		}
	}
	if damage, err := s.CheckAll(t.Context()); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	return all.String()
}

// userVersion is the version of the schema in a file, as SQLite sees it.
func userVersion(t *testing.T, path string) (v int) {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	must(t, db.QueryRow("PRAGMA user_version").Scan(&v))
	return v
}
