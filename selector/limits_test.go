package selector

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

func TestLimits(t *testing.T) {
	list := func(head, item, separator string, n int, tail string) string {
		return head + item + strings.Repeat(separator+item, n-1) + tail
	}
	tests := []struct {
		what string
		most int
		text func(n int) string
	}{
		{"bytes", MaxLength, func(n int) string { return "*" + strings.Repeat(" ", n-1) }},
		{"groups", MaxGroups, func(n int) string { return list("", "*", ",", n, "") }},
		{"steps", MaxSteps, func(n int) string { return list("", "*", " ", n, "") }},
		{"parts", MaxParts, func(n int) string { return list("", ":first", "", n, "") }},
		{"attributes", MaxParts, func(n int) string { return list("[", "a", ",", n, "]") }},
		{"attributes behind a type", MaxParts - 1, func(n int) string { return list(".block(", "a", " ", n, ")") }},
		{"attributes of a search", MaxParts, func(n int) string { return list("??{", "a", ",", n, "}") }},
		{"attributes of a hop", MaxParts, func(n int) string { return list("(seg", "[a]", "", n, ")") }},
		{"hops", MaxHops, func(n int) string { return list("(", "seg", ",", n, ")") }},
		{"depths", MaxTerms, func(n int) string { return list(":depth({", "1", ",", n, "})") }},
		{"scopes", MaxTerms, func(n int) string { return list("within(", "d1", ",", n, ")??{a}") }},
		{"values", MaxValues, func(n int) string { return list("[a=[", "1", ",", n, "]]") }},
		{"states", MaxStates, func(n int) string {
			return strings.Repeat("[a~'x{1000}']", n/2000) + strings.Repeat("[a~x]", n%2000)
		}},
		{"patterns", MaxPatterns, func(n int) string {
			return "[a~'" + strings.Repeat("a", n/2) + "'][a~'" + strings.Repeat("a", n-n/2) + "']"
		}},
	}
	for _, test := range tests {
		s, err := Parse(test.text(test.most), Canonical)
		if err != nil {
			t.Errorf("%d %s: %v", test.most, test.what, err)
			continue
		}
		checkRoundTrip(t, s)
		_, err = Parse(test.text(test.most+1), Canonical)
		if fault.CodeOf(err) != fault.Limit {
			t.Errorf("%d %s: %v", test.most+1, test.what, err)
		}
	}
}

// A text beyond the limit is refused without being read, and one within it
// costs time proportional to its length. The bound is that of no machine: work
// that grew with the square of the length would take minutes.
func TestCost(t *testing.T) {
	huge := strings.Repeat("\xff", 1<<20)
	if n := testing.AllocsPerRun(10, func() { _, _ = Parse(huge, V01) }); n > 10 {
		t.Errorf("refusing a long text allocates %v times", n)
	}
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (MaxLength-len(head)-len(tail))/len(unit)) + tail
	}
	for _, text := range []string{
		fill("#a", ":b", ""), fill("#a", ":first-", ""), fill(".a", ":", ""), fill("[a", ":b", "]"),
		fill("[a='", `\\`, "'"), fill("[a='", `\'`, ""), fill("[a=", "9", "]"), fill("", " ", "*"),
		fill("", "(", ""), fill(":depth(", "{", ""), fill(":depth(", "9", ")"), fill("@t-", "9", " *"),
		fill("", "?", ""), fill("? ", "? ", ""), fill("*", "\t@p=", ""), fill("", "'", ""), fill("[a b", " ", "]"),
		fill("(d1, +", "9", ")"), fill("+a", "+a", ""), fill("*,", "*,", "*"), fill("", "*[a~'(x{9}){9}'] ", "*"),
	} {
		_, _ = Parse(text, Canonical) // what takes more than its length does not end in the time of a test
		_, _ = ParsePosition(text, Canonical)
	}
}
