// Command capacity says what one PostgreSQL has to hold and to do, from one agent to
// a million contexts a day. It measures what a context and a turn cost on a temporary
// server, simulates the busiest minute of each load on as many cores as it gives
// them, and prints both as tables in Markdown.
//
//	go run ./capacity             # measures, which takes a minute, and prints
//	go run ./capacity -turns 50   # fewer turns to measure with
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"time"

	"github.com/contexttree/pact/internal/postgrestest"
)

func main() {
	turns := flag.Int("turns", 200, "how many turns to measure with")
	contexts := flag.Int("contexts", 500, "how many contexts to measure with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *turns, *contexts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, turns, contexts int) error {
	server, err := postgrestest.Start()
	if err != nil {
		return err
	}
	defer server.Stop()
	k, err := measure(ctx, server.URL("postgres"), turns, contexts)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	k.print()
	fmt.Println()
	printLoads(k)
	fmt.Println()
	printLimits(k)
	return nil
}

// load is the load of a day.
type load struct {
	name     string
	contexts float64 // begun a day
	turns    float64 // of each
	kept     float64 // days until a context is deleted
}

// The loads of the table. A turn has 3.7 kB in four messages, and the busiest minute
// of a day has peak times the mean.
var loads = []load{
	{"one agent", 1, 200, 365},
	{"a team of 20", 100, 100, 365},
	{"a company", 10_000, 50, 90},
	{"a product", 100_000, 30, 30},
	{"a platform", 1_000_000, 20, 30},
}

const (
	peak = 5
	day  = 24 * 60 * 60
)

func printLoads(k constants) {
	fmt.Println("| load | contexts a day | turns a day | rows a day | new bytes a day | kept, as rows | " +
		"kept, joined | partitions of 100 GB | commits a second, mean and peak | cores | " +
		"connections | p99 of a commit at the peak | log of the server a second |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, l := range loads {
		commits := l.contexts * l.turns
		rows := l.contexts*k.rowsContext + commits*k.rowsTurn
		bytes := l.contexts*k.bytesContext + commits*k.bytesTurn
		busiest := peak * commits / day
		cores := max(1, int(busiest*k.processor.Seconds()/0.6+1)) // at most 60 % busy
		q := simulate(busiest, k.processor, k.latency, cores)
		kept := bytes * l.kept
		joined := (l.contexts*k.bytesContext + commits*k.bytesJoined) * l.kept
		fmt.Printf("| %s | %s | %s | %s | %s | %s (%.0f days) | %s | %.0f | %.3g, %.3g | %d | %d | %v | %s |\n",
			l.name, number(l.contexts), number(commits), number(rows), bytesText(bytes),
			bytesText(kept), l.kept, bytesText(joined),
			math.Ceil(joined/100e9), commits/day, busiest, cores,
			q.connections, q.p99.Round(100*time.Microsecond), bytesText(busiest*k.walTurn))
	}
}

// printLimits says at which number something breaks, in the order of those numbers.
func printLimits(k constants) {
	fmt.Println("| what | breaks at | why |\n| --- | ---: | --- |")
	fmt.Printf("| listing all contexts within a second | %s contexts | %v a context |\n",
		number(time.Second.Seconds()/k.listing.Seconds()), k.listing.Round(100*time.Nanosecond))
	fmt.Printf("| an erasure that makes others wait for less than a minute | %s in the tables | "+
		"the erasure rewrites them, %s a second |\n",
		bytesText(60*k.vacuum), bytesText(k.vacuum))
	fmt.Printf("| one core of the server | %s commits a second | %v of processor a commit |\n",
		number(1/k.processor.Seconds()), k.processor.Round(time.Microsecond))
	fmt.Printf("| processes without a pooler, at 100 connections of the server | %d processes | "+
		"16 connections a process at most |\n", 100/16)
	fmt.Printf("| connections in 16 GB of memory | %s connections | %s of their own each, idle |\n",
		number(16e9/k.memory), bytesText(k.memory))
	fmt.Printf("| one table of 32 TB (8 kB pages) | %s turns | %s a turn in the largest table |\n",
		number(32e12/k.bytesLargest), bytesText(k.bytesLargest))
	fmt.Println("| keys of contexts, revisions, numbers of nodes | 9 · 10^18 | BIGINT |")
}

// number is a number with three digits and a letter for its power of ten.
func number(v float64) string {
	switch {
	case v >= 1e9:
		return strconv.FormatFloat(v/1e9, 'g', 3, 64) + " G"
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'f', 0, 64) + " k"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func bytesText(v float64) string {
	switch {
	case v >= 1e12:
		return strconv.FormatFloat(v/1e12, 'g', 3, 64) + " TB"
	case v >= 1e9:
		return strconv.FormatFloat(v/1e9, 'g', 3, 64) + " GB"
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " MB"
	}
	return strconv.FormatFloat(v/1e3, 'g', 3, 64) + " kB"
}
