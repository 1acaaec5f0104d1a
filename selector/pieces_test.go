package selector

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// TestPiecesComeBackFromPrinting puts pieces of what the documents print together anew, and changes a byte of some: what
// parses prints as a text that parses to an equal selector and prints the same, and what does not is refused with a place.
func TestPiecesComeBackFromPrinting(t *testing.T) {
	testrun.OneGoroutine(t)
	const spoilt = " .#[]{}()<>=!~:,+-*?@^'\"\\0aé"
	pieces := strings.Fields(`#'a b' #"it's" .block:plan +'a b' [role!=null] [kind=[call,'a b']] ['my note:x'>=-1] ['age'=5] +'1a' +'b c' [content~'^a\\'b$'] [ttl]
		:first :last :nth(3) :pre :core :post :depth(<=2) :depth(>1,0) depth(-1) (d0,end) (d1..d3,*:block) (depth(1,3),2:block.k) (?{a},??{b<1})
		within(d1,cont) ??{tag=x} {role=user,ttl<=2} @order=turn:asc,pre @mode=union @limit=2 @p=3 @first @unique @t-3..@t0 @c2:5 @t-*`)
	for _, p := range readPrinted(t) {
		pieces = append(pieces, strings.Fields(p.text)...)
	}
	r := rand.New(rand.NewPCG(4, 29))
	came := map[Edition]int{}
	for range testrun.Size(t, 20_000, 40_000, 4_000_000) {
		var text []byte
		for range 1 + r.IntN(5) {
			text = append(text, pieces[r.IntN(len(pieces))]...)
			text = append(text, []string{" ", " ", "", " > ", ", "}[r.IntN(5)]...)
		}
		if r.IntN(8) == 0 {
			text[r.IntN(len(text))] = spoilt[r.IntN(len(spoilt))]
		}
		for _, e := range []Edition{V01, Depth, Canonical, V1} {
			s, err := Parse(string(text), e)
			if err != nil {
				checkPlace(t, string(text), err)
				continue
			}
			came[e]++
			checkRoundTrip(t, s)
		}
	}
	t.Logf("selectors: %v", came)
	for _, e := range []Edition{V01, Depth, Canonical, V1} {
		if came[e] < 1_000 {
			t.Errorf("of edition %s only %d selectors came", e, came[e])
		}
	}
}
