// Command opening measures what a process needs that opens a file of n turns and asks
// one question: the time that passes, that of the processors, and the most memory that
// it holds, each beside a process that opens the store and asks nothing. It runs
// itself for each question. It prints a table in Markdown.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store/sqlite"
)

func main() {
	sizes := flag.String("turns", "1000,10000,100000", "how many turns the files have")
	dir := flag.String("dir", "", "where the files are kept; made where they are missing")
	tries := flag.Int("tries", 15, "how often each question is asked; the median counts")
	ask := flag.String("ask", "", "ask one question of one file, and say nothing: for the processes that are measured")
	flag.Parse()
	ctx := context.Background()
	if *ask != "" {
		check(answer(ctx, *ask, flag.Arg(0)))
		fmt.Println(must(mostMemory()))
		return
	}
	if *dir == "" {
		*dir = must(os.MkdirTemp("", "opening"))
		defer os.RemoveAll(*dir)
	}
	fmt.Println("| turns | question | time | of processors | most memory | above the store alone |")
	fmt.Println("| ---: | --- | ---: | ---: | ---: | ---: |")
	for text := range strings.SplitSeq(*sizes, ",") {
		n := must(strconv.Atoi(text))
		path := filepath.Join(*dir, text+".db")
		if _, err := os.Stat(path); err != nil {
			check(fill(ctx, path, n))
		}
		var alone cost
		for _, q := range questions {
			c := must(measure(q.name, path, *tries))
			if q.name == questions[0].name {
				alone = c
			}
			fmt.Printf("| %s | %s | %s | %s | %.1f MB | %s, %.1f MB |\n", text, q.name, millis(c.time), millis(c.worked),
				megabytes(c.memory), millis(c.time-alone.time), megabytes(c.memory-alone.memory))
		}
	}
}

// questions are the questions of a process; the first asks nothing.
var questions = []struct {
	name string
	ask  func(ctx context.Context, c *pact.Context, n int64) error
}{
	{"none", nil},
	{"one node in the middle", func(ctx context.Context, c *pact.Context, n int64) error {
		s, err := c.At(ctx, pact.Latest())
		if err != nil {
			return err
		}
		node, err := s.Node("block:" + strconv.FormatInt(n/2, 10) + "-2")
		if err == nil {
			_, err = node.Text(ctx)
		}
		return err
	}},
	{"the last three turns", func(ctx context.Context, c *pact.Context, n int64) error {
		return found(c.Select(ctx, selector.MustParse(".seg:depth(1-3)", c.Edition()), nil))
	}},
	{"the difference of the last two snapshots", func(ctx context.Context, c *pact.Context, n int64) error {
		d, err := c.Diff(ctx, pact.Cycle(n-1), pact.Cycle(n), nil)
		if err == nil && len(d.Added) == 0 {
			err = fmt.Errorf("nothing differs")
		}
		return err
	}},
	{"a commit", func(ctx context.Context, c *pact.Context, n int64) error {
		_, err := c.Prepare(ctx, nil)
		return err
	}},
}

func found(ids []string, err error) error {
	if err == nil && len(ids) == 0 {
		err = fmt.Errorf("nothing was found")
	}
	return err
}

func answer(ctx context.Context, question, path string) error {
	s, err := dbtest.Open(sqlite.Open(ctx, path))
	if err != nil {
		return err
	}
	for _, q := range questions {
		if q.name != question || q.ask == nil {
			continue
		}
		c, err := pact.Open(ctx, s, "chat", nil)
		if err != nil {
			return err
		}
		_, n := c.Cycles()
		if err := q.ask(ctx, c, n); err != nil {
			return err
		}
	}
	return s.Close()
}

// mostMemory is the most that this process had in memory, in kilobytes. What its
// parent tells of it counts the memory of the parent too.
func mostMemory() (string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	size, _, _ := strings.Cut(rest, "kB")
	return strings.TrimSpace(size), nil
}

// cost is the cost of a process.
type cost struct {
	time, worked time.Duration
	memory       int64 // bytes, resident at most
}

// measure returns the medians of several processes.
func measure(question, path string, tries int) (cost, error) {
	var times, worked []time.Duration
	var memory []int64
	for range tries {
		child := exec.Command(must(os.Executable()), "-ask", question, path)
		child.Stderr = os.Stderr
		began := time.Now()
		said, err := child.Output()
		if err != nil {
			return cost{}, err
		}
		times = append(times, time.Since(began))
		worked = append(worked, child.ProcessState.UserTime()+child.ProcessState.SystemTime())
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(said)), 10, 64)
		if err != nil {
			return cost{}, err
		}
		memory = append(memory, kilobytes<<10)
	}
	slices.Sort(times)
	slices.Sort(worked)
	slices.Sort(memory)
	return cost{times[tries/2], worked[tries/2], memory[tries/2]}, nil
}

// fill makes a file of n turns of 3.7 kB in four messages.
func fill(ctx context.Context, path string, n int) error {
	s, err := dbtest.Open(sqlite.Open(ctx, path))
	if err != nil {
		return err
	}
	c, err := pact.Create(ctx, s, "chat", nil)
	if err != nil {
		return err
	}
	words := strings.Repeat("the tests of the package pass again, and what they cost is written down here. ", 12)
	for i := range n {
		_, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			for k, role := range [...]string{"user", "assistant", "tool", "assistant"} {
				b.Add("^ah", pact.Spec{Role: role, Content: strconv.Itoa(i*4+k) + " " + words})
			}
			return nil
		}})
		if err != nil {
			return err
		}
	}
	return s.Close()
}

func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
