package selector

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

// seeds adds what the documents print, what must be refused and the selectors of
// the conformance cases.
func seeds(f *testing.F) {
	for _, p := range readPrinted(f) {
		f.Add(p.text)
	}
	for _, r := range refused {
		f.Add(r.text)
	}
	for _, r := range foreign {
		f.Add(r.text)
	}
	files, err := filepath.Glob("../conformance/cases/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no conformance cases", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, quoted := range caseSelector.FindAllSubmatch(data, -1) {
			var text string
			if json.Unmarshal(quoted[1], &text) == nil {
				f.Add(text)
			}
		}
	}
}

var caseSelector = regexp.MustCompile(`"selector":\s*("(?:[^"\\]|\\.)*")`)

// FuzzParse holds Parse to its promises for any bytes: no panic, an error with
// a place in the text, bounded cost, and later editions that read whatever
// v0.1 reads.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		for _, e := range []Edition{V01, Depth, Canonical, V1} {
			_, err := Parse(text, e)
			if err != nil {
				checkPlace(t, text, err)
				continue
			}
			if e == V01 {
				if _, err := Parse(text, Depth); err != nil {
					t.Errorf("v0.1 reads what depth refuses: %v", err)
				}
			}
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%d bytes take %v", len(text), took)
		}
	})
}

// FuzzPrint holds the printer to its promise: what parses prints as a text
// that parses to the same selector and prints the same.
func FuzzPrint(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []Edition{V01, Depth, Canonical, V1} {
			if s, err := Parse(text, e); err == nil {
				checkRoundTrip(t, s)
			}
		}
	})
}

// FuzzPosition does both for insertion targets.
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
		if err != nil || !reflect.DeepEqual(again, p) || again.String() != p.String() {
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
