package selector

import (
	"errors"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/fault"
)

// FuzzParse holds Parse to its promises for any text: no panic, an error with
// a place in the text, little time, and printing that loses nothing.
func FuzzParse(f *testing.F) {
	for _, p := range readPrinted(f) {
		f.Add(p.text)
	}
	for _, r := range refused {
		f.Add(r.text)
	}
	for _, r := range foreign {
		f.Add(r.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		for _, e := range []Edition{V01, Depth, Canonical} {
			s, err := Parse(text, e)
			if err != nil {
				checkPlace(t, text, err)
				continue
			}
			checkRoundTrip(t, s)
			if e == V01 {
				if _, err := Parse(text, Depth); err != nil {
					t.Errorf("v0.1 reads what depth refuses: %v", err)
				}
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%d bytes take %v", len(text), took)
		}
	})
}

// FuzzPosition does the same for insertion targets.
func FuzzPosition(f *testing.F) {
	for _, i := range insertions {
		f.Add(i.text)
	}
	for _, text := range []string{"(d0)", "(, )", "(d0, end", "(d1, ?{a}, ??{b}, -0)", "(depth({1-2}), +1)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePosition(text, V01)
		if err != nil {
			checkPlace(t, text, err)
			return
		}
		again, err := ParsePosition(p.String(), Canonical)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%q prints as %q, which is %+v, %v", text, p, again, err)
		}
	})
}

// checkPlace checks that an error points into the text and is itself text.
func checkPlace(t *testing.T, text string, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: %v is no fault", text, err)
	}
	if e.Offset < 0 || e.Offset > len(text) || e.Message == "" || e.Remedy == "" || !utf8.ValidString(e.Error()) {
		t.Errorf("%q: offset %d: %v", text, e.Offset, e)
	}
}
