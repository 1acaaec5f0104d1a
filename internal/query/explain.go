package query

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/selector"
)

// Explain says how the plan finds its nodes. It leaves the counts in the answer
// at 0: only a run knows them, and its [Result] has them.
func (p *Plan) Explain() inspect.Explanation {
	x := inspect.Explanation{Selector: p.source.String(), Edition: string(p.source.Edition), Order: p.orderText()}
	for i, f := range p.fragments {
		x.Groups = append(x.Groups, f.explainFragment(p.source.Groups[i].Else)...)
	}
	for i := range p.groups {
		if p.fragments != nil {
			break
		}
		g := &p.groups[i]
		group := inspect.ExplainedGroup{Text: textOfGroup(p.source.Groups[g.source])}
		for n := range g.steps {
			group.Steps = append(group.Steps, p.explain(g, n))
		}
		x.Groups = append(x.Groups, group)
	}
	if len(p.keySetChoice) > 0 {
		x.Choice = textOf(selector.Step{Parts: p.keySetChoice})
	}
	for _, c := range p.source.Controls {
		if c.Kind >= selector.ControlUnique {
			x.Window = append(x.Window, c.String())
		}
	}
	return x
}

// explainFragment explains what runs by itself for a fragment of a list (1.0 04 §5.1).
func (p *Plan) explainFragment(otherwise bool) []inspect.ExplainedGroup {
	x := p.Explain()
	if x.Choice != "" {
		steps := x.Groups[0].Steps
		steps[len(steps)-1].Reach += ", then " + x.Choice + " of all of the key"
	}
	if otherwise {
		x.Groups[0].Text = "?? " + x.Groups[0].Text
		x.Groups[0].Steps[0].Reach += ", if nothing was found before"
	}
	return x.Groups
}

func (p *Plan) orderText() string {
	if p.fragments != nil && p.order == "" {
		return "in the order of the list, each fragment by itself"
	}
	turns := "oldest turn first"
	if p.newestFirst {
		turns = "newest turn first"
	}
	switch {
	case p.order == "post":
		return "children before their parent, " + turns
	case p.order == "bfs":
		return "level by level, " + turns
	case p.order == "path":
		return "by the ids from the root down"
	case p.order == "" && p.keySet:
		return "a same-key set, newest first"
	}
	return "document order, " + turns
}

// textOf is the canonical text of steps.
func textOf(steps ...selector.Step) string { return textOfGroup(selector.Group{Steps: steps}) }

func textOfGroup(g selector.Group) string {
	g.Else = false
	return (&selector.Selector{Groups: []selector.Group{g}}).String()
}

func (p *Plan) explain(g *group, n int) inspect.ExplainedStep {
	s, bit := &g.steps[n], uint64(1)<<n
	x := inspect.ExplainedStep{Text: textOf(selector.Step{Parts: s.parts})}
	if g.childSteps&bit != 0 {
		x.Text = "> " + x.Text
	}
	turns := turnsOf(s.depths)
	switch {
	case s.idIndex >= 0:
		x.Reach = "id index: the path to " + p.ids[s.idIndex]
	case turns != "":
		x.Reach = "rank look-up of " + turns
	case g.regionSteps&bit != 0:
		x.Reach = "the root and its regions"
	case g.childSteps&bit != 0:
		x.Reach = "all children"
	default:
		x.Reach = "all below"
	}
	if g.zoneSteps&bit != 0 {
		x.Reach += ", in that part of a turn"
	}
	if g.pickSteps&bit != 0 {
		x.Reach += ", one of each parent"
	}
	for _, need := range s.needs {
		if text := "summaries: " + need.set + " " + need.value; !slices.Contains(x.Skips, text) {
			x.Skips = append(x.Skips, text)
		}
	}
	return x
}

// turnsOf names the depths that the walk visits, "" if it visits all.
func turnsOf(depths [][]interval) string {
	if len(depths) == 0 {
		return ""
	}
	var list []string
	for _, d := range depths[0] {
		switch {
		case d.lo > d.hi:
		case d.lo == d.hi:
			list = append(list, strconv.FormatInt(d.lo, 10))
		case d.lo == math.MinInt64:
			list = append(list, "up to "+strconv.FormatInt(d.hi, 10))
		case d.hi == math.MaxInt64:
			list = append(list, strconv.FormatInt(d.lo, 10)+" and more")
		default:
			list = append(list, strconv.FormatInt(d.lo, 10)+"–"+strconv.FormatInt(d.hi, 10))
		}
	}
	if list == nil {
		return "no depth"
	}
	return "depth " + strings.Join(list, ", ")
}
