package canon

import "slices"

// Outline says how to parse a document whose structure the caller walks and whose
// values it only passes on. Parse reads the members named in Walk as ParseAny
// does. Of a member named in Hold, and of any other member that is a container,
// it keeps only Kind and the canonical form, which Value returns.
type Outline struct{ Walk, Hold []string } // names of members

// Parse is ParseDocument by an outline, with the same errors. The result shares no
// memory with data. Memory: the walked part, the canonical form of the rest, and
// the longest of these canonical forms once more.
func (o *Outline) Parse(data []byte) (Any, error) {
	p := newParser(data, maxDepth+envelope)
	p.outline, p.names = o, map[string]string{}
	return p.any()
}

// name reads the name of a member. If the result must not share the text, equal
// names share one copy.
func (p *parser[T]) name() (string, error) {
	const most = 1 << 10
	end := p.quoteAfterPlain()
	if p.names == nil || end < 0 {
		return p.str()
	}
	raw := p.text[p.at+1 : end]
	p.at = end + 1
	if name, known := p.names[string(raw)]; known {
		return name, nil
	}
	name := string(raw)
	if len(p.names) < most {
		p.names[name] = name
	}
	return name, nil
}

// quoteAfterPlain returns the index of the quote that closes the string at hand, or -1
// if the string holds anything but plain bytes.
func (p *parser[T]) quoteAfterPlain() int {
	i := PlainEnd(p.text, p.at+1)
	if i < len(p.text) && p.text[i] == '"' {
		return i
	}
	return -1
}

// member reads the value of a member.
func (p *parser[T]) member(name string) (Any, error) {
	if p.outline == nil || slices.Contains(p.outline.Walk, name) {
		return p.value()
	}
	if c := p.peek(); c != '{' && c != '[' && !slices.Contains(p.outline.Hold, name) {
		return p.value()
	}
	if end := p.quoteAfterPlain(); p.peek() == '"' && end >= 0 {
		text := string(p.text[p.at : end+1])
		p.at = end + 1
		return Any{Kind: KindString, held: true, Text: text}, nil
	}
	if p.scratch == nil {
		p.scratch = make([]byte, 0, len(p.text)-p.at) // at once: growing it would leave as much behind again
	}
	var err error
	if p.scratch, err = p.rewrite(p.scratch[:0]); err != nil {
		return Any{}, err
	}
	text := string(p.scratch)
	return Any{Kind: Value(text).Kind(), held: true, Text: text}, nil
}
