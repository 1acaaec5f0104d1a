package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/sqlite"
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

// TestServedInTurn has eight processes commit without a pause. Between two
// commits of one, each of the others gets its turn, also while other programs keep the processors busy. A process that
// the machine lets stand misses turns, so that what is asked is the middle, not the longest wait.
func TestServedInTurn(t *testing.T) {
	const writers, commits = 8, 60
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	children := startQueuing(t, path, writers, commits)
	for _, c := range children.list {
		c.start()
	}
	order := children.wait(t)
	var between []int // commits of others between two of one writer
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
	// Without the queue one writer commits again and again while the others wait: 0 to 2.
	if middle := between[len(between)/2]; middle < writers-2 {
		t.Errorf("between two commits of a writer are mostly %d of others", middle)
	}
	s := open(t, path)
	list, err := s.List(t.Context())
	must(t, err)
	for _, info := range list {
		if info.Name != "turns" && info.Cycle != commits {
			t.Errorf("%s is at cycle %d", info.Name, info.Cycle)
		}
	}
}

// TestAKilledWriterLeavesTheQueue kills writers while they wait: nobody waits for them any more, and nobody behind them
// overtakes those before them.
func TestAKilledWriterLeavesTheQueue(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("left out: this system has no queue between processes")
	}
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	children, release := waitingWriters(t, s, path, 10)
	for _, killed := range []int{0, 2, 5, 4, 7, 8} { // the head, one, and two behind each other twice
		must(t, children.list[killed].kill())
	}
	release()
	// A reader sees their commits in the order in which they came. What they acknowledge may come later.
	left, came := []int{1, 3, 6, 9}, 0
	for until := time.Now().Add(time.Minute); came < len(left) && !t.Failed(); {
		if time.Now().After(until) {
			t.Fatalf("writer %d has not committed", left[came])
		}
		list, err := s.List(t.Context())
		must(t, err)
		done := map[string]bool{}
		for _, info := range list {
			done[info.Name] = info.Cycle > 0
		}
		for place, writer := range left {
			switch committed := done[fmt.Sprint("turns of ", children.list[writer].process.Pid)]; {
			case committed && place == came:
				came++
			case committed && place > came:
				t.Errorf("writer %d committed before writer %d, who was before it", writer, left[came])
			}
		}
	}
	children.wait(t)
	if sqlite.WaitsInQueue(s.bytes, 0) {
		t.Error("somebody has a place in the queue")
	}
}

// givesUp returns a store of which a writer gave up its place in the queue, behind the writer of another process.
func givesUp(t *testing.T) (s *file, path string, w *turns, children *queuingChildren, release func()) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("left out: this system has no queue between processes")
	}
	path = filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	s, err := openFile(t.Context(), path)
	must(t, err)
	w = &turns{store: s, name: "gives up"}
	must(t, w.create(t.Context()))
	children, release = waitingWriters(t, s, path, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := w.commit(ctx, "too late", false); !errors.Is(err, fault.Busy) {
		t.Errorf("got %v", err)
	}
	return s, path, w, children, release
}

// TestAWriterThatGivesUpLeavesTheQueue has a writer wait behind another one for less long than that one waits: it fails,
// the other one commits, and nobody waits for its place.
func TestAWriterThatGivesUpLeavesTheQueue(t *testing.T) {
	s, _, w, children, release := givesUp(t)
	defer s.Close()
	release()
	if order := children.wait(t); len(order) != 1 {
		t.Errorf("%d commits of the other one", len(order))
	}
	w.next(t, "in time")
}

// TestAClosedStoreStaysOpenForAWriterInTheQueue closes a store of which a writer gave up in its place: the file stays
// open until its turn came, because closing it would release the locks of a store that is opened meanwhile.
func TestAClosedStoreStaysOpenForAWriterInTheQueue(t *testing.T) {
	s, path, _, children, release := givesUp(t)
	must(t, s.Close())
	if !sqlite.IsOpen(path) {
		t.Error("the file was closed while a writer had a place in the queue")
	}
	release()
	children.wait(t)
	for until := time.Now().Add(time.Minute); sqlite.IsOpen(path); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the file is open after the turn of the writer")
		}
	}
}

// TestWritersWithoutAQueue begins to write where no place can be locked: who waits tries until the lock is free.
func TestWritersWithoutAQueue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	name := filepath.Join(t.TempDir(), "read-only")
	put(t, name, "")
	readOnly, err := os.Open(name)
	must(t, err)
	defer readOnly.Close()
	one, other := raw(t, path), raw(t, path)
	one.SetMaxOpenConns(1)
	other.SetMaxOpenConns(1)
	_, err = one.Exec("BEGIN IMMEDIATE")
	must(t, err)
	tries := 0
	must(t, sqlite.BeginWithoutLocks(t.Context(), readOnly, func() error {
		if tries++; tries == 3 {
			_, err := one.Exec("ROLLBACK")
			must(t, err)
		}
		_, err := other.Exec("BEGIN IMMEDIATE")
		return err
	}))
	if tries != 3 {
		t.Errorf("it tried %d times", tries)
	}
}

// queuingChildren are processes that run queuingChild, ready to begin.
type queuingChildren struct {
	list         []*startedChild
	acknowledged string // the file of their commits
}

type startedChild struct {
	process *os.Process
	start   func() error
	kill    func() error
	ended   chan error
}

func startQueuing(t *testing.T, path string, writers, commits int) *queuingChildren {
	t.Helper()
	all := &queuingChildren{acknowledged: filepath.Join(t.TempDir(), "order")}
	must(t, os.WriteFile(all.acknowledged, nil, 0o600))
	for i := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFile+"="+path, childTurns+"="+strconv.Itoa(commits), childQueue+"="+all.acknowledged)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		c := &startedChild{cmd.Process, in.Close, nil, make(chan error, 1)}
		lines := bufio.NewScanner(out)
		if !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("writer %d says %q", i, lines.Text())
		}
		go func() { c.ended <- cmd.Wait() }()
		c.kill = func() error {
			err := c.process.Kill()
			<-c.ended
			c.ended <- nil
			return err
		}
		all.list = append(all.list, c)
	}
	return all
}

// waitingWriters returns writers that wait in the queue in this order, each in a process of its own, for a transaction
// that release ends.
func waitingWriters(t *testing.T, s *file, path string, writers int) (children *queuingChildren, release func()) {
	t.Helper()
	children = startQueuing(t, path, writers, 1)
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	_, err := other.Exec("BEGIN IMMEDIATE")
	must(t, err)
	for place, c := range children.list {
		c.start()
		for until := time.Now().Add(time.Minute); !sqlite.WaitsInQueue(s.bytes, place); time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("writer %d takes no place in the queue", place)
			}
		}
	}
	return children, func() {
		t.Helper()
		_, err := other.Exec("ROLLBACK")
		must(t, err)
	}
}

// wait waits for all to end, and returns their ids in the order of their commits.
func (all *queuingChildren) wait(t *testing.T) []string {
	t.Helper()
	for _, c := range all.list {
		if err := <-c.ended; err != nil {
			t.Error(err)
		}
	}
	lines, err := os.ReadFile(all.acknowledged)
	must(t, err)
	return strings.Fields(string(lines))
}
