package selector

import "slices"

// NodeSpec describes a node to add in the notation of 001 §6: a type and what the node
// has, such as "block:text {key='hero', ttl=5} +featured".
type NodeSpec struct {
	Type  string   // as written, in either vocabulary
	Attrs []Attr   // Op is Eq, or Present for a flag; no name twice
	Tags  []string // sorted, none twice
}

// ParseNode reads the description of a node (001 §6). It means the same in every
// edition. Its errors are those of [Parse]: E_SELECTOR_INVALID and E_LIMIT.
func ParseNode(text string, e Edition) (*NodeSpec, error) {
	p, err := newParser(text, e)
	if err != nil {
		return nil, err
	}
	p.inserting, p.describes = true, true
	p.space()
	if !isLetter(p.peek(0)) {
		return nil, p.unexpected("the type of a node", nodeRemedy)
	}
	n := &NodeSpec{Type: p.key()}
	for p.space(); !p.end(); p.space() {
		switch p.peek(0) {
		case '{', '[', '(':
			err = p.nodeAttrs(n)
		case '+':
			err = p.nodeTag(n)
		default:
			err = p.unexpected("{, a +tag or the end", nodeRemedy)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(n.Tags)
	n.Tags = slices.Compact(n.Tags)
	return n, nil
}

const nodeRemedy = "a node looks like block:text {key='hero', ttl=5} +featured"

// nodeAttrs reads a block of attributes. Each attribute says what the node has: so it
// must not compare, and must not occur twice.
func (p *parser) nodeAttrs(n *NodeSpec) error {
	start := p.pos
	attrs, err := p.attrs(MaxParts - len(n.Attrs) - len(n.Tags))
	if err != nil {
		return err
	}
	for _, a := range attrs {
		switch {
		case a.Op != Eq && a.Op != Present:
			return p.invalid(start, a.Name+" is compared instead of set", "give a value with =")
		case a.Name == "nodeType":
			return p.invalid(start, "the type is given twice", "write it once, at the beginning: "+nodeRemedy)
		case slices.ContainsFunc(n.Attrs, func(other Attr) bool { return other.Name == a.Name }):
			return p.invalid(start, a.Name+" is given twice", "keep one of them")
		}
		n.Attrs = append(n.Attrs, a)
	}
	return nil
}

func (p *parser) nodeTag(n *NodeSpec) error {
	if len(n.Attrs)+len(n.Tags) >= MaxParts {
		return p.tooMany(p.pos, MaxParts, "parts of a node")
	}
	cur := step{Step: &Step{}}
	if err := p.tag(&cur); err != nil {
		return err
	}
	n.Tags = append(n.Tags, cur.Parts[0].(Tag).Name)
	return nil
}

// String prints the description in its normal form.
func (n *NodeSpec) String() string {
	var w printer
	w.WriteString(n.Type)
	if len(n.Attrs) > 0 {
		w.WriteByte(' ')
		w.braces(n.Attrs)
	}
	for _, tag := range n.Tags {
		w.WriteByte(' ')
		w.part(Tag{tag})
	}
	return w.String()
}
