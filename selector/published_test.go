package selector

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// TestPublishedForms reads forms of edition 1.0 and prints them in their normal form.
func TestPublishedForms(t *testing.T) {
	for text, want := range map[string]string{
		".seg .cont > .block":          "@t0 *[nodeType='seg'] *[nodeType='cont'] > *[nodeType='block']",
		".note(a=1 b=2)":               "@t0 *[nodeType='note'][a=1][b=2]",
		".log.entry":                   "@t0 .log.entry",
		"+b +a":                        "@t0 +a +b",
		"@t-1,@t-5 .a":                 "@t-1,@t-5 *[nodeType='a']",
		"@t-1 d1..d3 .a":               "@t-1 (d1..d3, *[nodeType='a'])",
		"(d2, .a > .b) +x":             "@t0 (d2, *[nodeType='a'] > *[nodeType='b'] +x)",
		"((d1,0),(d2,0,1)) > .a":       "@t0 ((d1, 0) > *[nodeType='a']), ((d2, 0, 1) > *[nodeType='a'])",
		"(d1,0,d2,0)":                  "@t0 (d1, 0), (d2, 0)",
		"((d1,0,d2,0) > .x +b) +a":     "@t0 ((d1, 0) > *[nodeType='x'] +a +b), ((d2, 0) > *[nodeType='x'] +a +b)",
		"(d1,0) ?? (d2,0)":             "@t0 ((d1, 0) ?? (d2, 0))",
		"d9 ?? d1..d2 ?? (d2)":         "@t0 ((d9) ?? (d1..d2) ?? (d2))",
		"( .a .b ) {x=1}":              "@t0 *[nodeType='a'] *[nodeType='b'][x=1]",
		".a [ephemeral]":               "@t0 *[nodeType='a'][ttl=1]",
		".a [sticky]":                  "@t0 *[nodeType='a'][ttl=1][cad=1]",
		".a @limit=2 @vendor=x @*":     "@t0 *[nodeType='a'] @limit=2 @vendor=x @*",
		".a @trace @c3po @cost=3":      "@t0 *[nodeType='a'] @trace @c3po @cost=3",
		"((d0)), .a":                   "@t0 (d0), *[nodeType='a']",
		"(d-1..d1)":                    "@t0 (d-1..d1)",
		"@history .a":                  "@t0..@t-* *[nodeType='a']",
		"#'a b' .c:first, ((d1) > .x)": "@t0 #'a b' *[nodeType='c']:first, ((d1) > *[nodeType='x'])",
	} {
		s, err := Parse(text, V1)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.String(); got != want {
			t.Errorf("%s prints as %s, want %s", text, got, want)
		}
	}
}

// 1.0 04 §4: what a control of another tool means is nobody's to guess, so it is said that it means nothing.
func TestControlsOfOthersAreReported(t *testing.T) {
	for text, want := range map[string][]string{
		"@t0..@t-1 .block @v=1":    {"@v=1 means nothing here and is ignored"},
		".a @limt=2 @limit=2 @c3x": {"@limt=2 means nothing here and is ignored", "@c3x means nothing here and is ignored"},
		".a @limit=2":              nil,
	} {
		s, err := Parse(text, V1)
		if err != nil || !slices.Equal(s.Warnings(), want) {
			t.Errorf("%s: %v warns %q, want %q", text, err, s.Warnings(), want)
		}
	}
}

func TestPublishedRefusals(t *testing.T) {
	for text, want := range map[string]fault.Code{
		"?? {a}": fault.SelectorLegacy, ".a ? {b}": fault.SelectorLegacy, "within(d1) ?? {a}": fault.SelectorLegacy,
		".block:x": fault.SelectorLegacy, "(d1, c@0)": fault.SelectorLegacy, "(d0, *@-)": fault.SelectorLegacy,
		"d1, .a": fault.SelectorAmbiguous, ".a, (d1) > .b": fault.SelectorAmbiguous, ".a @limit=1, .b": fault.SelectorAmbiguous,
		"d-2": fault.DepthNegative, "(d4..d2)": fault.DepthRangeInvalid, "d1.5": fault.DepthNotInt,
		"(d1)?": fault.SelectorInvalid, "(.a @limit=1)": fault.SelectorInvalid, ".a, @t0 .b": fault.SelectorInvalid,
		".a @t-1": fault.SelectorInvalid, ".a @c3": fault.SelectorInvalid, ".a @history": fault.SelectorInvalid,
		".a @limit=2 @t0..@t-2": fault.SelectorInvalid, ".a @t-*": fault.SelectorInvalid,
		"((d1) ?? (d2)) .a": fault.SelectorInvalid, "(d1": fault.SelectorInvalid, "(.a": fault.SelectorInvalid,
		"[parent_id=a]": fault.SelectorInvalid, "@t0..@c1 .a": fault.RangePrefixMismatch,
		strings.Repeat("(", 70) + ".a" + strings.Repeat(")", 70): fault.Limit,
	} {
		if _, err := Parse(text, V1); fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestPublishedRemedyForLaterSnapshots(t *testing.T) {
	for edition, want := range map[Edition]string{V1: "@t0 is the working state", Canonical: "@t0 is the latest"} {
		if _, err := Parse("@t2 .a", edition); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("edition %s: %v", edition, err)
		}
	}
}

// TestPublishedTextsComeBack throws pieces of edition 1.0 together: what is read prints as a text that
// is read as the same selector.
func TestPublishedTextsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, 27))
	pieces := strings.Split("(|)|((|))|, |,| |>| > |d1|d2..d3|(d1,0)|(d1,0,d2)|.a|.a.b|.block|#k|+t|[x=1]|{y}|{tag=z}|:first|:pre|*|^ah|"+
		" ?? |?|@limit=1| @v=x|@t-1 |@t-1,@c5 |@t-2,@t0 |seg|*:block|depth(1)|0|[sticky]|[ephemeral]|(d1..d2, .a)|-1", "|")
	read := 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkPublished(t, b.String(), &read)
	}
	if read < 3000 {
		t.Errorf("only %d texts were selectors", read)
	}
}

func checkPublished(t *testing.T, text string, read *int) {
	s, err := Parse(text, V1)
	if err != nil {
		return
	}
	*read++
	again, err := Parse(s.String(), V1)
	if err != nil {
		t.Fatalf("%q prints as %q: %v", text, s, err)
	}
	for _, x := range []*Selector{s, again} {
		x.Source, x.Advice = "", nil
		if x.Time == nil {
			x.Time = &Time{From: Point{Axis: 't'}}
		}
	}
	if again.String() != s.String() || !reflect.DeepEqual(again.Groups, s.Groups) || !reflect.DeepEqual(again.Controls, s.Controls) ||
		!reflect.DeepEqual(again.Ignored, s.Ignored) || *again.Time != *s.Time {
		t.Fatalf("%q prints as %q, which prints as %q:\n%#v\n%#v", text, s, again, s.Groups, again.Groups)
	}
}
