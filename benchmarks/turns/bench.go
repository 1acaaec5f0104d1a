package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/benchmarks/talk"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store/sqlite"
)

// failure is an error on its way up to the row that it ends.
type failure struct{ error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// bench has the two files of a size, filled when a row first needs them.
type bench struct {
	ctx   context.Context
	turns int
	dir   string
	ours  string // the file of our store, "" until it is filled
	plain string // the file of plain rows
	asked map[string]answer

	cleanUp func() // closes what committer opened
}

func newBench(ctx context.Context, n int) (*bench, error) {
	dir, err := os.MkdirTemp("", "pact-turns")
	return &bench{ctx: ctx, turns: n, dir: dir, asked: make(map[string]answer)}, err
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

// open opens a store in a file.
func (b *bench) open(path string) *pact.DB {
	s, err := dbtest.Open(sqlite.Open(b.ctx, path))
	must(err)
	return s
}

// context opens the conversation in a copy of the file, so that the file stays as it
// is. The caller closes the store.
func (b *bench) context() (*pact.DB, *pact.Context) {
	path := filepath.Join(b.dir, "copy.db")
	must(b.clone(b.filled(), path))
	s := b.open(path)
	c, err := pact.Open(b.ctx, s, "w", nil)
	must(err)
	return s, c
}

func (b *bench) clone(from, to string) error {
	for _, beside := range []string{"", "-wal", "-shm"} {
		if err := os.RemoveAll(to + beside); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// filled is the file of the conversation in our store.
func (b *bench) filled() string {
	if b.ours == "" {
		b.ours = b.fill("ours.db", nil)
	}
	return b.ours
}

// compacted is the file of the conversation in our store, after it was compacted.
func (b *bench) compacted() string {
	path := filepath.Join(b.dir, "compacted.db")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	must(b.clone(b.filled(), path))
	s := b.open(path)
	_, err := s.Compact(b.ctx)
	must(err)
	must(s.Close())
	return path
}

// fill commits all turns to a new file, under a policy where there is one.
func (b *bench) fill(name string, p *pact.Pruning) string {
	path := filepath.Join(b.dir, name)
	s := b.open(path)
	c, err := pact.Create(b.ctx, s, "w", nil)
	must(err)
	for turn := range b.turns {
		_, err := c.Commit(b.ctx, &pact.CommitOptions{Edit: talk.Say(turn), Pruning: p})
		must(err)
	}
	must(s.Close())
	return path
}

// cost is the cost of one of several rounds.
type cost struct {
	wall, cpu   time.Duration
	allocations uint64
	written     int64
}

// rounds calls f for each of some rounds and returns the cost of one. Times are
// medians, because other work on the machine comes in bursts.
func rounds(n int, f func(i int)) cost {
	return inTurns(n, f)[0]
}

// inTurns calls each of some functions in every round, so that other work on the
// machine meets all of them.
func inTurns(n int, list ...func(i int)) []cost {
	costs, walls, cpus := make([]cost, len(list)), make([][]time.Duration, len(list)), make([][]time.Duration, len(list))
	var before, after runtime.MemStats
	for i := range n {
		for k, f := range list {
			wrote := written()
			runtime.ReadMemStats(&before)
			began, worked := time.Now(), processor()
			f(i)
			walls[k], cpus[k] = append(walls[k], time.Since(began)), append(cpus[k], processor()-worked)
			runtime.ReadMemStats(&after)
			costs[k].allocations += after.Mallocs - before.Mallocs
			costs[k].written += written() - wrote
		}
	}
	for k := range costs {
		costs[k].wall, costs[k].cpu = median(walls[k]), median(cpus[k])
		costs[k].allocations /= uint64(n)
		costs[k].written /= int64(n)
	}
	return costs
}

// processor is how long processors have worked for this process.
func processor() time.Duration {
	var r syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// written is how many bytes this process gave to write calls.
func written() int64 { return said("/proc/self/io", "wchar:") }

// resident is how many bytes of this process were in memory at most.
func resident() int64 { return 1024 * said("/proc/self/status", "VmHWM:") }

// said is a number that Linux says of the process, 0 on other systems.
func said(file, name string) int64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), name); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 64)
			return n
		}
	}
	return 0
}
