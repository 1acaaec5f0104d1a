package selector

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// coverage counts the kinds of node in syntax trees.
type coverage map[string]int

// TestSoakReachesEverything shows that the writer of TestSoak writes every
// construct of every edition, so that what it finds nothing wrong with is the
// whole language.
func TestSoakReachesEverything(t *testing.T) {
	reached := map[Edition]coverage{V01: {}, Depth: {}, Canonical: {}}
	targets := coverage{}
	var w writer
	for n := range uint64(20_000) {
		w.seed(n)
		if n%32 == 31 {
			w.target()
			p, err := ParsePosition(string(w.buf), V01)
			if err != nil {
				t.Fatal(err)
			}
			targets.position(*p)
			continue
		}
		w.selector()
		reached[w.edition].selector(MustParse(string(w.buf), w.edition))
	}
	for edition, c := range reached {
		want := slices.Clone(inEveryEdition)
		if edition != V01 {
			want = append(want, inLaterEditions...)
		}
		c.check(t, string(edition), want)
	}
	targets.check(t, "targets", []string{
		"hop 0", "hop 1", "hop 2", "hop 3", "hop 4 any", "hop 4 at", "hop 5", "hop 6", "filtered hop", "insert 1", "insert 2",
		"insert 3", "insert 4",
	})
}

// check wants every kind to have come often.
func (c coverage) check(t *testing.T, where string, want []string) {
	t.Helper()
	for _, name := range want {
		if c[name] < 10 {
			t.Errorf("%s: %s occurs %d times", where, name, c[name])
		}
	}
}

var inEveryEdition = []string{
	"no time", "time 0 t", "time 0 c", "time 1", "time 2 t", "time 2 c", "several groups", "combinator 1", "combinator 2",
	"Universal", "Region root", "Region sys", "Region seq", "Region ah", "ID", "Type", "Attr",
	"Offset 0", "Offset 1", "Offset 2", "DepthIs", "Pick 0", "Pick 1", "Pick 2", "depth", "run of depths", "two depths",
	"op 0", "op 1", "op 2", "op 3", "op 4", "op 5", "op 6", "literal 0", "literal 1", "literal 2", "literal 3",
}

var inLaterEditions = []string{
	"quoted ID", "op 7", "several values", "DepthStep", "Position", "Tag", "Tag first", "two tags", "Search ?",
	"Search ??", "Search within", "Search behind", "open below", "open above", "oldest",
	"hop 0", "hop 1", "hop 2", "hop 3", "hop 4 any", "hop 4 at", "hop 5", "hop 6", "filtered hop",
	"control 0 union", "control 0 latest", "control 0 reduce", "control 1 pre", "control 1 post", "control 1 bfs",
	"control 1 path",
	"control 1 turn:asc,pre", "control 1 turn:desc,pre", "control 2 ", "control 3 ", "control 4 ", "control 5 ",
}

func (c coverage) selector(s *Selector) {
	if s.Time == nil {
		c["no time"]++
	} else {
		c.time(*s.Time)
	}
	if len(s.Groups) > 1 {
		c["several groups"]++
	}
	for _, g := range s.Groups {
		for i, step := range g.Steps {
			c[fmt.Sprint("combinator ", int(step.Comb))]++
			for k, part := range step.Parts {
				c.part(part, i, k)
				if _, tag := part.(Tag); tag && k > 0 {
					if _, again := step.Parts[k-1].(Tag); again {
						c["two tags"]++
					}
				}
			}
		}
	}
	for _, control := range s.Controls {
		c[fmt.Sprintf("control %d %s", control.Kind, control.Word)]++
	}
}

func (c coverage) time(t Time) {
	switch t.Kind {
	case All:
		c["time 1"]++
	default:
		c[fmt.Sprintf("time %d %c", t.Kind, t.From.Axis)]++
		if t.From.Oldest || t.To.Oldest {
			c["oldest"]++
		}
	}
}

// part counts a part, its place being part k of step i.
func (c coverage) part(part Part, i, k int) {
	switch part := part.(type) {
	case Universal:
		c["Universal"]++
	case Region:
		c["Region "+part.Name]++
	case ID:
		c["ID"]++
		if !isBareName(part.Name) {
			c["quoted ID"]++
		}
	case Type:
		c["Type"]++
	case Attr:
		c["Attr"]++
		c.attr(part)
	case Offset:
		c[fmt.Sprint("Offset ", int(part.Zone))]++
	case DepthIs:
		c["DepthIs"]++
		c.depths(part.Set)
	case DepthStep:
		c["DepthStep"]++
		c.depths(part.Set)
	case Pick:
		c[fmt.Sprint("Pick ", int(part.Kind))]++
	case Tag:
		c["Tag"]++
		if i+k == 0 {
			c["Tag first"]++
		}
	case Search:
		c.search(part, i)
	case Position:
		c["Position"]++
		c.position(part)
	}
}

func (c coverage) search(s Search, i int) {
	c[map[bool]string{false: "Search ?", true: "Search ??"}[s.Deep]]++
	if len(s.Within) > 0 {
		c["Search within"]++
	}
	if i > 0 {
		c["Search behind"]++
	}
	for _, a := range s.Attrs {
		c.attr(a)
	}
}

func (c coverage) depths(set DepthSet) {
	if len(set.Terms) > 1 {
		c["two depths"]++
	}
	for _, t := range set.Terms {
		switch {
		case t.Lo == math.MinInt64:
			c["open below"]++
		case t.Hi == math.MaxInt64:
			c["open above"]++
		case t.Lo < t.Hi:
			c["run of depths"]++
		default:
			c["depth"]++
		}
	}
}

func (c coverage) attr(a Attr) {
	c[fmt.Sprint("op ", int(a.Op))]++
	if len(a.Values) > 1 {
		c["several values"]++
	}
	for _, v := range a.Values {
		c[fmt.Sprint("literal ", int(v.Kind))]++
	}
}

func (c coverage) position(p Position) {
	c[fmt.Sprint("insert ", int(p.Insert))]++
	for _, h := range p.Hops {
		name := fmt.Sprint("hop ", int(h.Kind))
		if h.Kind == HopBlock {
			name += map[bool]string{true: " any", false: " at"}[h.Any]
		}
		c[name]++
		if len(h.Attrs) > 0 {
			c["filtered hop"]++
		}
	}
}
