package selector

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestRandomTrees prints random trees of the whole grammar and parses them.
func TestRandomTrees(t *testing.T) {
	r := generator{rand.New(rand.NewPCG(2026, 11))}
	for range 3000 {
		s := r.selector()
		text := s.String()
		got, err := Parse(text, s.Edition)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(meaning(got), s) || got.Source != text {
			t.Fatalf("%s:\n got %#v\nwant %#v", text, got, s)
		}
		if again := got.String(); again != text {
			t.Fatalf("%s prints as %s the second time", text, again)
		}
	}
}

// TestRandomPositions does the same for insertion targets.
func TestRandomPositions(t *testing.T) {
	r := generator{rand.New(rand.NewPCG(2026, 12))}
	for range 500 {
		p := r.position(nil)
		p.Insert = Insertion(1 + r.IntN(4))
		if p.Insert >= AfterChild {
			p.N = 1 + r.IntN(3)
		}
		got, err := ParsePosition(p.String(), V01)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if !reflect.DeepEqual(*got, p) {
			t.Fatalf("%s:\n got %#v\nwant %#v", p, *got, p)
		}
	}
}

// TestRandomText throws pieces of the language together, most of which is no
// selector, in every edition.
func TestRandomText(t *testing.T) {
	r := generator{rand.New(rand.NewPCG(2026, 13))}
	pieces := strings.Fields(`@t0 @t-1 .. : @c3 @* @history ^seq ^ah . .cb .mt:depth # #a 'x' " \ * > , ( ) [ ] { } ? ??
		within depth (1) (1-2) :first :pre :nth(2) [a] [ttl<=1] {b=1} (c=d) +t + - -1 d1 seg mc[offset=0] 0:cb *:cb.k
		end @limit=1 @p=2 @first @mode=latest = != ~ null é`)
	parsed := 0
	for range 30000 {
		var text strings.Builder
		for range 1 + r.IntN(6) {
			text.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(2) == 0 {
				text.WriteByte(' ')
			}
		}
		for _, e := range []Edition{V01, Depth, Canonical, V1} {
			if s, err := Parse(text.String(), e); err == nil {
				parsed++
				checkRoundTrip(t, s)
			}
		}
	}
	if parsed < 1000 {
		t.Errorf("only %d of the texts parse", parsed)
	}
}

// generator makes random trees that the parser could have built.
type generator struct{ *rand.Rand }

func pick[T any](r generator, from ...T) T { return from[r.IntN(len(from))] }

func (r generator) selector() *Selector {
	s := &Selector{Edition: pick(r, Depth, Canonical)}
	if r.IntN(3) > 0 {
		s.Time = r.time()
	}
	for range 1 + r.IntN(3) {
		s.Groups = append(s.Groups, r.group(s))
	}
	for _, known := range controls {
		if r.IntN(4) > 0 || known.kind == ControlMode && s.Time == nil {
			continue
		}
		if _, ok := s.Control(ControlLimit); known.kind == ControlPage && !ok {
			continue
		}
		c := Control{Kind: known.kind}
		switch {
		case known.words != nil:
			c.Word = pick(r, known.words...)
		case known.least >= 0:
			c.N = int(known.least) + r.IntN(100)
		}
		s.Controls = append(s.Controls, c)
	}
	return s
}

func (r generator) time() *Time {
	point := func(axis byte) Point {
		switch {
		case axis == 'c':
			return Point{Axis: axis, N: r.Int64N(50)}
		case r.IntN(4) == 0:
			return Point{Axis: axis, Oldest: true}
		}
		return Point{Axis: axis, N: 10 - r.Int64N(50)}
	}
	axis := pick(r, byte('t'), 'c')
	switch r.IntN(3) {
	case 0:
		return &Time{Kind: All}
	case 1:
		one := point(axis)
		one.Oldest = false // only the end of a range
		if axis == 't' {
			one.N = min(one.N, 0) // and only such an end is in the future
		}
		return &Time{Kind: Single, From: one}
	}
	return &Time{Range, point(axis), point(axis)}
}

func (r generator) group(s *Selector) Group {
	var g Group
	for i := range 1 + r.IntN(4) {
		var st Step
		if i > 0 {
			st.Comb = pick(r, Descendant, Child)
		}
		st.Parts = r.head(s, i == 0)
		search, isSearch := st.Parts[0].(Search)
		if isSearch && i > 0 {
			st.Comb = Child
			if search.Deep {
				st.Comb = Descendant
			}
			if before, ok := g.Steps[i-1].Parts[0].(Search); ok && !before.Deep && !search.Deep {
				st.Parts[0] = Universal{}
			}
		}
		for range r.IntN(4) {
			st.Parts = append(st.Parts, r.filter(s))
		}
		// After white space a tag always, and a bracket sometimes, belongs to
		// the step before.
		if st.Comb == Descendant {
			switch st.Parts[0].(type) {
			case Attr, Tag:
				st.Comb = Child
			}
		}
		st.mergeTags()
		g.Steps = append(g.Steps, st)
	}
	return g
}

// head is how a step begins.
func (r generator) head(s *Selector, first bool) []Part {
	switch n := r.IntN(10); {
	case n == 0:
		return []Part{Universal{}}
	case n == 1:
		return []Part{Region{pick(r, "root", "sys", "seq", "ah")}}
	case n == 2:
		return []Part{r.filter(s)}
	case n == 3 && first:
		return []Part{DepthStep{r.depths()}}
	case n == 4 && first:
		return []Part{r.position(s)}
	case n == 5:
		search := Search{Deep: r.IntN(2) == 0, Attrs: r.attrs(s, 1)}
		if first && search.Deep && r.IntN(2) == 0 {
			search.Within = r.position(s).Hops
		}
		return []Part{search}
	case n == 6:
		return []Part{ID{r.text()}}
	case n == 7:
		return []Part{Region{"seq"}, Type{r.typeName()}, ID{r.text()}}
	}
	return []Part{Type{r.typeName()}}
}

func (r generator) filter(s *Selector) Part {
	switch r.IntN(6) {
	case 0:
		return Offset{pick(r, Pre, Core, Post)}
	case 1:
		return pick(r, Pick{Kind: First}, Pick{Kind: Last}, Pick{Nth, 1 + r.IntN(5)})
	case 2:
		return DepthIs{r.depths()}
	case 3:
		return Tag{r.text()}
	}
	return r.attr(s)
}

func (r generator) typeName() string {
	return pick(r, "mt", "mc", "cb", "seg", "cont", "block", "cb:summary", "custom:note", "cb:a:first-b", "first",
		"x_1-2:3")
}

// text is a name or a string, often one that needs quotes.
func (r generator) text() string {
	return pick(r, "a", "cb:u1", "block:12-3-f2", "5f3c", "a:first", "first", "hero banner", "it's", `"`, `\`, `\'`, `\n`,
		"-a", "a:", ":a", "null", "None", "12", "größe", "\x00", "\n", "}", "a b > c", fmt.Sprintf("%x", r.Int64()))
}

func (r generator) depths() DepthSet {
	var set DepthSet
	for range 1 + r.IntN(3) {
		lo := r.Int64N(9) - 4
		set.Terms = append(set.Terms, pick(r, DepthTerm{lo, lo}, DepthTerm{lo, lo + r.Int64N(5)},
			DepthTerm{lowest, lo}, DepthTerm{lo, highest}))
	}
	return set
}

// attrs are at least so many attributes, or nil.
func (r generator) attrs(s *Selector, least int) []Attr {
	var attrs []Attr
	for range least + r.IntN(3) {
		attrs = append(attrs, r.attr(s))
	}
	return attrs
}

func (r generator) attr(s *Selector) Attr {
	names := []string{"role", "kind", "nodeType", "ttl", "offset", "tag", "data_x", "my:own-name", "key", "acme.org:mood", "a b:c", "type",
		"it's:x"}
	if s != nil && s.Time != nil {
		names = append(names, "born_turn", "age", "depth", "sdepth")
	}
	a := Attr{Name: pick(r, names...), Op: Op(r.IntN(8))}
	switch a.Op {
	case Present:
	case Match:
		a.Values = []Literal{text(pick(r, "a+", `\d`, "^x$", "", `it's`))}
	case Eq:
		for range 1 + r.IntN(3)/2*r.IntN(4) {
			a.Values = append(a.Values, r.literal(true))
		}
	default:
		a.Values = []Literal{r.literal(a.Op == Ne)}
	}
	return a
}

func (r generator) literal(nullToo bool) Literal {
	l := pick(r, number("0"), number("-12"), number("3.50"), number("18446744073709551616"),
		word("user"), word("a:b-c"), word("nullable"), word("true"), text(r.text()), text(""), null)
	if l.Kind == Null && !nullToo {
		return word("none")
	}
	return l
}

func (r generator) position(s *Selector) Position {
	hops := []Hop{{Kind: HopDepth, Depth: r.depths()}}
	for range r.IntN(4) {
		h := pick(r, Hop{Kind: HopTurn, Name: "mt"}, Hop{Kind: HopDepth, Depth: r.depths()},
			Hop{Kind: HopContainer, Name: "cont"},
			Hop{Kind: HopOffset, Offset: r.Int64N(7) - 3}, Hop{Kind: HopBlock, Name: "cb", Any: true},
			Hop{Kind: HopBlock, Name: "block", Offset: r.Int64N(7) - 3}, Hop{Kind: HopStep}, Hop{Kind: HopDeep})
		least := 0
		if h.Kind == HopStep || h.Kind == HopDeep {
			least = 1
		}
		h.Attrs = r.attrs(s, least)
		hops = append(hops, h)
	}
	return Position{Hops: slices.Clip(hops)}
}
