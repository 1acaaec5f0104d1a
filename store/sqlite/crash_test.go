package sqlite_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

// TestAcknowledgedCommitsSurviveAKill kills a process that commits, with SIGKILL and at random moments,
// and looks for every commit that the process had acknowledged.
func TestAcknowledgedCommitsSurviveAKill(t *testing.T) {
	t.Parallel()
	kills := testrun.Size(t, 10, 100, 200)
	const perFile = 10 // so that files stay small and every start is quick
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	path, total, segments, checkpoints := "", 0, 0, 0
	acknowledged := make(map[int64]string) // cycle -> digest
	for kill := range kills {
		if kill%perFile == 0 {
			path = filepath.Join(t.TempDir(), "pact.db")
			clear(acknowledged)
		}
		total += crash(t, path, time.Duration(r.IntN(60_000))*time.Microsecond, acknowledged)
		survived(t, path, acknowledged)
		segments += segmentsIn(t, path)
		checkpoints += keysIn(t, path, "c")
		if t.Failed() {
			t.Fatalf("after kill %d", kill+1)
		}
	}
	t.Logf("%d kills, %d commits acknowledged", kills, total)
	if segments == 0 || kills >= 100 && checkpoints == 0 { // which are written now and then
		t.Errorf("the processes wrote %d segments and %d checkpoints", segments, checkpoints)
	}
}

// TestCrashWhileForking kills a process that takes turns back. The name leads
// to a whole context at any moment, and every fork that was acknowledged is
// there with all that it shares.
func TestCrashWhileForking(t *testing.T) {
	t.Parallel()
	const perFile = 8 // each look at a file checks all its forks
	kills, total := testrun.Size(t, 4, 8, 200), 0
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	path := ""
	acknowledged := make(map[int64]string) // key -> digest of its first snapshot
	for kill := range kills {
		if kill%perFile == 0 {
			path = filepath.Join(t.TempDir(), "pact.db")
			total += len(acknowledged)
			clear(acknowledged)
		}
		crash(t, path, time.Duration(r.IntN(200_000))*time.Microsecond, acknowledged, childForks+"=1")
		if _, err := os.Stat(path); err != nil && len(acknowledged) == 0 {
			continue
		}
		s := open(t, path)
		list, err := s.List(t.Context())
		must(t, err)
		if _, err := s.Find(t.Context(), "turns"); err != nil && len(list) > 0 {
			t.Errorf("the name is gone: %v", err)
		}
		there := 0
		for _, info := range list {
			if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
				t.Errorf("%s: %+v, %v", info.Name, damage, err)
			}
			if want := acknowledged[int64(info.Key)]; want != "" {
				first, err := engine.Snapshot(t.Context(), s, info.Key, info.Origin.Cycle)
				if err != nil || first.Digest().String() != want {
					t.Errorf("%s is not as it was acknowledged: %v", info.Name, err)
				}
				there++
			}
		}
		if there != len(acknowledged) {
			t.Errorf("%d forks were acknowledged, %d are there", len(acknowledged), there)
		}
		must(t, s.Close())
	}
	t.Logf("%d kills, %d forks acknowledged, %d segments in the last file", kills, total+len(acknowledged), segmentsIn(t, path))
}

// TestCrashWhileCalling kills a process that starts attempts and ends them. What
// it acknowledged is there, what it left running can be ended, and none is
// half written.
func TestCrashWhileCalling(t *testing.T) {
	t.Parallel()
	kills := testrun.Size(t, 6, 30, 200)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	path, left := filepath.Join(t.TempDir(), "pact.db"), 0
	acknowledged := make(map[int64]string) // number -> status
	for range kills {
		crash(t, path, time.Duration(r.IntN(60_000))*time.Microsecond, acknowledged, childCalls+"=1")
		if _, err := os.Stat(path); err != nil && len(acknowledged) == 0 {
			continue
		}
		s := open(t, path)
		info, err := s.Find(t.Context(), "turns")
		if err != nil && len(acknowledged) == 0 {
			must(t, s.Close())
			continue
		}
		must(t, err)
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
		list, err := s.Attempts(t.Context(), info.Key, 0, info.Cycle+1)
		must(t, err)
		for i, a := range list {
			switch want := acknowledged[int64(i)+1]; {
			case want == string(history.Failed) && a.Status != history.Failed, a.Status == history.Failed && len(a.Error) != 1700:
				t.Errorf("%s was acknowledged as %q and is %s, %q", a.ID, want, a.Status, a.Error)
			case a.Status == history.Running && i < len(list)-1:
				t.Errorf("%s is still running", a.ID)
			case a.Status == history.Running:
				left++
				a.Status, a.Error = history.Failed, strings.Repeat("the process died ", 100)
				_, err := s.PutAttempt(t.Context(), info.Key, a)
				must(t, err)
			}
		}
		if len(list) < len(acknowledged) {
			t.Errorf("%d attempts were acknowledged, %d are there", len(acknowledged), len(list))
		}
		for n := len(acknowledged) + 1; n <= len(list); n++ { // written, and killed before it could say so
			acknowledged[int64(n)] = string(history.Running)
		}
		must(t, s.Close())
		sound(t, path)
	}
	t.Logf("%d attempts, %d left running", len(acknowledged), left)
	if !testing.Short() && left == 0 {
		t.Error("nothing was killed in the middle")
	}
}

// crash runs a process for a while after its first acknowledgement, or kills it
// earlier than that now and then, and notes what it acknowledged.
func crash(t *testing.T, path string, after time.Duration, acknowledged map[int64]string, env ...string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childFile+"="+path), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	early := after/time.Microsecond%5 == 0
	if early {
		time.AfterFunc(after, func() { cmd.Process.Kill() })
	}
	n := 0
	for lines := bufio.NewReader(out); ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what is cut off was not acknowledged
		}
		var cycle int64
		var digest string
		if _, err := fmt.Sscanf(line, "ack %d %s", &cycle, &digest); err != nil {
			t.Fatalf("the process says %q", line)
		}
		acknowledged[cycle] = digest
		if n == 0 && !early {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the process ended with %v", err)
	}
	return n
}

// survived opens the file again and looks for what was acknowledged.
func survived(t *testing.T, path string, acknowledged map[int64]string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil && len(acknowledged) == 0 {
		return // killed before there was a file
	}
	s := open(t, path)
	defer s.Close()
	info, err := s.Find(t.Context(), "turns")
	if err != nil {
		if len(acknowledged) > 0 {
			t.Error(err)
		}
		return
	}
	latest := int64(0)
	for cycle := range acknowledged {
		latest = max(latest, cycle)
	}
	if info.Cycle < latest {
		t.Errorf("commit %d was acknowledged, %d is the latest", latest, info.Cycle)
		return
	}
	w := &turns{store: s}
	if err := w.load(t.Context(), info.Key); err != nil {
		t.Error(err)
		return
	}
	if err := w.commit(t.Context(), "after the crash", false); err != nil {
		t.Error(err)
	}
	acknowledged[w.state.Cycle] = w.state.Head.Digest().String()
	history, err := engine.Collect(s.History(t.Context(), info.Key, 1, w.state.Cycle))
	if err != nil {
		t.Error(err)
		return
	}
	for i, snapshot := range history {
		if snapshot.Cycle() != int64(i)+1 {
			t.Errorf("snapshot %d is that of cycle %d", i+1, snapshot.Cycle())
		}
		if want := acknowledged[snapshot.Cycle()]; want != "" && want != snapshot.Digest().String() {
			t.Errorf("commit %d is not as it was acknowledged", snapshot.Cycle())
		}
	}
	sound(t, path)
	noGaps(t, s, w)
	if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	if damage, err := s.CheckAll(t.Context()); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}

// segmentsIn counts the segments in a file, 0 where there is none.
func segmentsIn(t *testing.T, path string) int { return keysIn(t, path, "s") }

// keysIn counts the keys of contexts that begin with a letter.
func keysIn(t *testing.T, path, letter string) (n int) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		db := raw(t, path)
		defer db.Close()
		must(t, db.QueryRow("SELECT count(*) FROM pair WHERE space > 0 AND substr(name, 1, 1) = CAST(? AS BLOB)", letter).Scan(&n))
	}
	return n
}

// noGaps looks for a commit of every cycle in the log.
func noGaps(t *testing.T, s engine.Contexts, w *turns) {
	t.Helper()
	log, err := s.Log(t.Context(), w.state.Key, 1, w.state.Revision)
	if err != nil {
		t.Error(err)
	}
	cycle := int64(0)
	for i, e := range log {
		if e.Revision != int64(i)+1 {
			t.Errorf("entry %d has revision %d", i+1, e.Revision)
		}
		if e.Kind == history.Commit {
			if cycle++; e.Cycle != cycle {
				t.Errorf("cycle %d follows %d", e.Cycle, cycle-1)
			}
		}
	}
	if cycle != w.state.Cycle || int64(len(log)) != w.state.Revision {
		t.Errorf("the log ends with cycle %d and revision %d, want %d and %d", cycle, len(log), w.state.Cycle,
			w.state.Revision)
	}
}

// sound has SQLite check the file.
func sound(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
}
