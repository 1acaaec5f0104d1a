package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// queuingChild commits turns to a context of its own, without a pause. It says
// when it is ready, and waits for its input to end.
func queuingChild(ctx context.Context, path string, count int) error {
	s, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	w := &turns{store: s, name: "turns of " + strconv.Itoa(os.Getpid())}
	if err := w.create(ctx); err != nil {
		return err
	}
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadByte()
	for range count {
		if err := w.commit(ctx, "turn", false); err != nil {
			return err
		}
		if _, err := fmt.Println("ack"); err != nil {
			return err
		}
	}
	return s.Close()
}

// TestServedInTurn has eight processes commit without a pause. Between two
// commits of one, the others get their turns, and not more than a few each.
func TestServedInTurn(t *testing.T) {
	const writers, commits, most = 8, 60, 12
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	var (
		mu     sync.Mutex
		order  []int       // the writers, as they were acknowledged
		times  []time.Time // when they were
		starts []func()
		ended  sync.WaitGroup
	)
	for i := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFile+"="+path, childTurns+"="+strconv.Itoa(commits), childQueue+"=1")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		if !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("writer %d says %q", i, lines.Text())
		}
		starts = append(starts, func() { in.Close() })
		ended.Go(func() {
			for lines.Scan() {
				mu.Lock()
				order, times = append(order, i), append(times, time.Now())
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, start := range starts {
		start()
	}
	ended.Wait()
	last, done, worst, wait := make([]int, writers), make([]int, writers), 0, time.Duration(0)
	for at, i := range order {
		if done[i]++; done[i] > 1 {
			worst, wait = max(worst, at-last[i]-1), max(wait, times[at].Sub(times[last[i]]))
		}
		last[i] = at
	}
	t.Logf("at most %d commits of others between two of one writer, and %v", worst, wait)
	if len(order) != writers*commits {
		t.Errorf("%d commits were acknowledged, want %d", len(order), writers*commits)
	}
	if worst > most*(writers-1) {
		t.Errorf("a writer waited for %d commits of %d others", worst, writers-1)
	}
	modes(t, path, 0o600, "pact.db", "pact.db-queue")
	s := open(t, path)
	list, err := s.List(t.Context())
	must(t, err)
	for _, info := range list {
		if info.Name != "turns" && info.Cycle != commits {
			t.Errorf("%s is at cycle %d", info.Name, info.Cycle)
		}
	}
}
