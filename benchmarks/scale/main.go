// Command scale measures how costs grow: every row at n, at 4n and at 16n, with
// the factor of each step. What grows with its input and no more takes about
// four times as long at every step. Times are those of the processors; waiting
// for the disk is not in them. Beside them stands how the number of allocations
// grows, which depends on no machine. It prints a table in Markdown.
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
	"syscall"
	"time"
)

// most is the factor of a step above which a row needs an explanation.
const most = 4.5

// row is one thing that is measured.
type row struct {
	name string
	n    int    // the smallest size
	why  string // explains a step above most, "" where there is to be none
	// prepare makes what is measured. It is called once for every size.
	prepare func(b *bench, n int) (measured func())
}

func main() {
	only := flag.String("rows", "", "measure the rows whose name matches this regular expression")
	tries := flag.Int("tries", 12,
		"how often to measure at each size, where that takes no longer than -patience; the fastest counts")
	patience := flag.Duration("patience", 3*time.Second, "when to stop trying again")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("%s, %s, %s/%s, %d cores\n\n", time.Now().UTC().Format("2 January 2006"), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| what | n | at n | at 4n | at 16n | steps | of allocations | |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, r := range rows {
		if !wanted.MatchString(r.name) {
			continue
		}
		line, err := measure(ctx, r, *tries, *patience)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", r.name, err)
			os.Exit(1)
		}
		fmt.Println(line)
	}
}

// measure measures a row at its three sizes and returns its line of the table.
func measure(ctx context.Context, r row, tries int, patience time.Duration) (line string, err error) {
	defer func() {
		if f, ok := recover().(failure); ok {
			err = f.error
		}
	}()
	line = "| " + r.name + " | " + strconv.Itoa(r.n)
	var times, counts []string
	over := false
	var last cost
	for n := r.n; n <= 16*r.n; n *= 4 {
		now := least(ctx, r, n, tries, patience)
		line += " | " + written(now.time)
		if n > r.n {
			step := float64(now.time) / float64(last.time)
			over = over || step > most
			times = append(times, strconv.FormatFloat(step, 'f', 1, 64))
			counts = append(counts, strconv.FormatFloat(float64(now.allocations)/float64(last.allocations), 'f', 1, 64))
		}
		last = now
	}
	note := ""
	if over {
		note = r.why
		if note == "" {
			note = "**above " + strconv.FormatFloat(most, 'f', 1, 64) + "**"
		}
	}
	return line + " | " + strings.Join(times, ", ") + " | " + strings.Join(counts, ", ") + " | " + note + " |", nil
}

// worked is how long processors have worked for this process. Unlike the time
// that has passed it does not depend on what else the machine does, or hardly.
func worked() time.Duration {
	var r syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// cost is a measured cost.
type cost struct {
	time        time.Duration
	allocations uint64
}

// least is the least that the row takes at a size: other work on the machine
// only ever adds.
func least(ctx context.Context, r row, n, tries int, patience time.Duration) (c cost) {
	begun := time.Now()
	for try := range tries {
		if ctx.Err() != nil {
			panic(failure{ctx.Err()})
		}
		if try > 0 && time.Since(begun) > patience {
			break
		}
		b := &bench{ctx: ctx}
		do := r.prepare(b, n)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := worked()
		do()
		took := worked() - began
		runtime.ReadMemStats(&after)
		b.close()
		if try == 0 || took < c.time {
			c.time = took
		}
		if count := after.Mallocs - before.Mallocs; try == 0 || count < c.allocations {
			c.allocations = count
		}
	}
	return c
}

// written writes a duration with two digits that count.
func written(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if v := float64(d) / float64(u.unit); v >= 1 {
			digits := 1
			if v >= 10 {
				digits = 0
			}
			return strconv.FormatFloat(v, 'f', digits, 64) + " " + u.name
		}
	}
	return d.String()
}
