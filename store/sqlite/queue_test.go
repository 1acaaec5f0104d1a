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
	"strings"
	"sync"
	"testing"
)

// queuingChild commits turns to a context of its own, without a pause. It says
// when it is ready, waits for its input to end, and writes a line for each commit to a
// file that all share: they stand in their order however late somebody reads them.
func queuingChild(ctx context.Context, path string, count int) error {
	s, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	w := &turns{store: s, name: "turns of " + strconv.Itoa(os.Getpid())}
	if err := w.create(ctx); err != nil {
		return err
	}
	order, err := os.OpenFile(os.Getenv(childQueue), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer order.Close()
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadByte()
	for range count {
		if err := w.commit(ctx, "turn", false); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(order, os.Getpid()); err != nil {
			return err
		}
	}
	return s.Close()
}

const queuing = 8 // writers

// TestServedInTurn has eight processes commit without a pause. Between two
// commits of one, the others get their turns: mostly one each. A process that the
// machine lets stand misses turns, so that the longest wait says nothing, and a machine
// that others keep busy is asked again.
func TestServedInTurn(t *testing.T) {
	between := 0
	for tries := 0; between < queuing/2; tries++ {
		// Without the queue one writer commits again and again while the others wait: 0 to 2 in the middle.
		if tries == 10 {
			t.Fatalf("between two commits of a writer are mostly %d of others", between)
		}
		between = betweenCommits(t)
	}
}

// betweenCommits returns how many commits of others are between two of one writer, in the middle.
func betweenCommits(t *testing.T) int {
	const writers, commits = queuing, 60
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	acknowledged := filepath.Join(t.TempDir(), "order")
	must(t, os.WriteFile(acknowledged, nil, 0o600))
	var (
		starts []func()
		ended  sync.WaitGroup
	)
	for i := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFile+"="+path, childTurns+"="+strconv.Itoa(commits), childQueue+"="+acknowledged)
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
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, start := range starts {
		start()
	}
	ended.Wait()
	lines, err := os.ReadFile(acknowledged)
	must(t, err)
	order := strings.Fields(string(lines)) // the processes, as their commits were acknowledged
	var between []int                      // commits of others between two of one writer
	last := map[string]int{}
	for at, writer := range order {
		if before, ok := last[writer]; ok {
			between = append(between, at-before-1)
		}
		last[writer] = at
	}
	slices.Sort(between)
	if len(order) != writers*commits {
		t.Errorf("%d commits were acknowledged, want %d", len(order), writers*commits)
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
	return between[len(between)/2]
}
