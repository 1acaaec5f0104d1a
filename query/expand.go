package query

import (
	"strconv"

	"github.com/contexttree/pact/selector"
)

// expand turns the positions and searches of a group into plain steps: a hop is
// a step, or a filter on the one before it (001 §3.6, §3.8, §3.10; decisions).
func expand(g selector.Group) []selector.Step {
	steps := make([]selector.Step, 0, len(g.Steps))
	for _, s := range g.Steps {
		rest := s.Parts[1:]
		switch head := s.Parts[0].(type) {
		case selector.Position:
			steps = append(steps, hops(head.Hops)...)
		case selector.Search:
			steps = append(steps, search(head, s.Comb)...)
		case selector.Tag:
			if s.Comb == selector.None { // +x at the root is ?? {tag='x'}
				steps = append(steps, from("root"))
				s.Comb = selector.Descendant
			}
			steps, rest = append(steps, s), nil
		default:
			steps, rest = append(steps, s), nil
		}
		if len(rest) > 0 { // filters behind a position or a search apply to its last step
			last := &steps[len(steps)-1]
			last.Parts = append(last.Parts[:len(last.Parts):len(last.Parts)], rest...)
		}
	}
	return steps
}

// from is a first step that is one region.
func from(region string) selector.Step {
	return selector.Step{Parts: []selector.Part{selector.Region{Name: region}}}
}

// search is the steps of ? {…}, ?? {…} or within(…) ?? {…}.
func search(s selector.Search, comb selector.Combinator) []selector.Step {
	found := selector.Step{Comb: selector.Child, Parts: filters(s.Attrs)}
	if s.Deep {
		found.Comb = selector.Descendant
	}
	switch {
	case comb != selector.None:
		return []selector.Step{found}
	case len(s.Within.Terms) > 0:
		return []selector.Step{{Parts: []selector.Part{selector.DepthStep{Set: s.Within}}}, found}
	}
	return []selector.Step{from("root"), found}
}

// hops is the steps of a position. They start at the root; a depth and a turn
// are found wherever they are, because there is one of each.
func hops(list []selector.Hop) []selector.Step {
	steps := make([]selector.Step, 0, len(list)+1)
	for i, h := range list {
		s := selector.Step{Comb: selector.Child}
		switch h.Kind {
		case selector.HopDepth:
			s.Comb, s.Parts = selector.None, []selector.Part{selector.DepthStep{Set: h.Depth}}
		case selector.HopTurn:
			if i > 0 {
				last := &steps[len(steps)-1]
				last.Parts = append(append(last.Parts, turnOrHead), filters(h.Attrs)...)
				continue
			}
			steps = append(steps, from("seq")) // every sealed turn
			s.Parts = []selector.Part{selector.Type{Name: h.Name}}
		case selector.HopContainer:
			s.Parts = []selector.Part{selector.Type{Name: h.Name}}
		case selector.HopOffset:
			s.Parts = []selector.Part{selector.Position{Hops: []selector.Hop{{Kind: h.Kind, Offset: h.Offset}}}}
		case selector.HopBlock:
			s.Parts = []selector.Part{selector.Type{Name: h.Name}}
			if !h.Any {
				s.Parts = append(s.Parts, offsetIs(h.Offset))
			}
		case selector.HopDeep:
			s.Comb = selector.Descendant
		}
		if i == 0 && h.Kind != selector.HopDepth && h.Kind != selector.HopTurn {
			steps = append(steps, from("root"))
		}
		s.Parts = append(s.Parts, filters(h.Attrs)...)
		steps = append(steps, s)
	}
	return steps
}

// turnOrHead is the hop seg behind another one: what it has come to is a turn
// or the active head.
var turnOrHead = selector.Attr{Name: "nodeType", Op: selector.Eq,
	Values: []selector.Literal{{Kind: selector.Text, Text: "mt"}, {Kind: selector.Text, Text: "^ah"}}}

func offsetIs(n int64) selector.Attr {
	return selector.Attr{Name: "offset", Op: selector.Eq, Values: []selector.Literal{{Kind: selector.Number, Text: strconv.FormatInt(n, 10)}}}
}

func filters(attrs []selector.Attr) []selector.Part {
	parts := make([]selector.Part, len(attrs), len(attrs)+1)
	for i, a := range attrs {
		parts[i] = a
	}
	return parts
}
