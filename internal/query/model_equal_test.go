package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/selector"
)

// equivalence is a set of ways to ask the same thing. write makes the texts
// for a node x of the tree; it returns none where x is no occasion for it.
type equivalence struct {
	name  string
	in    []selector.Edition
	write func(d *generator, x *modelNode) []string
}

var afterwards = editions[1:] // the editions that came later

// equivalences are what chapter 04 calls the same: region aliases and depths
// (003, 001 §3.4), the ways to write a depth, grouped and bracketed attributes
// (§3.5.1), type tokens and attributes (§3.2), and the short forms of 001 §3.6,
// §3.8 and §3.10 with what they are short for.
var equivalences = []equivalence{
	{"alias and depth", afterwards, func(d *generator, x *modelNode) []string {
		if !isPlace(x) || x.depth > 0 {
			return nil
		}
		tail := d.tail(x)
		return each(tail, x.class.String(), fmt.Sprintf("depth(%d)", x.depth), fmt.Sprintf(".mt:depth(%d)", x.depth),
			fmt.Sprintf("(d%d)", x.depth),
			fmt.Sprintf("(depth(%d))", x.depth), fmt.Sprintf("(d%d, seg)", x.depth), fmt.Sprintf("(seg, d%d)", x.depth),
			fmt.Sprintf("depth({%d})", x.depth), fmt.Sprintf(".seg:depth(%d..%d)", x.depth, x.depth))
	}},
	{"alias of the turns", afterwards, func(d *generator, x *modelNode) []string {
		if !isTurn(x) || x.depth < 1 {
			return nil
		}
		tail := d.tail(x)
		return each(tail, fmt.Sprintf("^seq .mt:depth(%d)", x.depth), fmt.Sprintf("^seq > .seg:depth(%d)", x.depth),
			fmt.Sprintf(".mt:depth(%d)", x.depth),
			fmt.Sprintf("depth(%d)", x.depth), fmt.Sprintf("(d%d)", x.depth), fmt.Sprintf("(d%d, seg)", x.depth),
			fmt.Sprintf("(seg, d%d)", x.depth), fmt.Sprintf("(mt, depth(>0), d%d)", x.depth),
			fmt.Sprintf("(?{type='^seq'}, ?{type=seg}, d%d)", x.depth))
	}},
	{"all turns", afterwards, func(d *generator, x *modelNode) []string {
		if !isTurn(x) || x.depth < 1 {
			return nil
		}
		return each(d.tail(x), "^seq .mt", "^seq .mt:depth(>0)", "depth(>=1)", ".mt", "(seg)", "(depth(>0))",
			".seg:depth(>0)")
	}},
	{"runs of depths", afterwards, func(d *generator, x *modelNode) []string {
		if !isTurn(x) || x.depth < 1 {
			return nil
		}
		n := x.depth
		return each(d.tail(x), fmt.Sprintf(".mt:depth(%d-%d)", n, n+2), fmt.Sprintf(".mt:depth(%d..%d)", n, n+2),
			fmt.Sprintf(".mt:depth({%d,%d,%d})", n, n+1, n+2),
			fmt.Sprintf(".mt:depth(%d, %d, %d)", n+2, n+1, n), fmt.Sprintf(".mt:depth(>=%d):depth(<%d)", n, n+3),
			fmt.Sprintf("depth(%d..%d)", n, n+2))
	}},
	{"runs in v0.1", editions[:1], func(d *generator, x *modelNode) []string {
		if !isTurn(x) || x.depth < 1 {
			return nil
		}
		n := x.depth
		return each(d.tail(x), fmt.Sprintf(".mt:depth(%d-%d)", n, n+1), fmt.Sprintf("^seq .mt:depth(%d,%d)", n, n+1),
			fmt.Sprintf("^seq > .seg:depth(%d,%d)", n+1, n))
	}},
	{"groups and brackets", afterwards, func(d *generator, x *modelNode) []string {
		if x.class.Region() || x.elided {
			return nil
		}
		a, b, name := d.attr(x), d.attr(x), d.typeOf(x)
		tail := d.filters(x, 1) + d.tail(x)
		return each(tail, fmt.Sprintf("%s(%s %s)", name, a, b), fmt.Sprintf("%s[%s][%s]", name, a, b),
			fmt.Sprintf("%s(%s, %s)", name, a, b),
			fmt.Sprintf("%s{%s, %s}", name, a, b), fmt.Sprintf("%s[%s,%s]", name, a, b), fmt.Sprintf("%s(%s)[%s]", name, a, b),
			fmt.Sprintf("%s{%s}{%s}", name, a, b))
	}},
	{"type and attributes", afterwards, func(d *generator, x *modelNode) []string {
		word := classWord(x)
		if word == "" {
			return nil
		}
		tail := d.filters(x, 1) + d.tail(x)
		if kind, ok := d.w.kind(x); ok && kind != "" && one(d.Rand, 2) {
			texts := []string{fmt.Sprintf(".%s:%s", word, kind), fmt.Sprintf("[nodeType='%s:%s']", word, kind),
				fmt.Sprintf(".%s:%s", inOtherWords(word), kind), fmt.Sprintf("[nodeType='%s'][kind='%s']", word, kind),
				fmt.Sprintf("[kind='%s'][type=%s]", kind, inOtherWords(word)), fmt.Sprintf(".%s(kind='%s')", word, kind)}
			return each(tail, texts...)
		}
		if strings.Contains(tail, ":depth") && isTurn(x) {
			return nil // .mt:depth(e) means the regions too, and the attribute does not
		}
		return each(tail, "."+word, "."+inOtherWords(word), fmt.Sprintf("[nodeType='%s']", word),
			fmt.Sprintf("[type=%s]", inOtherWords(word)), fmt.Sprintf("*[nodeType=%s]", word))
	}},
	{"type and attribute in v0.1", editions[:1], func(d *generator, x *modelNode) []string {
		word := classWord(x)
		if _, kind, ok := cutType(x.node.Type); ok && word != "" && kind != "note" && !strings.HasPrefix(x.node.Type, "x:") {
			return each(d.filters(x, 1)+d.tail(x), fmt.Sprintf(".%s:%s", word, kind), fmt.Sprintf("[nodeType='%s:%s']", word,
				kind), fmt.Sprintf(".%s:%s", inOtherWords(word), kind),
				fmt.Sprintf("[type='%s:%s']", inOtherWords(word), kind))
		}
		return nil
	}},
	{"key", editions[2:], func(d *generator, x *modelNode) []string {
		key, ok := x.node.Header("key").Text()
		if !ok || slices.ContainsFunc(d.w.real, func(x *modelNode) bool { return !x.node.Has("key") && x.node.ID == key }) {
			return nil // "#" finds a node without a key by its id (001 §6.2), and no filter does (04 §3.5)
		}
		tail := d.filters(x, 1) + d.tail(x)
		return each(tail, "#"+d.quoteName(key), "[key="+d.quote(key)+"]", "*[key="+d.quote(key)+"]", "{key="+d.quote(key)+"}")
	}},
	{"id", editions[:2], func(d *generator, x *modelNode) []string {
		return each(d.filters(x, 1)+d.tail(x), d.hash(x.node.ID), "[id="+d.quote(x.node.ID)+"]", "*"+d.hash(x.node.ID))
	}},
	{"search and descent", afterwards, func(d *generator, x *modelNode) []string {
		if x == d.w.root {
			return nil
		}
		a, tail := d.attr(x), d.filters(x, 1)+d.tail(x)
		list := []string{"?? {" + a + "}", "^root *[" + a + "]", "(?? {" + a + "})"}
		if x.placed && one(d.Rand, 2) {
			list = []string{fmt.Sprintf("within(d%d,d9) ?? {%s}", x.depth, a), fmt.Sprintf("depth(%d,9) *[%s]", x.depth, a),
				fmt.Sprintf("(depth(%d,9), ??{%s})", x.depth, a), fmt.Sprintf("depth(9,%d) ?? {%s}", x.depth, a)}
		}
		if isTurn(x.parent) && x.parent.depth > 0 && one(d.Rand, 2) {
			list = []string{"within(seg) ?? {" + a + "}", "(seg, ??{" + a + "})", "^seq > .mt *[" + a + "]",
				"within(d1, ?{type=none}, seg, depth(>1)) ?? {" + a + "}"}
		}
		if x.parent == d.w.root && one(d.Rand, 2) {
			list = []string{"? {" + a + "}", "^root > *[" + a + "]", "(? {" + a + "})"}
		}
		return each(tail, list...)
	}},
	{"tags", afterwards, func(d *generator, x *modelNode) []string {
		if len(x.node.Tags) == 0 {
			return nil
		}
		tag, again := pick(d.Rand, x.node.Tags...), pick(d.Rand, x.node.Tags...)
		return each(d.tail(x), fmt.Sprintf("+'%s'+'%s'", tag, again), fmt.Sprintf("+'%s' +'%s'", again, tag),
			fmt.Sprintf("?? {tag='%s', tags='%s'}", tag, again),
			fmt.Sprintf("^root *[tag='%s']+'%s'", tag, again), fmt.Sprintf("+'%s'{tag='%s'}", tag, again))
	}},
	{"hops and steps", afterwards, func(d *generator, x *modelNode) []string {
		if x.parent == nil || !isPlace(x.parent) {
			return nil
		}
		at, n, a := x.parent.depth, x.node.Offset, d.attr(x)
		tail := d.filters(x, 1) + d.tail(x)
		switch {
		case isBlock(x) && one(d.Rand, 2):
			return each(tail, fmt.Sprintf("(d%d, *:block[%s])", at, a), fmt.Sprintf("depth(%d) > .block[%s]", at, a),
				fmt.Sprintf("(d%d, *:cb){%s}", at, a), fmt.Sprintf("(d%d, block{%s})", at, a))
		case isBlock(x):
			return each(tail, fmt.Sprintf("(d%d, %d:cb[%s])", at, n, a), fmt.Sprintf("depth(%d) > .cb[offset=%d][%s]", at, n, a),
				fmt.Sprintf("(d%d, *:block[offset=%d]) {%s}", at, n, a))
		case n != 0:
			return each(tail, fmt.Sprintf("(d%d, %d[%s])", at, n, a), fmt.Sprintf("depth(%d) > *[offset=%d][%s]", at, n, a))
		}
		return each(tail, fmt.Sprintf("(d%d, cont[%s])", at, a), fmt.Sprintf("depth(%d) > .mc[%s]", at, a),
			fmt.Sprintf("(d%d, mc) {%s}", at, a))
	}},
}

// TestEquivalences asks in different words on random trees.
func TestEquivalences(t *testing.T) {
	rounds := testrun.Size(t, 40, 150, 1500)
	for _, q := range equivalences {
		for _, e := range q.in {
			asked, answered := 0, 0
			for seed := range uint64(rounds) {
				r := rand.New(rand.NewPCG(seed, 9))
				tr := (&sketch{Rand: r, width: 1}).tree(t, 4) // a turn in ^sys would be a .mt:depth(-1) too
				w := flatten(tr, e)
				for range 10 {
					var first []string
					texts := q.write(&generator{Rand: r, w: w}, pick(r, w.real...))
					for i, text := range texts {
						s, err := selector.Parse(text, e)
						if err != nil {
							t.Fatalf("%s, %s, seed %d: %s: %v", q.name, e, seed, text, err)
						}
						_, result := runPlan(t, tr, s)
						if i == 0 {
							first = result.IDs()
						} else if got := result.IDs(); !slices.Equal(got, first) {
							t.Fatalf("%s, %s, seed %d: %s\nis %q and %s\nis %q\n%s", q.name, e, seed, texts[0], first, text, got, show(tr))
						}
					}
					asked += min(1, len(texts))
					answered += min(1, len(first))
				}
			}
			if asked < rounds/5 || answered*6 < asked {
				t.Errorf("%s, %s: asked %d times, answered %d times", q.name, e, asked, answered)
			}
		}
	}
}

// TestRangesAreSpelledTwoWays shows that ".." and ":" are one operator between
// snapshots: the selectors are equal once they are parsed.
func TestRangesAreSpelledTwoWays(t *testing.T) {
	for _, e := range editions {
		for _, pair := range [][2]string{{"@t-3..@t0 .cb", "@t-3:@t0 .cb"}, {"@c2..@c7 *", "@c2:@c7 *"},
			{"@t-5..-1 ^ah .cb", "@t-5:-1 ^ah .cb"}, {"@t0..@t-9 *", "@t0:@t-9 *"}} {
			a, b := selector.MustParse(pair[0], e), selector.MustParse(pair[1], e)
			if a.Time.Kind != selector.Range || a.String() != b.String() {
				t.Errorf("%s: %s is %s and %s is %s", e, pair[0], a, pair[1], b)
			}
		}
	}
}

// tail draws a way from x further down, or nothing.
func (d *generator) tail(x *modelNode) string {
	list := below(x)
	if len(list) == 0 || one(d.Rand, 3) {
		return ""
	}
	return d.rest(x, pick(d.Rand, list...))
}

// each puts the tail behind every text.
func each(tail string, texts ...string) []string {
	for i := range texts {
		texts[i] += tail
	}
	return texts
}

// classWord is the class of x in the older vocabulary.
func classWord(x *modelNode) string {
	return map[string]string{"turn": "mt", "container": "mc", "block": "cb"}[x.class.String()]
}

func inOtherWords(word string) string {
	return map[string]string{"mt": "seg", "mc": "cont", "cb": "block"}[word]
}
