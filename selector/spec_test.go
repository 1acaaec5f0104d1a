package selector

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// printed is a selector that a document prints, with the section where it
// stands.
type printed struct {
	edition     Edition
	where, text string
}

// readPrinted reads the list of all of them.
func readPrinted(tb testing.TB) []printed {
	tb.Helper()
	data, err := os.ReadFile("testdata/printed.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	var list []printed
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "# ") {
			continue
		}
		field := strings.Split(line, "\t")
		if len(field) != 3 {
			tb.Fatalf("not three fields: %q", line)
		}
		list = append(list, printed{Edition(field[0]), field[1], field[2]})
	}
	return list
}

func TestPrintedSelectors(t *testing.T) {
	for _, test := range readPrinted(t) {
		s, err := Parse(test.text, test.edition)
		if err != nil {
			t.Errorf("%s (%s, %s): %v", test.text, test.edition, test.where, err)
			continue
		}
		checkRoundTrip(t, s)
	}
}

// The later editions read whatever any edition prints.
func TestPrintedSelectorsInLaterEditions(t *testing.T) {
	for _, test := range readPrinted(t) {
		for _, e := range []Edition{Depth, Canonical} {
			s, err := Parse(test.text, e)
			if err != nil {
				t.Errorf("%s in %s: %v", test.text, e, err)
				continue
			}
			checkRoundTrip(t, s)
		}
	}
}

// insertions holds every insertion target that 003 and 001 print, with its
// canonical text.
var insertions = []struct{ text, want, where string }{
	{"(d0, seg, mc[offset=0], )", "(d0, seg, mc[offset=0], )", "003 §3.9"},
	{"(d0, seg, mc[offset=0], end)", "(d0, seg, mc[offset=0], end)", "003 §3.9"},
	{"(d0, seg, mc[offset=0], +1)", "(d0, seg, mc[offset=0], +1)", "003 §3.9"},
	{"(d0, seg, cont[offset=0], )", "(d0, seg, cont[offset=0], )", "001 §3.9"},
	{"(d0, seg, cont[offset=0], end)", "(d0, seg, cont[offset=0], end)", "001 §3.9"},
	{"(d0, seg, cont[offset=0], +1)", "(d0, seg, cont[offset=0], +1)", "001 §3.9"},
	{"(d0, cont[offset=0], )", "(d0, cont[offset=0], )", "001 §6"},
	{" ( d0,-2 ) ", "(d0, -2)", ""},
	{"(d0,)", "(d0, )", ""},
	{"(depth(-1), -1, end)", "(d-1, -1, end)", ""},
	{"(d1, +1, )", "(d1, 1, )", ""},
	{"(d1, 0:cb.note{ttl=null}, -3)", "(d1, 0:cb[kind='note'][ttl=null], -3)", ""},
	{"(depth({1,2}), mt(role=x ttl=1), end)", "(depth(1,2), mt[role=x][ttl=1], end)", ""},
	{"(d1, ? {kind=x}, ??{a, b=1}, end)", "(d1, ? {kind=x}, ?? {a, b=1}, end)", ""},
}

func TestParsePosition(t *testing.T) {
	for _, test := range insertions {
		for _, e := range []Edition{V01, Depth, Canonical} {
			p, err := ParsePosition(test.text, e)
			if err != nil {
				t.Errorf("%s (%s): %v", test.text, e, err)
				continue
			}
			if got := p.String(); got != test.want {
				t.Errorf("%s prints %s, want %s", test.text, got, test.want)
			}
			again, err := ParsePosition(p.String(), e)
			if err != nil || !reflect.DeepEqual(p, again) {
				t.Errorf("%s does not survive printing: %+v, %v", test.text, again, err)
			}
		}
	}
}

// checkRoundTrip checks that the printed selector parses to an equal one.
func checkRoundTrip(t *testing.T, s *Selector) {
	t.Helper()
	text := s.String()
	again, err := Parse(text, s.Edition)
	switch {
	case err != nil:
		t.Errorf("%s does not parse again: %v", text, err)
	case !reflect.DeepEqual(meaning(s), meaning(again)):
		t.Errorf("%s parses to another selector:\n got %#v\nwant %#v", text, again, s)
	case again.String() != text:
		t.Errorf("%s prints as %s the second time", text, again)
	}
}

// meaning is a selector without the text it was parsed from.
func meaning(s *Selector) *Selector {
	bare := *s
	bare.Source, bare.Advice = "", nil
	if bare.Time == nil && bare.Edition.Traits().T0Working { // 1.0 04 §2.5: the normal form names it
		bare.Time = &Time{Kind: Single, From: Point{Axis: 't'}}
	}
	return &bare
}
