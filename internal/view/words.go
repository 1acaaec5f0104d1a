package view

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/tree"
)

// Plural returns a number with its noun: "1 call", "2 calls", "2 bodies".
func Plural(n int, what string) string {
	switch stem, ok := strings.CutSuffix(what, "y"); {
	case n == 1:
		return "1 " + what
	case ok:
		return strconv.Itoa(n) + " " + stem + "ies"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Cycle returns the address of the snapshot of a cycle, such as @c12.
func Cycle(n int64) string { return "@c" + strconv.FormatInt(n, 10) }

// Time returns a time to the second, and - if the time is unknown: then the
// clock counted from 0.
func Time(ns int64) string {
	if ns < int64(24*time.Hour) {
		return "-"
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339)
}

// ISO returns a time to the nanosecond, as created_at_iso, and "" if the time is unknown.
func ISO(ns int64) string {
	if ns < int64(24*time.Hour) {
		return ""
	}
	return tree.ISO(ns)
}

// Size returns a size in decimal units: "812 B", "18.2 kB".
func Size(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 999_950:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
	case n < 999_950_000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
}

// Percent returns a share from 0 to 1 with one decimal. Only 1 is 100%.
func Percent(share float64) string {
	if share == 1 {
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", min(share*100, 99.9))
}

// Visible replaces characters that a terminal would obey or hide: control characters, and characters that change
// the direction of text. A tab becomes a space.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError, !Shows(r):
			return '\uFFFD'
		}
		return r
	}, s)
}

// Shows reports whether a terminal shows a rune in its place: it is not a control character
// and does not change the direction of text.
func Shows(r rune) bool { return unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) }

// list joins names with commas, as Visible shows them.
func list(names []string, between string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = Visible(name)
	}
	return strings.Join(shown, between)
}

// Money returns an amount of a currency with four digits behind the point, one that would be zeros alone up to its first
// digit. A billionth and less is nothing: binary fractions leave it behind.
func Money(amount float64) string {
	digits := 4
	if small := math.Abs(amount); small > 1e-9 && small < 0.00005 {
		digits = int(math.Ceil(-math.Log10(small)))
	}
	return strconv.FormatFloat(amount, 'f', digits, 64)
}

// Words returns the texts that are not empty.
func Words(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// Rule writes a rule of a policy as a file of policies has it, with < and > as they are.
func Rule(rule any) (string, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(rule)
	return Visible(strings.TrimSpace(text.String())), err
}
