package query

import (
	"strconv"

	"github.com/contexttree/pact/selector"
)

// expand turns the positions and searches of a group into plain steps: each hop
// becomes a step or a filter on the previous step (001 §3.6, §3.8, §3.10;
// docs/decisions.md). It returns one chain of steps or, for within(…), one chain
// for each alternative.
func expand(g selector.Group) [][]selector.Step {
	steps := make([]selector.Step, 0, len(g.Steps))
	var starts [][]selector.Step
	for _, s := range g.Steps {
		rest := s.Parts[1:]
		switch head := s.Parts[0].(type) {
		case selector.Position:
			steps = append(steps, hopSteps(head.Hops)...)
		case selector.Search:
			if s.Comb == selector.None {
				starts = searchStarts(head)
			}
			steps = append(steps, searchStep(head))
		case selector.Tag:
			if s.Comb == selector.None && g.Scope == nil { // +x at the root is ?? {tag='x'}
				steps = append(steps, regionStep("root"))
				s.Comb = selector.Descendant
			}
			steps, rest = append(steps, s), nil
		default:
			steps, rest = append(steps, s), nil
		}
		if len(rest) > 0 { // filters after a position or a search apply to its last step
			last := &steps[len(steps)-1]
			last.Parts = append(last.Parts[:len(last.Parts):len(last.Parts)], rest...)
		}
	}
	if starts == nil {
		return [][]selector.Step{steps}
	}
	for i, start := range starts {
		starts[i] = append(start, steps...)
	}
	return starts
}

// regionStep returns a first step that matches one region.
func regionStep(region string) selector.Step {
	return selector.Step{Parts: []selector.Part{selector.Region{Name: region}}}
}

// searchStep returns the step that matches the nodes that ? {…} or ?? {…} looks for.
func searchStep(s selector.Search) selector.Step {
	step := selector.Step{Comb: selector.Child, Parts: attrParts(s.Attrs)}
	if s.Deep {
		step.Comb = selector.Descendant
	}
	return step
}

// searchStarts returns the chains that lead to the nodes below which a search at
// the beginning of a group looks: the root, or one chain for each hop of
// within(…). Hops that are depths without filters share a chain.
func searchStarts(s selector.Search) [][]selector.Step {
	if len(s.Within) == 0 {
		return [][]selector.Step{{regionStep("root")}}
	}
	var depths selector.DepthSet
	var starts [][]selector.Step
	for _, h := range s.Within {
		if h.Kind == selector.HopDepth && len(h.Attrs) == 0 {
			depths.Terms = append(depths.Terms, h.Depth.Terms...)
		} else {
			starts = append(starts, hopSteps([]selector.Hop{h}))
		}
	}
	if len(depths.Terms) > 0 {
		starts = append(starts, []selector.Step{{Parts: []selector.Part{selector.DepthStep{Set: depths}}}})
	}
	return starts
}

// hopOrder returns the indexes of the hops in the order in which to follow them.
// The leading depths and turns all describe one container; among these the
// depths come first. All other hops keep their order.
func hopOrder(list []selector.Hop) []int {
	order := make([]int, 0, len(list))
	run := 0
	for run < len(list) && (list[run].Kind == selector.HopDepth || list[run].Kind == selector.HopTurn) {
		run++
	}
	for i, h := range list[:run] {
		if h.Kind == selector.HopDepth {
			order = append(order, i)
		}
	}
	for i, h := range list {
		if i >= run || h.Kind == selector.HopTurn {
			order = append(order, i)
		}
	}
	return order
}

// hopSteps returns the steps of a position. They start at the root, unless the
// first hop is a depth or a turn, which matches anywhere.
func hopSteps(list []selector.Hop) []selector.Step {
	steps := make([]selector.Step, 0, len(list)+1)
	for i, at := range hopOrder(list) {
		h := list[at]
		s := selector.Step{Comb: selector.Child}
		switch h.Kind {
		case selector.HopDepth:
			standing := []selector.Part{selector.DepthStep{Set: h.Depth}}
			if i > 0 {
				last := &steps[len(steps)-1]
				last.Parts = append(append(standing, last.Parts...), attrParts(h.Attrs)...)
				continue
			}
			s.Comb, s.Parts = selector.None, standing
		case selector.HopTurn:
			if i > 0 {
				last := &steps[len(steps)-1]
				last.Parts = append(append(last.Parts, hasDepthOfItsOwn), attrParts(h.Attrs)...)
				continue
			}
			steps = append(steps, regionStep("seq")) // every sealed turn
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
			steps = append(steps, regionStep("root"))
		}
		s.Parts = append(s.Parts, attrParts(h.Attrs)...)
		steps = append(steps, s)
	}
	return steps
}

// hasDepthOfItsOwn is the hop seg after another hop: the node is a turn, the
// active head or the system header, as for .seg:depth(…).
var hasDepthOfItsOwn = selector.Attr{Name: "nodeType", Op: selector.Eq, Values: []selector.Literal{
	{Kind: selector.Text, Text: "mt"}, {Kind: selector.Text, Text: "^ah"}, {Kind: selector.Text, Text: "^sys"}}}

func offsetIs(n int64) selector.Attr {
	return selector.Attr{Name: "offset", Op: selector.Eq,
		Values: []selector.Literal{{Kind: selector.Number, Text: strconv.FormatInt(n, 10)}}}
}

func attrParts(attrs []selector.Attr) []selector.Part {
	parts := make([]selector.Part, len(attrs), len(attrs)+1)
	for i, a := range attrs {
		parts[i] = a
	}
	return parts
}
