package tokens

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/testrun"
)

// merged merges a piece by the definition: again and again the leftmost of the
// pairs of the lowest rank, found by looking at all of them.
func merged(v *vocabulary, piece string) []string {
	if _, found := v.ranks[piece]; found {
		return []string{piece}
	}
	parts := strings.Split(piece, "")
	parts = parts[:0]
	for i := range len(piece) {
		parts = append(parts, piece[i:i+1])
	}
	for {
		lowest, at := uint32(none), -1
		for i := range len(parts) - 1 {
			if rank, found := v.ranks[parts[i]+parts[i+1]]; found && rank < lowest {
				lowest, at = rank, i
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = slices.Delete(parts, at+1, at+2)
	}
}

func TestMergingIsByteByDefinition(t *testing.T) {
	letters := rapid.OneOf(
		rapid.StringOfN(rapid.SampledFrom([]rune("etaoinshr")), 1, 60, -1),
		rapid.StringOfN(rapid.SampledFrom([]rune("aA-=")), 1, 60, -1),
		rapid.StringOfN(rapid.SampledFrom([]rune("中文日本語한국")), 1, 30, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 40), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := letters.Draw(t, "text")
		for e := range patterns {
			var want []string
			for _, piece := range pieces(e, text) {
				want = append(want, merged(e.vocabulary(), piece)...)
			}
			if got := parts(e, text); !slices.Equal(got, want) {
				t.Fatalf("%q gives %q, want %q", text, got, want)
			}
		}
	})
}

// The tokens of one are what was counted, and nothing of the text is lost.
func FuzzCount(f *testing.F) {
	for _, text := range []string{"", "I'm  here \n\n 12345", "中文\u0301'LL", "\xff\xfe", " \n \n",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "<|endoftext|>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range counters {
			n := c.Count(text)
			if n > len(text) || n == 0 && text != "" {
				t.Errorf("%s: %q of %d bytes has %d tokens", c.Name(), text, len(text), n)
			}
			if again := c.Count(text); again != n {
				t.Errorf("%s: %q has %d tokens and then %d", c.Name(), text, n, again)
			}
			if c.encoding == nil {
				continue
			}
			tokens := parts(c.encoding, text)
			if len(tokens) != n || strings.Join(tokens, "") != text {
				t.Errorf("%s: %q has %d tokens, %q", c.Name(), text, n, tokens)
			}
			for _, token := range tokens {
				if _, found := c.encoding.vocabulary().ranks[token]; !found {
					t.Errorf("%s: %q of %q is no token", c.Name(), token, text)
				}
			}
		}
	})
}

// Four times the text costs four times the steps, and two more levels of a heap.
// That takes n pairs at first and two for each merge; it gives each back once,
// past at most log 2n levels. The rest is for finding pieces.
func TestCountingIsLinear(t *testing.T) {
	testrun.OneGoroutine(t)
	const size = 1 << 12
	for _, unit := range []string{
		"a", "A", "é", "中", "\u0301", "ʰ", "1", "!", "/", "'", " ", "\n", "\t", "\u00a0", "\r\n", " \n", "\n ", "aA", "Aa",
		"\u0301A", "ʰA", "AAAAAAAʰ",
		"'s", " 's", "x ", "x  ", "x   \n", " \u0301", "!\n", "!/\n", "ab", "abcdefghijklm", "-=", "👍", "\xff", "A\u0301\n",
		"AAAAAAAAAAAAAAAAAA'", " \u3000",
	} {
		text := strings.Repeat(unit, 4*size/len(unit)+1)
		for e := range patterns {
			for _, end := range []string{"", "x", "\nX'"} {
				short, long := steps(e, text[:size]+end), steps(e, text[:4*size]+end)
				if long > 6*short {
					t.Errorf("%q: %d steps for %d bytes, but %d for four times as many", unit, short, size, long)
				}
				if n := len(text); long > n*(3*(1+bits.Len(uint(2*n)))+10) {
					t.Errorf("%q: %d steps for %d bytes", unit, long, n)
				}
			}
		}
	}
}

func steps(e *encoding, text string) int {
	return e.each(text, func(m *merger, piece string) { m.merge(piece) })
}

func TestCountersMayBeSharedAmongGoroutines(t *testing.T) {
	text := strings.Repeat("Shared by all, don't you see? 中文 12345\n\n", 50)
	want := map[*Counter]int{}
	for _, c := range counters {
		want[c] = c.Count(text)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, c := range counters {
				if n := c.Count(text); n != want[c] {
					t.Errorf("%s: %d tokens, want %d", c.Name(), n, want[c])
				}
			}
		})
	}
	all.Wait()
}
