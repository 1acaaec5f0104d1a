package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
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
// commits of one, the others get their turns: mostly one each. A process that the
// machine lets stand misses turns, so that the longest wait says nothing.
func TestServedInTurn(t *testing.T) {
	const writers, commits = 8, 60
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	var (
		mu     sync.Mutex
		order  []int // the writers, as they were acknowledged
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
				order = append(order, i)
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
	var between []int // commits of others between two of one writer
	last := map[int]int{}
	for at, i := range order {
		if before, ok := last[i]; ok {
			between = append(between, at-before-1)
		}
		last[i] = at
	}
	slices.Sort(between)
	if len(order) != writers*commits {
		t.Errorf("%d commits were acknowledged, want %d", len(order), writers*commits)
	}
	// Without the queue one writer commits again and again while the others wait: 0 to 2 in the middle.
	if n := len(between); n > 0 && between[n/2] < writers/2 {
		t.Errorf("between two commits of a writer are mostly %d of others", between[n/2])
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
