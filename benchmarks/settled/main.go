// Command settled measures what a file of settled turns takes: bytes on the disk
// before and after it was compacted, opening it, reading it, verifying it and
// erasing one block. A turn is four messages with 3.7 kB of English in all. Times are
// those of the processors, the least of some tries; each try opens the file anew. It
// prints a table in Markdown.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store/sqlite"
)

func main() {
	sizes := flag.String("turns", "1000,10000", "numbers of turns, with commas between them")
	alive := flag.Int("alive", 50, "of the last row: how many turns a limit leaves")
	tries := flag.Int("tries", 5, "how often to measure; the fastest counts")
	reading := flag.Bool("reading", false, "measure what reads alone: no verifying, no erasing")
	docs := flag.String("text", "../docs", "directory with the text that turns are made of")
	flag.Parse()
	text, err := corpus(*docs)
	must(err)
	fmt.Println("| turns | what | before compacting | after |\n| ---: | --- | ---: | ---: |")
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		must(err)
		measure(n, *tries, text, nil, *reading)
		measure(n, *tries, text, &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: *alive}}, true)
	}
}

// corpus is all text of a directory.
func corpus(dir string) (string, error) {
	var all strings.Builder
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*.md"))
	for _, name := range append(names, more...) {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), err
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cpu is the time that the processors worked for this process.
func cpu() time.Duration {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func least(tries int, f func()) time.Duration {
	best := time.Duration(0)
	for i := range tries {
		runtime.GC()
		start := cpu()
		f()
		if took := cpu() - start; i == 0 || took < best {
			best = took
		}
	}
	return best
}

var ctx = context.Background()

// measure prints the rows of one size.
func measure(n, tries int, text string, pruning *pact.Pruning, reading bool) {
	dir, err := os.MkdirTemp("", "pact-settled")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "pact.db")
	label := fmt.Sprintf("| %d ", n)
	content, took := write(path, n, text, pruning)
	if pruning != nil {
		label = fmt.Sprintf("| %d, %d alive ", n, pruning.Policy.MaxTurns)
	}
	erased := 4
	size := func() string { return fmt.Sprintf("%.2f", float64(fileSize(path))/float64(content)) }
	rows := []struct {
		name string
		show func() string
	}{
		{"bytes on the disk, of each of content", size},
		{"opening, and the last three turns", func() string { return show(least(tries, func() { last(path) })) }},
		{"the whole thread, opened for it", func() string { return show(least(tries, func() { thread(path) })) }},
		{"verifying", func() string {
			took := least(1, func() { verify(path) })
			return fmt.Sprintf("%s, %.0f MB/s", show(took), float64(content)/1e6/took.Seconds())
		}},
		{"erasing one early block", func() string {
			erased++
			return show(least(1, func() { erase(path, fmt.Sprintf("block:%d-1", erased)) }))
		}},
	}
	if reading {
		rows = rows[:3]
	}
	before := make([]string, len(rows))
	for i, r := range rows {
		before[i] = r.show()
	}
	compacting := least(1, func() { compact(path) })
	fmt.Printf("%s| a commit | %s | |\n", label, show(took))
	for i, r := range rows {
		fmt.Printf("%s| %s | %s | %s |\n", label, r.name, before[i], r.show())
	}
	fmt.Printf("%s| compacting | %s | |\n", label, show(compacting))
}

func show(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.2f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
}

func fileSize(path string) (n int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

// write commits n turns, and returns the bytes of their contents and what one takes.
func write(path string, n int, text string, pruning *pact.Pruning) (content int, each time.Duration) {
	const message = 925
	s, err := dbtest.Open(sqlite.Open(ctx, path))
	must(err)
	now := int64(1_700_000_000_000_000_000)
	c, err := pact.Create(ctx, s, "chat", &pact.CreateOptions{OpenOptions: pact.OpenOptions{
		Clock: func() int64 { now += 1_000_003; return now }}})
	must(err)
	start := cpu()
	for turn := range n {
		_, err := c.Commit(ctx, &pact.CommitOptions{Pruning: pruning, Edit: func(b *pact.Batch) error {
			for i, role := range []string{"user", "assistant", "tool", "assistant"} {
				at := (turn*4 + i) * message % (len(text) - message)
				part := strings.ToValidUTF8(text[at:at+message], "?")
				content += len(part)
				b.Add("^ah", pact.Spec{Role: role, Kind: "text", Content: part})
			}
			return nil
		}})
		must(err)
	}
	each = (cpu() - start) / time.Duration(n)
	must(s.Close())
	return content, each
}

// opened calls f with the context in a file.
func opened(path string, f func(c *pact.Context)) {
	s, err := dbtest.Open(sqlite.Open(ctx, path))
	must(err)
	c, err := pact.Open(ctx, s, "chat", nil)
	must(err)
	f(c)
	must(s.Close())
}

func last(path string) {
	opened(path, func(c *pact.Context) {
		_, err := c.Select(ctx, selector.MustParse(":depth(1-3) .cb", c.Edition()), nil)
		must(err)
	})
}

func thread(path string) {
	opened(path, func(c *pact.Context) {
		snapshot, err := c.At(ctx, pact.Latest())
		must(err)
		_, err = snapshot.Thread(ctx)
		must(err)
	})
}

func verify(path string) {
	opened(path, func(c *pact.Context) {
		v, err := pact.Verify(ctx, c, nil)
		must(err)
		if !v.Holds() {
			must(fmt.Errorf("the file is damaged: %+v", v))
		}
	})
}

func erase(path, id string) {
	opened(path, func(c *pact.Context) {
		_, err := c.Erase(ctx, pact.Erasure{IDs: []string{id}, Random: rand.Reader, Reason: "a measurement"})
		must(err)
	})
}

func compact(path string) {
	s, err := dbtest.Open(sqlite.Open(ctx, path))
	must(err)
	_, err = s.Compact(ctx)
	must(err)
	must(s.Close())
}
