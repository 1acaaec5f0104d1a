package selector

import (
	"math"
	"strconv"
	"strings"
)

// String returns the canonical text of the selector (docs/decisions.md): single
// spaces, attributes in brackets, strings in single quotes, ranges with both
// ends in full, depths as numbers and runs. Parsing it in the edition of the
// selector gives an equal selector.
//
// Specification: 001 §2.5, 001 §3.10.
func (s *Selector) String() string {
	traits := s.Edition.Traits()
	w := printer{published: traits.Fragments}
	switch {
	case s.Time != nil:
		w.time(*s.Time)
		w.WriteByte(' ')
	case traits.T0Working: // 1.0 04 §3.7
		w.WriteString("@t0 ")
	}
	for i, g := range s.Groups {
		w.group(s.Groups, i, g)
	}
	for _, c := range s.Controls {
		w.WriteString(" " + c.String())
	}
	for _, text := range s.Ignored {
		w.WriteString(" " + text)
	}
	return w.String()
}

// group writes a group of a list. In edition 1.0 one with a position gets parentheses beside
// others, unless it has its own, and so do positions with ?? between them.
func (w *printer) group(list []Group, i int, g Group) {
	first := i+1 < len(list) && list[i+1].Else && !g.Else
	last := g.Else && (i+1 == len(list) || !list[i+1].Else)
	_, position := g.Steps[0].Parts[0].(Position)
	wrapped := w.published && len(list) > 1 && position && !g.Else && !first &&
		(len(g.Steps) > 1 || len(g.Steps[0].Parts) > 1)
	if g.Else {
		w.WriteString(" ?? ")
	} else {
		w.separate(i, ", ")
	}
	if wrapped || first || g.Scope != nil {
		w.WriteByte('(')
	}
	if g.Scope != nil {
		w.depthHop(*g.Scope)
		w.WriteString(", ")
	}
	for _, step := range g.Steps {
		w.step(step)
	}
	if wrapped || last || g.Scope != nil {
		w.WriteByte(')')
	}
}

// String returns the canonical text of the control, with its "@".
func (c Control) String() string {
	text := "@" + controls[c.Kind].name
	switch c.Kind {
	case ControlLimit, ControlPage:
		return text + "=" + strconv.Itoa(c.N)
	case ControlMode, ControlOrder:
		return text + "=" + c.Word
	}
	return text
}

// String returns the canonical text of the position, with its parentheses.
func (p Position) String() string {
	var w printer
	w.position(p)
	return w.String()
}

// String returns the address as it stands in front of a selector.
func (t Time) String() string {
	var w printer
	w.time(t)
	return w.String()
}

// printer writes canonical text.
type printer struct {
	strings.Builder
	published bool // write d1..d3, and parentheses in lists
}

// separate writes separator before every item of a list except the first.
func (w *printer) separate(i int, separator string) {
	if i > 0 {
		w.WriteString(separator)
	}
}

func (w *printer) int(n int64) { w.WriteString(strconv.FormatInt(n, 10)) }

func (w *printer) time(t Time) {
	switch t.Kind {
	case All:
		w.WriteString("@*")
	case Single:
		w.point(t.From)
	case Range:
		w.point(t.From)
		if t.Pair {
			w.WriteByte(',')
		} else {
			w.WriteString("..")
		}
		w.point(t.To)
	}
}

func (w *printer) point(p Point) {
	w.WriteString("@" + string(rune(p.Axis)))
	if p.Oldest {
		w.WriteString("-*")
	} else {
		w.int(p.N)
	}
}

func (w *printer) step(s Step) {
	_, search := s.Parts[0].(Search)
	switch {
	case s.Comb == None:
	case s.Comb == Child && !search:
		w.WriteString(" > ")
	default:
		w.WriteByte(' ')
	}
	for i, part := range s.Parts {
		if _, ok := part.(Tag); ok {
			w.separate(i, " ")
		}
		w.part(part)
	}
}

func (w *printer) part(part Part) {
	switch part := part.(type) {
	case Universal:
		w.WriteByte('*')
	case Region:
		w.WriteString("^" + part.Name)
	case Type:
		w.WriteString("." + part.Name)
	case ID:
		w.WriteByte('#')
		w.name(part.Name, isBareName(part.Name))
	case Tag:
		w.WriteByte('+')
		w.name(part.Name, isBareName(part.Name) && isLetter(part.Name[0]))
	case Attr:
		w.WriteByte('[')
		w.attr(part)
		w.WriteByte(']')
	case Offset:
		w.WriteString([...]string{Pre: ":pre", Core: ":core", Post: ":post"}[part.Zone])
	case Pick:
		w.WriteString([...]string{First: ":first", Last: ":last", Nth: ":nth"}[part.Kind])
		if part.Kind == Nth {
			w.WriteString("(" + strconv.Itoa(part.N) + ")")
		}
	case DepthIs:
		w.WriteString(":depth")
		w.depths(part.Set)
	case DepthStep:
		w.WriteString("depth")
		w.depths(part.Set)
	case Position:
		w.position(part)
	case Search:
		w.search(part)
	}
}

func (w *printer) name(name string, bare bool) {
	if bare {
		w.WriteString(name)
	} else {
		w.quote(name)
	}
}

// quote writes a string in single quotes.
func (w *printer) quote(text string) {
	w.WriteByte('\'')
	for i := range len(text) {
		if text[i] == '\'' || text[i] == '\\' {
			w.WriteByte('\\')
		}
		w.WriteByte(text[i])
	}
	w.WriteByte('\'')
}

var opTokens = [...]string{
	Present: "", Eq: "=", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", Match: "~",
}

// attr writes an attribute without its brackets.
func (w *printer) attr(a Attr) {
	w.name(a.Name, isBareAttr(a.Name) && !a.Quoted)
	w.WriteString(opTokens[a.Op])
	if len(a.Values) > 1 {
		w.WriteByte('[')
	}
	for i, v := range a.Values {
		w.separate(i, ",")
		if v.Kind == Text {
			w.quote(v.Text)
		} else {
			w.WriteString(v.Text)
		}
	}
	if len(a.Values) > 1 {
		w.WriteByte(']')
	}
}

// braces writes the attributes of a search in braces.
func (w *printer) braces(attrs []Attr) {
	w.WriteByte('{')
	for i, a := range attrs {
		w.separate(i, ", ")
		w.attr(a)
	}
	w.WriteByte('}')
}

// depths writes a set of depths in parentheses. A run is written with "-",
// which every edition reads.
func (w *printer) depths(set DepthSet) {
	w.WriteByte('(')
	for i, t := range set.Terms {
		w.separate(i, ",")
		switch {
		case t.Lo == math.MinInt64:
			w.WriteString("<=")
			w.int(t.Hi)
		case t.Hi == math.MaxInt64:
			w.WriteString(">=")
			w.int(t.Lo)
		case t.Lo == t.Hi:
			w.int(t.Lo)
		default:
			w.int(t.Lo)
			w.WriteByte('-')
			w.int(t.Hi)
		}
	}
	w.WriteByte(')')
}

func (w *printer) search(s Search) {
	if len(s.Within) > 0 {
		w.WriteString("within(")
		for i, h := range s.Within {
			w.separate(i, ", ")
			w.hop(h)
		}
		w.WriteString(") ")
	}
	if s.Deep {
		w.WriteByte('?')
	}
	w.WriteString("? ")
	w.braces(s.Attrs)
}

// depthHop writes dN if the set is one depth, and depth(…) otherwise.
func (w *printer) depthHop(set DepthSet) {
	if len(set.Terms) == 1 && set.Terms[0].Lo == set.Terms[0].Hi {
		w.WriteByte('d')
		w.int(set.Terms[0].Lo)
		return
	}
	if t := set.Terms[0]; w.published && len(set.Terms) == 1 && t.Lo >= -1 && t.Hi < math.MaxInt64 {
		w.WriteByte('d')
		w.int(t.Lo)
		w.WriteString("..d")
		w.int(t.Hi)
		return
	}
	w.WriteString("depth")
	w.depths(set)
}

func (w *printer) position(p Position) {
	w.WriteByte('(')
	for i, h := range p.Hops {
		w.separate(i, ", ")
		w.hop(h)
	}
	switch p.Insert {
	case AtStart:
		w.WriteString(", ")
	case AtEnd:
		w.WriteString(", end")
	case AfterChild:
		w.WriteString(", +" + strconv.Itoa(p.N))
	case BeforeChild:
		w.WriteString(", -" + strconv.Itoa(p.N))
	}
	w.WriteByte(')')
}

func (w *printer) hop(h Hop) {
	switch h.Kind {
	case HopDepth:
		w.depthHop(h.Depth)
	case HopTurn, HopContainer:
		w.WriteString(h.Name)
	case HopOffset:
		w.int(h.Offset)
	case HopBlock:
		if h.Any {
			w.WriteByte('*')
		} else {
			w.int(h.Offset)
		}
		w.WriteString(":" + h.Name)
	case HopStep, HopDeep:
		w.WriteString([...]string{HopStep: "? ", HopDeep: "?? "}[h.Kind])
		w.braces(h.Attrs)
		return
	}
	for _, a := range h.Attrs {
		w.part(a)
	}
}
