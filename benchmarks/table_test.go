package benchmarks

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// cell is a place in the tables: a size, a row and who was measured.
type cell struct {
	nodes     int
	row, what string
}

// figure is the result of one measurement, a call.
type figure struct{ seconds, allocs float64 }

var figures = make(map[cell][]figure)

func record(at cell, f figure) { figures[at] = append(figures[at], f) }

// best is the figure of the fastest run, false where there was none.
func best(at cell) (figure, bool) {
	runs := figures[at]
	if len(runs) == 0 {
		return figure{}, false
	}
	return slices.MinFunc(runs, func(a, b figure) int { return cmp.Compare(a.seconds, b.seconds) }), true
}

func TestMain(m *testing.M) {
	code := m.Run()
	if len(figures) > 0 {
		printQueries()
		printScans()
		printSizes()
	}
	os.Exit(code)
}

func printQueries() {
	fmt.Printf("\nTimes of the others as multiples of ours; – where a language cannot ask.\n\n" +
		"| nodes | row | selector | ours | allocations |")
	for _, c := range contestants[1:] {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Print("\n| ---: | --- | --- | ---: | ---: |")
	for range contestants[1:] {
		fmt.Print(" ---: |")
	}
	fmt.Println()
	for _, n := range sizes() {
		for _, r := range rows {
			ours, ok := best(cell{n, r.name, contestants[0].name})
			if !ok {
				continue
			}
			fmt.Printf("| %d | %s | `%s` | %s | %.0f |", n, r.name, r.pact, short(ours.seconds), ours.allocs)
			for _, c := range contestants[1:] {
				fmt.Print(" " + ratio(cell{n, r.name, c.name}, ours) + " |")
			}
			fmt.Println()
		}
	}
}

func printScans() {
	fmt.Printf("\nA scan as a multiple of a loop written by hand.\n\n" +
		"| nodes | selector | scan | loop | ratio |\n| ---: | --- | ---: | ---: | ---: |\n")
	for _, n := range sizes() {
		for _, s := range scans {
			loop, ok := best(cell{n, s.pact, "loop"})
			if scan, is := best(cell{n, s.pact, "scan"}); ok && is {
				fmt.Printf("| %d | `%s` | %s | %s | %.2f |\n", n, s.pact, short(scan.seconds), short(loop.seconds),
					scan.seconds/loop.seconds)
			}
		}
	}
}

func printSizes() {
	if testing.Short() {
		return
	}
	fmt.Printf("\nOurs at %d nodes as a multiple of ours at %d.\n\n| row | ratio |\n| --- | ---: |\n", large, small)
	for _, r := range rows {
		if ours, ok := best(cell{small, r.name, contestants[0].name}); ok {
			fmt.Printf("| %s | %s |\n", r.name, ratio(cell{large, r.name, contestants[0].name}, ours))
		}
	}
}

func ratio(at cell, ours figure) string {
	f, ok := best(at)
	if !ok {
		return "–"
	}
	if r := f.seconds / ours.seconds; r < 10 {
		return fmt.Sprintf("%.2f", r)
	} else {
		return fmt.Sprintf("%.0f", r)
	}
}

// short is a duration with three digits.
func short(seconds float64) string {
	d := time.Duration(seconds * 1e9)
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
}
