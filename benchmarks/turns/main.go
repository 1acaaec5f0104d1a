// Command turns measures W(n), a conversation of n turns of 3.7 kB in four messages
// each that are durable one by one, beside plain rows in the same database: what a
// turn costs, what a process pays that asks a file a question, and what is on the
// disk and in memory. It prints one table in Markdown.
//
//	go run ./turns                          # 1,000 and 10,000 turns
//	go run ./turns -sizes 1000,100000       # others; 100,000 take minutes
//	go run ./turns -rows 'asks'             # some of the rows
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/benchmarks/talk"
)

// row is a line of the table: what is measured at a size, and the goal in words.
type row struct {
	name, goal string
	// measure returns our figure and that of the plain side, which may be empty.
	measure func(b *bench, n int) (ours, plain figure)
}

// figure is a measured value with its unit; a zero one is nothing to compare with.
type figure struct {
	value float64
	write func(float64) string
}

func (f figure) String() string {
	if f.write == nil {
		return "–"
	}
	return f.write(f.value)
}

var rows = []row{
	{"a durable turn: time", "≤ 1.25 × plain rows", durableTurn(func(c cost) figure { return seconds(c.wall) })},
	{"… processor", "≤ 1.2 × plain rows", durableTurn(func(c cost) figure { return seconds(c.cpu) })},
	{"… allocations", "≤ 150", durableTurn(func(c cost) figure { return count(c.allocations) })},
	{"… written by the process", "", durableTurn(func(c cost) figure { return size(c.written) })},
	{"a durable turn after n turns against one after 1,000", "≤ 1.5", flat(manner{edit: talk.Say})},
	{"… and a block expires at each", "≤ 1.5", flat(manner{edit: sayAnd(9)})},
	{"… and a block of a sealed core expires at each", "≤ 1.5", flat(manner{edit: sayAnd(0)})},
	{"… at a limit of turns", "0.2 µs a node more", flat(manner{edit: talk.Say, most: true})},
	{"… in a fork", "≤ 1.5", flat(manner{edit: talk.Say, fork: true})},
	{"a process asks a file for one node by id", "≤ 6 ms above start-up", asking("node")},
	{"a process asks for the node of a key, which any node may have", "", asking("key")},
	{"a process asks for the last three turns", "≤ 6 ms above start-up", asking("last")},
	{"a process asks what the last commit changed", "≤ 6 ms above start-up", asking("diff")},
	{"a process asks for the thread at n/2", "≤ 1.5 × plain rows", asking("half")},
	{"a process asks for the life of one block", "≤ 50 ms", askingOurs("life")},
	{"a process asks what each call repeats of the one before", "", askingOurs("prefixes")},
	{"a process searches all contents for a word", "", askingOurs("grep")},
	{"a process asks for the last three turns where 50 of n are alive", "as 50 turns", askingFewAlive},
	{"memory of a process that asks for one node, above start-up", "≤ 30 MB", askingMemory},
	{"an open context: heap a node, without contents", "≤ 200 B", heapOfNode},
	{"a process that wrote n turns: heap", "bounded", heapOfWriter},
	{"… heap a snapshot that is held", "", heapOfSnapshot},
	{"bytes on the disk, against the contents", "≤ 1.2", onDisk},
	{"… after compacting", "≤ 0.6", onDiskCompacted},
	{"a process asks the compacted file for the last three turns", "≤ 6 ms above start-up", askingCompacted},
	{"import of an exported history, a second", "≥ 60 MB by processor", importing},
	{"verify, a second of contents", "≥ 200 MB", verifying},
	{"erasing one late block", "the cycles since", erasing(func(n int) int { return n - 9 })},
	{"erasing one early block", "the cycles since", erasing(func(int) int { return 2 })},
}

func main() {
	sizes := flag.String("sizes", "1000,10000", "the numbers of turns, with commas")
	only := flag.String("rows", "", "measure the rows whose name matches this regular expression")
	what := flag.String("ask", "", "be the process that asks, of ours or of plain rows: ours:node")
	file := flag.String("file", "", "the file that is asked")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *what != "" {
		exitOn(ask(ctx, *what, *file))
		fmt.Println(resident())
		return
	}
	wanted, err := regexp.Compile(*only)
	exitOn(err)
	fmt.Printf("%s, %s/%s, %d cores\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| what | turns | ours | plain rows | ratio | goal |\n| --- | ---: | ---: | ---: | ---: | --- |")
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		exitOn(err)
		b, err := newBench(ctx, n)
		exitOn(err)
		for _, r := range rows {
			if wanted.MatchString(r.name) {
				exitOn(b.line(r, n))
			}
		}
		exitOn(b.close())
	}
}

// line measures a row and prints it.
func (b *bench) line(r row, n int) (err error) {
	defer func() {
		if f, ok := recover().(failure); ok {
			err = fmt.Errorf("%s at %d: %w", r.name, n, f.error)
		}
	}()
	ours, plain := r.measure(b, n)
	beside := "–"
	if plain.value > 0 {
		beside = digits(ours.value / plain.value)
	}
	fmt.Printf("| %s | %d | %s | %s | %s | %s |\n", r.name, n, ours, plain, beside, r.goal)
	return nil
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func seconds(d time.Duration) figure {
	return figure{float64(d), func(v float64) string {
		d := time.Duration(v)
		switch {
		case d <= 0: // a difference that is less than what other work adds
			return "not told apart"
		case d < time.Millisecond:
			return strconv.FormatFloat(v/1e3, 'g', 3, 64) + " µs"
		case d < time.Second:
			return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " ms"
		}
		return strconv.FormatFloat(v/1e9, 'g', 3, 64) + " s"
	}}
}

func count(n uint64) figure {
	return figure{float64(n), func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }}
}

func size(n int64) figure {
	return figure{float64(n), func(v float64) string {
		switch {
		case v < 1e4:
			return strconv.FormatFloat(v, 'f', 0, 64) + " B"
		case v < 1e7:
			return strconv.FormatFloat(v/1e3, 'f', 0, 64) + " kB"
		}
		return strconv.FormatFloat(v/1e6, 'f', 1, 64) + " MB"
	}}
}

func ratio(v float64) figure {
	return figure{v, func(v float64) string { return digits(v) + " ×" }}
}

// digits writes a number with three digits or, where there are more before the
// point, all of those.
func digits(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
