package selector

import (
	"runtime"
	"strings"
	"testing"
)

// allocated returns how often f allocates and how many bytes, the least of
// some runs: other goroutines can only add to it.
func allocated(f func()) (count, bytes uint64) {
	f()
	count, bytes = 1<<63, 1<<63
	var before, after runtime.MemStats
	for range 5 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		count = min(count, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return count, bytes
}

// TestParseIsLinear lets every construct that can repeat grow, within the
// limits, and compares what parsing and printing allocate for n and for 4 n of
// them. Work that grew with the square would need four times as much for each.
func TestParseIsLinear(t *testing.T) {
	for _, c := range []struct {
		name             string
		head, unit, tail string
		n                int
	}{
		{"groups", "*", ", .cb[role='user']", "", 60},
		{"steps", "*", " > .cb[role='user']", "", 15},
		{"filters", ".cb", "[role='user']", "", 15},
		{"tags", "*", "+'a b'", "", 15},
		{"different tags", "*", "+%", "", 15},
		{"attributes", ".cb[a", ", role='user'", "]", 15},
		{"grouped attributes", ".cb(a", " role='user'", ")", 15},
		{"attributes of a search", "?? {a", ", ttl<=1", "}", 15},
		{"values", "[a=[1", ",'user'", "]]", 60},
		{"escapes", "[a='", `\'`, "']", 4000},
		{"long text", "[a='", "x", "']", 10000},
		{"long name", "#a", ":b", "", 8000},
		{"long number", "[a=1", "0", "]", 10000},
		{"depths", ":depth(1", ",2-3", ")", 60},
		{"scopes", "within(d1", ", d2", ") ?? {a}", 60},
		{"hops", "(d1", ", cont[offset=0]", ")", 15},
		{"filters of a hop", "(d1, 0", "{a=b}", ")", 15},
		{"blank", "*", " ", "[a]", 15000},
		{"pattern", "[a~'x", "(b|c)*", "']", 40},
	} {
		text := func(n int) string {
			var b strings.Builder
			b.WriteString(c.head)
			for i := range n {
				b.WriteString(strings.ReplaceAll(c.unit, "%", "t"+string(rune('a'+i%26))+string(rune('a'+i/26))))
			}
			b.WriteString(c.tail)
			return b.String()
		}
		cost := func(n int) (count, bytes uint64) {
			text := text(n)
			if _, err := Parse(text, Canonical); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			return allocated(func() { _ = MustParse(text, Canonical).String() })
		}
		count, bytes := cost(c.n)
		count4, bytes4 := cost(4 * c.n)
		if count4 > 4*count+64 || bytes4 > 7*bytes+16<<10 {
			t.Errorf("%s: %d take %d bytes in %d pieces, %d take %d in %d", c.name, c.n, bytes, count, 4*c.n, bytes4, count4)
		}
	}
}
