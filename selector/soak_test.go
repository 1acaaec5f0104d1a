package selector

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact/fault"
)

var (
	soakRuns  = flag.Uint64("runs", 20_000, "how many random selectors TestSoak parses and prints")
	soakFirst = flag.Uint64("first", 0, "the number of the first of them, to repeat a failure")
)

// TestSoak writes random selectors, each belonging to a number, and holds
// parser and printer to their promises: the text parses, what it prints as
// parses to an equal selector, and printing that changes nothing. With -runs
// it goes on for as long as is wanted, on every processor.
func TestSoak(t *testing.T) {
	if *soakRuns > 1_000_000 {
		defer debug.SetGCPercent(debug.SetGCPercent(800))
	}
	const batch = 10_000
	var next, done atomic.Uint64
	var wg sync.WaitGroup
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var w writer
			for !t.Failed() {
				from := next.Add(batch) - batch
				if from >= *soakRuns {
					return
				}
				to := min(from+batch, *soakRuns)
				for n := from; n < to; n++ {
					if err := w.run(*soakFirst + n); err != nil {
						t.Errorf("run %d (repeat it with -first=%d -runs=1): %v", *soakFirst+n, *soakFirst+n, err)
						return
					}
				}
				if sum := done.Add(to - from); sum%5_000_000 == 0 {
					fmt.Printf("%d runs in %v\n", sum, time.Since(start).Round(time.Second))
				}
			}
		})
	}
	wg.Wait()
	if took := time.Since(start); *soakRuns > 1_000_000 && !t.Failed() {
		t.Logf("%d runs in %v, %v each on %d processors", done.Load(), took.Round(time.Millisecond),
			took/time.Duration(max(1, done.Load())), runtime.GOMAXPROCS(0))
	}
}

// run is the n-th case.
func (w *writer) run(n uint64) error {
	w.seed(n)
	if n%32 == 31 {
		w.target()
		return targetSurvives(string(w.buf), w.edition)
	}
	w.selector()
	if n%16 == 15 {
		return w.spoilt()
	}
	text := string(w.buf)
	s, err := Parse(text, w.edition)
	if err != nil {
		return fmt.Errorf("%s: %q: %w", w.edition, text, err)
	}
	return survives(text, s)
}

// survives checks that a parsed selector comes through printing unchanged.
func survives(text string, s *Selector) error {
	printed := s.String()
	again, err := Parse(printed, s.Edition)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %q prints as %q, which does not parse: %w", s.Edition, text, printed, err)
	case !reflect.DeepEqual(meaning(s), meaning(again)):
		return fmt.Errorf("%s: %q prints as %q, which is another selector:\n%#v\n%#v", s.Edition, text, printed, s, again)
	case again.String() != printed:
		return fmt.Errorf("%s: %q prints as %q and then as %q", s.Edition, text, printed, again)
	}
	return nil
}

func targetSurvives(text string, e Edition) error {
	p, err := ParsePosition(text, e)
	if err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	printed := p.String()
	again, err := ParsePosition(printed, e)
	if err != nil || !reflect.DeepEqual(p, again) || again.String() != printed {
		return fmt.Errorf("%q prints as %q, which is %v, %w", text, printed, again, err)
	}
	return nil
}

// spoilt changes one byte of the text and checks that it parses and survives,
// or is refused with a place in the text.
func (w *writer) spoilt() error {
	const bytes = " .#[]{}()<>=!~:,+-*?@^'\"\\0aé"
	at := w.n(len(w.buf))
	switch w.n(3) {
	case 0:
		w.buf = append(w.buf[:at], w.buf[at+1:]...)
	case 1:
		w.buf[at] = bytes[w.n(len(bytes))]
	default:
		w.buf = w.buf[:at]
	}
	text := string(w.buf)
	s, err := Parse(text, w.edition)
	if err == nil {
		return survives(text, s)
	}
	return placed(text, err)
}

// placed checks that an error says where in the text it is.
func placed(text string, err error) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || e.Message == "" || e.Remedy == "" {
		return fmt.Errorf("%q is refused with %#v", text, err)
	}
	return nil
}
