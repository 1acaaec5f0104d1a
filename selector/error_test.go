package selector

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// refused holds texts that no edition takes, or only another one, with the
// place and the token where reading stops.
var refused = []struct {
	edition Edition
	text    string
	code    fault.Code
	offset  int
	token   string
}{
	// Nothing to select, or the wrong beginning.
	{V01, "", fault.SelectorInvalid, 0, ""},
	{V01, "  ", fault.SelectorInvalid, 2, ""},
	{V01, "@t0", fault.SelectorInvalid, 3, ""},
	{V01, "@history", fault.SelectorInvalid, 0, "@history"},
	{Canonical, "@history @first", fault.SelectorInvalid, 9, "@"},
	{V01, ", .cb", fault.SelectorInvalid, 0, ","},
	{V01, ".cb,", fault.SelectorInvalid, 4, ""},
	{V01, ".cb >", fault.SelectorInvalid, 5, ""},
	{V01, "> .cb", fault.SelectorInvalid, 0, ">"},
	{V01, ".mt > > .cb", fault.SelectorInvalid, 6, ">"},
	{V01, "cb", fault.SelectorInvalid, 0, "cb"},
	{Canonical, "nobody", fault.SelectorInvalid, 0, "nobody"},
	{Canonical, "d", fault.SelectorInvalid, 0, "d"},
	{Canonical, "-x", fault.SelectorInvalid, 0, "-x"},
	{Canonical, "d1x", fault.SelectorInvalid, 2, "x"},
	{Canonical, "cont[offset=0", fault.SelectorInvalid, 13, ""},
	{Canonical, "^seq d1", fault.SelectorInvalid, 5, "d1"},
	{Canonical, ".cb > mt", fault.SelectorInvalid, 6, "mt"},
	{Canonical, ".cb *:block", fault.SelectorInvalid, 5, ":block"},
	{V01, "d1", fault.SelectorInvalid, 0, "d1"},
	{V01, ".cb\xff", fault.SelectorInvalid, 3, `\xff`},
	{V01, "[a='\xe2\x82']", fault.SelectorInvalid, 4, `\xe2`},
	{V01, ".cb\x00", fault.SelectorInvalid, 3, "\x00"},
	{V01, "§", fault.SelectorInvalid, 0, "§"},

	{V01, ".mt:depht(1) .cb", fault.SelectorInvalid, 10, "1"},

	// Addresses.
	{V01, "@t-3..@c5 .cb", fault.RangeKindMismatch, 6, "@c5"},
	{V01, "@c3:@t-1 .cb", fault.RangeKindMismatch, 4, "@t-1"},
	{Canonical, "@c3..@t-* .cb", fault.RangeKindMismatch, 5, "@t-*"},
	{Canonical, "@t-* .cb", fault.SelectorInvalid, 0, "@t-*"},
	{Canonical, "@history..@t0 .cb", fault.SelectorInvalid, 8, "."},
	{Canonical, "@limit=1 .cb", fault.SelectorInvalid, 0, "@limit"},
	{Canonical, ".cb > d1", fault.SelectorInvalid, 6, "d1"},
	{Canonical, ".cb seg", fault.SelectorInvalid, 4, "seg"},
	{Canonical, "[ephemeral=1]", fault.SelectorInvalid, 10, "="},
	{V01, "@*..@t0 .cb", fault.RangeWildcard, 0, "@*"},
	{V01, "@*:3 .cb", fault.RangeWildcard, 0, "@*"},
	{V01, "@t0..@* .cb", fault.RangeWildcard, 5, "@*"},
	{V01, "@t0:* .cb", fault.RangeWildcard, 4, "*"},
	{V01, "@t+1 .cb", fault.SnapshotNotFound, 0, "@t+1"},
	{V01, "@t+0 .cb", fault.SnapshotNotFound, 0, "@t+0"},
	{V01, "@t5 .cb", fault.SnapshotNotFound, 0, "@t5"},
	{V01, "@c-3 .cb", fault.SelectorInvalid, 0, "@c-3"},
	{V01, "@c5..-1 .cb", fault.SelectorInvalid, 5, "-1"},
	{V01, "@t .cb", fault.SelectorInvalid, 2, " "},
	{V01, "@x1 .cb", fault.SelectorInvalid, 0, "@x1"},
	{V01, "@t-1.. .cb", fault.SelectorInvalid, 6, " "},
	{V01, "@t-1..@ .cb", fault.SelectorInvalid, 6, "@"},
	{V01, "@t-1..t-3 .cb", fault.SelectorInvalid, 6, "t-3"},
	{V01, "@t0x .cb", fault.SelectorInvalid, 3, "x"},
	{V01, ".cb @t0", fault.SelectorInvalid, 4, "@t0"},

	// Names.
	{Depth, "#'" + strings.Repeat("é", 64), fault.SelectorInvalid, 1, "'" + strings.Repeat("é", 31) + "…"},
	{V01, "^foo", fault.SelectorInvalid, 0, "^foo"},
	{V01, "^seq^ah", fault.SelectorInvalid, 4, "^"},
	{V01, ".", fault.SelectorInvalid, 1, ""},
	{V01, ".5", fault.SelectorInvalid, 1, "5"},
	{V01, "#", fault.SelectorInvalid, 1, ""},
	{Depth, "#''", fault.SelectorInvalid, 1, "''"},
	{V01, "#-a", fault.SelectorInvalid, 1, "-a"},
	{Depth, "#'abc", fault.SelectorInvalid, 1, "'abc"},
	{V01, ".mt.cb", fault.SelectorInvalid, 3, ".cb"},
	{V01, "#a.cb#b", fault.SelectorInvalid, 5, "#b"},
	{V01, ".mt:first.cb", fault.SelectorInvalid, 9, ".cb"},
	{V01, "[a]#x", fault.SelectorInvalid, 3, "#x"},
	{Canonical, "(d1).cb", fault.SelectorInvalid, 4, ".cb"},
	{V01, ".cb*", fault.SelectorInvalid, 3, "*"},
	{V01, ".cb:", fault.SelectorInvalid, 3, ":"},
	{V01, ".cb::x", fault.SelectorInvalid, 3, ":"},

	// Pseudo-classes.
	{V01, "*:nope", fault.SelectorInvalid, 1, ":nope"},
	{V01, "*:block", fault.SelectorInvalid, 0, "*:block"},
	{V01, "@t0 ^seq .mt:depth()", fault.SelectorInvalid, 19, ")"},
	{V01, ".mt:depth", fault.SelectorInvalid, 9, ""},
	{V01, ".mt:depth(1", fault.SelectorInvalid, 11, ""},
	{V01, ".mt:depth(1,)", fault.SelectorInvalid, 12, ")"},
	{V01, ".mt:depth(,1)", fault.SelectorInvalid, 10, ","},
	{V01, ".mt:depth(1 2)", fault.SelectorInvalid, 12, "2"},
	{V01, ".mt:depth(3-1)", fault.SelectorInvalid, 10, "3-1"},
	{V01, ".mt:depth(1--1)", fault.SelectorInvalid, 10, "1--1"},
	{V01, ".mt:depth(1-)", fault.SelectorInvalid, 12, ")"},
	{V01, ".mt:depth(1.5)", fault.SelectorInvalid, 11, "."},
	{V01, ".mt:depth(x)", fault.SelectorInvalid, 10, "x"},
	{Depth, ".mt:depth(3..1)", fault.SelectorInvalid, 10, "3..1"},
	{Depth, ".mt:depth({})", fault.SelectorInvalid, 11, "}"},
	{Depth, ".mt:depth({{1}})", fault.SelectorInvalid, 11, "{"},
	{Depth, ".mt:depth(=1)", fault.SelectorInvalid, 10, "="},
	{Depth, ".mt:depth(>)", fault.SelectorInvalid, 11, ")"},
	{V01, ".cb:nth(0)", fault.SelectorInvalid, 8, "0"},
	{V01, ".cb:nth(-1)", fault.SelectorInvalid, 8, "-1"},
	{V01, ".cb:nth()", fault.SelectorInvalid, 8, ")"},
	{V01, ".cb:nth", fault.SelectorInvalid, 7, ""},
	{V01, ".cb:nth(1,2)", fault.SelectorInvalid, 9, ","},
	{V01, ".cb:first(1)", fault.SelectorInvalid, 9, "("},
	{Depth, ".mt depth(1)", fault.SelectorInvalid, 4, "depth"},
	{Depth, "depth", fault.SelectorInvalid, 5, ""},

	// Attributes.
	{V01, "[]", fault.SelectorInvalid, 1, "]"},
	{V01, "[", fault.SelectorInvalid, 1, ""},
	{V01, "[role", fault.SelectorInvalid, 5, ""},
	{V01, "[role=", fault.SelectorInvalid, 6, ""},
	{V01, "[role=]", fault.SelectorInvalid, 6, "]"},
	{V01, "[role==user]", fault.SelectorInvalid, 6, "="},
	{V01, "[role!user]", fault.SelectorInvalid, 5, "!"},
	{V01, "[1=1]", fault.SelectorInvalid, 1, "1"},
	{V01, "[role=\"user]", fault.SelectorInvalid, 6, "\"user]"},
	{V01, `[role='a\']`, fault.SelectorInvalid, 6, `'a\']`},
	{V01, "[id=5f3c]", fault.SelectorInvalid, 4, "5f3c"},
	{V01, "[ttl=1e5]", fault.SelectorInvalid, 5, "1e5"},
	{V01, "[ttl=1.]", fault.SelectorInvalid, 6, "."},
	{V01, "[ttl=-]", fault.SelectorInvalid, 5, "-"},
	{V01, "[ttl<null]", fault.SelectorInvalid, 5, "null"},
	{V01, "[ttl>=None]", fault.SelectorInvalid, 6, "None"},
	{Depth, "[role~null]", fault.SelectorInvalid, 6, "null"},
	{Depth, "[role~'(']", fault.SelectorInvalid, 6, "'('"},
	{Depth, "[role~'a{1001}']", fault.SelectorInvalid, 6, "'a{1001}'"},
	{Depth, "[role=[]]", fault.SelectorInvalid, 7, "]"},
	{Depth, "[role=[a b]]", fault.SelectorInvalid, 9, "b"},
	{V01, "[role!=[a]]", fault.SelectorInvalid, 7, "["},
	{Depth, "[role=[[a]]]", fault.SelectorInvalid, 7, "["},
	{V01, "[role='größe' x]", fault.SelectorInvalid, 16, "x"},
	{Depth, ".cb()", fault.SelectorInvalid, 4, ")"},
	{Depth, ".cb(a,,b)", fault.SelectorInvalid, 6, ","},
	{Depth, ".cb(a,)", fault.SelectorInvalid, 6, ")"},
	{Depth, ".cb(a)(b)", fault.SelectorInvalid, 6, "("},
	{Depth, ".cb (a)", fault.SelectorInvalid, 4, "("},
	{Depth, "#x(a)", fault.SelectorInvalid, 2, "("},
	{Canonical, "{}", fault.SelectorInvalid, 1, "}"},
	{Canonical, "{a b}", fault.SelectorInvalid, 3, "b"},
	{V01, "[age<2]", fault.SelectorInvalid, 1, "age"},
	{Depth, ".cb(born_turn=1)", fault.SelectorInvalid, 4, "born_turn"},
	{Canonical, "(d1, *:block[sdepth=1])", fault.SelectorInvalid, 13, "sdepth"},
	{Canonical, "?? {depth=1}", fault.SelectorInvalid, 4, "depth"},

	// Tags, searches and controls.
	{Canonical, "+", fault.SelectorInvalid, 1, ""},
	{Canonical, "+1", fault.SelectorInvalid, 1, "1"},
	{Canonical, "+''", fault.SelectorInvalid, 1, "''"},
	{Canonical, "?", fault.SelectorInvalid, 1, ""},
	{Canonical, "?? .cb", fault.SelectorInvalid, 3, "."},
	{Canonical, "??? {a}", fault.SelectorInvalid, 2, "?"},
	{Canonical, "? ? {a}", fault.SelectorInvalid, 2, "?"},
	{Canonical, "?{a} ?{b}", fault.SelectorInvalid, 5, "?"},
	{Canonical, "(d1, ? ?{a})", fault.SelectorInvalid, 7, "?"},
	{Canonical, ".seg > ?{a}", fault.SelectorInvalid, 7, "?"},
	{Canonical, ".seg within(d1) ??{a}", fault.SelectorInvalid, 5, "within"},
	{Canonical, "within ??{a}", fault.SelectorInvalid, 6, " "},
	{Canonical, "within() ??{a}", fault.SelectorInvalid, 7, ")"},
	{Canonical, "within(d1x) ??{a}", fault.SelectorInvalid, 9, "x"},
	{Canonical, "within(depth()) ??{a}", fault.SelectorInvalid, 13, ")"},
	{Canonical, "within(d1) ?{a}", fault.SelectorInvalid, 11, "?"},
	{Canonical, "within(d1)", fault.SelectorInvalid, 10, ""},
	{Canonical, ".block@first", fault.SelectorInvalid, 6, "@first"},
	{Canonical, ".block @frist", fault.SelectorInvalid, 7, "@frist"},
	{Canonical, ".block @first @first", fault.SelectorInvalid, 14, "@first"},
	{Canonical, ".block @first .seg", fault.SelectorInvalid, 14, "."},
	{Canonical, ".block @first > .seg", fault.SelectorInvalid, 14, ">"},
	{Canonical, ".block @first(a)", fault.SelectorInvalid, 13, "("},
	{Canonical, ".block @first, .seg", fault.SelectorInvalid, 13, ","},
	{Canonical, ".block @first=1", fault.SelectorInvalid, 13, "="},
	{Canonical, ".block @limit", fault.SelectorInvalid, 13, ""},
	{Canonical, ".block @limit=", fault.SelectorInvalid, 14, ""},
	{Canonical, ".block @limit=-1", fault.SelectorInvalid, 14, "-1"},
	{Canonical, ".block @limit=1x", fault.SelectorInvalid, 15, "x"},
	{Canonical, ".block @limit=1 @p=0", fault.SelectorInvalid, 19, "0"},
	{Canonical, ".block @p=1", fault.SelectorInvalid, 7, "@p"},
	{Canonical, ".block @mode=latest", fault.SelectorInvalid, 7, "@mode"},
	{Canonical, "@t0 .block @mode=pairwise", fault.SelectorInvalid, 17, "pairwise"},
	{Canonical, ".block @order=turn:asc", fault.SelectorInvalid, 14, "turn"},
	{Canonical, ".block @order=prefix", fault.SelectorInvalid, 14, "prefix"},

	// Positions.
	{Canonical, "(", fault.SelectorInvalid, 1, ""},
	{Canonical, "()", fault.SelectorInvalid, 1, ")"},
	{Canonical, "(d1", fault.SelectorInvalid, 3, ""},
	{Canonical, "(d1,,seg)", fault.SelectorInvalid, 4, ","},
	{Canonical, "(d1 seg)", fault.SelectorInvalid, 4, "seg"},
	{Canonical, "(d1x)", fault.SelectorInvalid, 3, "x"},
	{Canonical, "(d)", fault.SelectorInvalid, 1, "d"},
	{Canonical, "within() ??{a}", fault.SelectorInvalid, 7, ")"},
	{Canonical, "within(seg) ?{a}", fault.SelectorInvalid, 12, "?"},
	{Canonical, "within(d1 seg) ??{a}", fault.SelectorInvalid, 10, "seg"},
	{Canonical, "(seg, d)", fault.SelectorInvalid, 6, "d"},
	{Canonical, "(turn)", fault.SelectorInvalid, 1, "turn"},
	{Canonical, "(d1, *)", fault.SelectorInvalid, 6, ")"},
	{Canonical, "(d1, *:seg)", fault.SelectorInvalid, 7, "seg"},
	{Canonical, "(d1, *:block.)", fault.SelectorInvalid, 13, ")"},
	{Canonical, "(d1, *:block:text)", fault.SelectorInvalid, 12, ":"},
	{Canonical, "(d1, ?)", fault.SelectorInvalid, 6, ")"},
	{Canonical, "(d1, )", fault.SelectorInvalid, 5, ")"},
	{Canonical, "(d1, end)", fault.SelectorInvalid, 5, "end"},
	{Canonical, ".seg (d1)", fault.SelectorInvalid, 5, "("},
}

func TestErrors(t *testing.T) {
	for _, test := range refused {
		_, err := Parse(test.text, test.edition)
		checkError(t, test.text, err, test.code, test.offset, test.token)
	}
}

// What a remedy tells to write is in the words of the edition.
func TestRemediesSpeakTheEdition(t *testing.T) {
	other := map[Edition]*regexp.Regexp{
		V01:       regexp.MustCompile(`\b(seg|cont)\b|[.:]block\b`),
		Depth:     regexp.MustCompile(`\b(seg|cont)\b|[.:]block\b`),
		Canonical: regexp.MustCompile(`\b(mt|mc|cb)\b|#id\b|an id with`),
	}
	mark := regexp.MustCompile(`<[a-z ]+>`) // of remedy.go
	told := 0
	hear := func(e Edition, text string, err error) {
		var f *fault.Error
		if !errors.As(err, &f) || strings.Contains(text, ":cb.") || strings.Contains(text, ":block.") { // which is repeated
			return
		}
		told++
		if word := other[e].FindString(f.Remedy); word != "" || mark.MatchString(f.Remedy) {
			t.Errorf("%s, %q: the remedy says %q: %s", e, text, word, f.Remedy)
		}
	}
	for e := range other {
		for _, r := range refused {
			_, err := Parse(r.text, e)
			hear(e, r.text, err)
			_, err = ParsePosition(r.text, e)
			hear(e, r.text, err)
			_, err = ParsePosition("(d1, "+r.text+", end)", e)
			hear(e, r.text, err)
		}
	}
	if told < 500 {
		t.Errorf("only %d errors", told)
	}
}

func TestPositionErrors(t *testing.T) {
	tests := []struct {
		text   string
		offset int
		token  string
	}{
		{"", 0, ""},
		{".cb", 0, "."},
		{"+1", 0, "+"},
		{"()", 1, ")"},
		{"(, )", 1, ","},
		{"(end)", 1, "end"},
		{"(d0)", 3, ")"},
		{"(d0, mc[offset=0])", 17, ")"},
		{"(d0, end, )", 8, ","},
		{"(d0, endless)", 5, "endless"},
		{"(d0, +0)", 5, "+0"},
		{"(d0, -0)", 5, "-0"},
		{"(d0, end", 8, ""},
		{"(d0, end) +x", 10, "+"},
		{"(d0, -1:cb)", 10, ")"},
		{"@t0 (d0, end)", 0, "@"},
		{"(d0, mc[age=1], end)", 8, "age"},
		{"(d0, \xff)", 5, `\xff`},
	}
	for _, test := range tests {
		_, err := ParsePosition(test.text, V01)
		checkError(t, test.text, err, fault.SelectorInvalid, test.offset, test.token)
	}
}

func checkError(t *testing.T, text string, err error, code fault.Code, offset int, token string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Errorf("%q: %v", text, err)
		return
	}
	if f.Code != code || f.Offset != offset || f.Token != token || f.Message == "" || f.Remedy == "" {
		t.Errorf("%q: offset %d, token %q, want %s, %d, %q: %v", text, f.Offset, f.Token, code, offset, token, f)
	}
}
