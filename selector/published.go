package selector

import "strings"

// Published returns the selector of an older edition in the words of edition 1.0, for the same nodes, and what
// it cannot say for sure or at all; nil if it cannot be written. A list gives its groups one after the other
// there, which matters only where a control depends on the order. keyless says of an id whether a node without a
// key has it, which #id of edition canonical finds and that of 1.0 does not.
func (s *Selector) Published(keyless func(id string) bool) (*Selector, []string) {
	old := s.Edition.Traits()
	c := converter{old: old, keyless: keyless}
	made := &Selector{Edition: V1, Time: publishedTime(s.Time, old), Controls: s.Controls, Ignored: s.Ignored}
	if len(s.Groups) > 1 && len(s.Controls) > 0 {
		c.doubt("the groups of a list come one after the other, which the controls notice")
	}
	for _, g := range s.Groups {
		steps := make([]Step, 0, len(g.Steps))
		for i, step := range g.Steps {
			steps = append(steps, c.step(step, i == 0)...)
		}
		made.Groups = append(made.Groups, Group{Steps: steps})
	}
	if c.lost {
		return nil, c.doubts
	}
	again, err := Parse(made.String(), V1)
	if err != nil {
		return nil, append(c.doubts, err.Error())
	}
	return again, c.doubts
}

// publishedTime shifts an address by one: @t0 of 1.0 is the working state.
func publishedTime(t *Time, old Traits) *Time {
	if t == nil {
		if old.DefaultWorking {
			return nil
		}
		return &Time{Kind: Single, From: Point{Axis: 't', N: -1}}
	}
	shifted := *t
	for _, p := range [...]*Point{&shifted.From, &shifted.To} {
		if p.Axis == 't' && !p.Oldest && !old.T0Working {
			p.N--
		}
	}
	return &shifted
}

// converter writes the steps of an older edition for 1.0.
type converter struct {
	old     Traits
	keyless func(string) bool
	doubts  []string
	lost    bool // something cannot be written
}

func (c *converter) doubt(text string) { c.doubts = append(c.doubts, text) }

func (c *converter) lose(text string) {
	c.doubt(text)
	c.lost = true
}

// step returns what a step becomes: two steps for a first "? {…}".
func (c *converter) step(s Step, first bool) []Step {
	made := Step{Comb: s.Comb}
	for i, part := range s.Parts {
		switch part := part.(type) {
		case Search:
			if len(part.Within) > 0 {
				c.lose("within(…) is not part of edition 1.0")
				return nil
			}
			made.Parts = append(made.Parts, Universal{})
			for _, a := range part.Attrs {
				made.Parts = append(made.Parts, c.attr(a)...)
			}
			if !part.Deep && first {
				made.Comb = Child
				return []Step{{Parts: []Part{Region{Name: "root"}}}, made}
			}
			continue
		case Tag: // a tag of 1.0 finds a role too
			if i == 0 {
				made.Parts = append(made.Parts, Universal{})
			}
			made.Parts = append(made.Parts, Attr{Name: "tags", Op: Eq, Values: []Literal{{Text, part.Name}}})
			continue
		case Attr, Pick, DepthIs:
			if i == 0 {
				made.Parts = append(made.Parts, Universal{})
			}
		}
		made.Parts = append(made.Parts, c.part(part)...)
	}
	return []Step{made}
}

func (c *converter) part(part Part) []Part {
	switch part := part.(type) {
	case ID:
		if !c.old.HashIsKey {
			return []Part{Universal{}, Attr{Name: "id", Op: Eq, Values: []Literal{{Text, part.Name}}}}
		}
		if c.keyless(part.Name) {
			c.doubt("#" + part.Name + " finds no node without a key")
		}
	case Type:
		base, kind, in := strings.Cut(part.Name, ":")
		if in && c.old.KindInType && published[base] != "" {
			return []Part{Type{published[base]}, Attr{Name: "kind", Op: Eq, Values: []Literal{{Text, kind}}}}
		}
		if published[part.Name] != "" {
			return []Part{Type{published[part.Name]}}
		}
	case Attr:
		return c.attr(part)
	case Position:
		hops := make([]Hop, len(part.Hops))
		for i, h := range part.Hops {
			if h.Kind == HopStep || h.Kind == HopDeep {
				c.lose("a search in a position is not part of edition 1.0")
			}
			if published[h.Name] != "" {
				h.Name = published[h.Name]
			}
			attrs := h.Attrs
			h.Attrs = nil
			for _, a := range attrs {
				for _, p := range c.attr(a) {
					h.Attrs = append(h.Attrs, p.(Attr))
				}
			}
			hops[i] = h
		}
		part.Hops = hops
		return []Part{part}
	}
	return []Part{part}
}

// attr returns an attribute; a nodeType with a kind becomes two.
func (c *converter) attr(a Attr) []Part {
	if a.Name != "nodeType" || a.Op != Eq || len(a.Values) != 1 || !c.old.KindInType {
		return []Part{a}
	}
	base, kind, in := strings.Cut(a.Values[0].Text, ":")
	if published[base] == "" {
		return []Part{a}
	}
	a.Values = []Literal{{Text, published[base]}}
	if !in {
		return []Part{a}
	}
	return []Part{a, Attr{Name: "kind", Op: Eq, Values: []Literal{{Text, kind}}}}
}

// published are the words of edition 1.0 for the classes.
var published = map[string]string{"mt": "seg", "seg": "seg", "mc": "cont", "cont": "cont", "cb": "block", "block": "block"}
