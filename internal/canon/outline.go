package canon

import "slices"

// Outline says how a document is read of which the structure is to be walked
// and the values are not: members named in Walk are read as ParseAny does, with
// what they hold; of all others containers, and whatever is named in Hold, keep
// only Kind and their canonical form, which Value returns.
// With Names set, what would be kept is not: only Kind is there.
type Outline struct {
	Walk, Hold []string // names of members
	Names      bool     // keep no values
}

// Parse is ParseDocument by an outline, with its errors. Nothing of it shares data. Memory: what
// is walked, the canonical form of everything else, and the longest of that
// once more.
func (o *Outline) Parse(data []byte) (Any, error) {
	p := newParser(data, maxDepth+envelope)
	p.outline, p.names = o, map[string]string{}
	return p.any()
}

// name reads the name of a member. Where the text is not to be shared, names that
// come again share one copy.
func (p *parser[T]) name() (string, error) {
	const most = 1 << 10
	end := p.plainEnd()
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

// plainEnd returns the index of the quote that closes the string at hand, or -1
// where something in it does not stand for itself.
func (p *parser[T]) plainEnd() int {
	i := p.at + 1
	for i < len(p.text) && plain[p.text[i]] {
		i++
	}
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
	if p.outline.Names {
		return p.skimmed()
	}
	if end := p.plainEnd(); p.peek() == '"' && end >= 0 {
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

// skimmed reads a value and keeps nothing of it.
func (p *parser[T]) skimmed() (Any, error) {
	kind := Value(p.text[p.at:min(len(p.text), p.at+1)]).Kind()
	p.dry = true
	_, err := p.rewrite(nil)
	p.dry = false
	return Any{Kind: kind, held: true}, err
}
