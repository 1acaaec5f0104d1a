package selector

import (
	"math"
	"strings"
)

// controls lists what may follow "@" behind the steps (001 §4): a number not
// below least, one of the words, or nothing.
var controls = []struct {
	name  string
	kind  ControlKind
	least int64 // for a number; -1 where none is taken
	words []string
}{
	{"mode", ControlMode, -1, []string{"union", "latest", "reduce"}},
	{"order", ControlOrder, -1, []string{"pre", "post", "bfs", "path", "turn:asc,pre", "turn:desc,pre"}},
	{"unique", ControlUnique, -1, nil},
	{"limit", ControlLimit, 0, nil},
	{"p", ControlPage, 1, nil},
	{"first", ControlFirst, -1, nil},
}

// control reads one control behind the steps (001 §4). Each may be given once.
func (p *parser) control(gap bool) error {
	start := p.pos
	p.take("@")
	c, err := p.controlName(start)
	if err != nil && p.traits.Fragments {
		return p.foreignControl(start, gap)
	}
	if err != nil {
		return err
	}
	token := p.text[start:p.pos]
	if err := p.need(aControl, start, token); err != nil {
		return err
	}
	switch {
	case !gap:
		return p.invalid(start, "there is no space before the control", "write a space before "+token)
	case c.Kind == ControlMode && p.time == nil:
		return p.invalid(start, "@mode stands without the address of snapshots",
			"begin with their address, such as @t0..@t-3")
	case c.Kind == ControlPage:
		p.page = start
	}
	for _, other := range p.controls {
		if other.Kind == c.Kind {
			return p.invalid(start, token+" is given twice", "keep one of them")
		}
	}
	if err := p.controlValue(&c); err != nil {
		return err
	}
	if isWordByte(p.peek(0)) {
		return p.unexpected("a space or the end", "separate the controls with spaces")
	}
	p.controls = append(p.controls, c)
	return nil
}

// controlName reads the word behind "@".
func (p *parser) controlName(start int) (Control, error) {
	word := p.word()
	names := make([]string, len(controls))
	for i, known := range controls {
		if known.name == word {
			return Control{Kind: known.kind}, nil
		}
		names[i] = "@" + known.name
	}
	return Control{}, p.invalid(start, "there is no such control",
		"the controls are "+strings.Join(names, ", ")+"; the address of a snapshot comes first")
}

// foreignControl reads @name, @name=value or @* behind the steps, which mean nothing here: they are
// for other programs (1.0 04 §4). The cursor is behind the name.
func (p *parser) foreignControl(start int, gap bool) error {
	there := parser{scanner: scanner{text: p.text, pos: start + 1}, edition: p.edition, traits: p.traits}
	at, err := there.point(start, 0)
	point := err == nil && at.Axis != '*' && !isWordByte(there.peek(0))
	if point || p.text[start:p.pos] == "@history" {
		return p.invalid(start, "an address stands behind the selector", wholeRemedy)
	}
	if p.text[start+1:p.pos] == "" && !p.take("*") {
		return p.unexpected("the name of a control", "write one such as @limit=5")
	}
	if p.take("=") {
		if _, err := p.literal(); err != nil {
			return err
		}
	}
	token := p.text[start:p.pos]
	if !gap || isWordByte(p.peek(0)) {
		return p.invalid(start, "there is no space around the control", "write a space before and after "+clip(token))
	}
	if len(p.ignored) == MaxParts {
		return p.tooMany(start, MaxParts, "controls")
	}
	p.ignored = append(p.ignored, token)
	return nil
}

// controlValue reads what the control takes behind "=".
func (p *parser) controlValue(c *Control) error {
	known := controls[c.Kind]
	if known.least < 0 && known.words == nil {
		return nil
	}
	if !p.take("=") {
		return p.unexpected("=", "write @"+known.name+"=…")
	}
	if known.words == nil {
		start := p.pos
		n, ok := p.digits()
		if !ok {
			return p.unexpected("a whole number", "write @"+known.name+"=N")
		}
		if n < known.least {
			return p.invalid(start, "the number is too small", "the first page is @p=1")
		}
		c.N = int(min(n, math.MaxInt32))
		return nil
	}
	for _, word := range known.words {
		mark := p.pos
		if p.take(word) && !isWordByte(p.peek(0)) {
			c.Word = word
			return nil
		}
		p.pos = mark
	}
	return p.unexpected("another word", "@"+known.name+" is one of "+strings.Join(known.words, " | "))
}
