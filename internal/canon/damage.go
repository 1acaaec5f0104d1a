package canon

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// Damage is what could not be read of the lines of a file.
type Damage struct {
	First error // of the first line that is no JSON, nil for none
	Cut   error // of the last line, if it is only cut short: a program may still be writing it
	gaps  []gap
}

// gap is a part of a line that is no JSON, or a note that a line holds several values.
type gap struct {
	line     int
	at       int64 // in the file
	size     int
	values   int // of a note
	zeros    bool
	cutShort bool
}

// Line returns the values of a line that begins at an offset of the file. last says that nothing follows it, and that
// some line before it was read.
func (d *Damage) Line(text []byte, at int64, number int, last bool) (values []Piece) {
	_, err := Parse(text)
	if err == nil {
		return []Piece{{Text: bytes.TrimSpace(text), Value: true}}
	}
	pieces := Salvage(bytes.TrimRight(text, "\r\n"))
	located := InLine(err, text, int(at), number)
	if last && len(pieces) == 1 && !pieces[0].Value && endsEarly(err, text) {
		d.Cut = located
		d.gaps = append(d.gaps, gap{line: number, at: at, size: len(bytes.TrimRight(text, "\r\n")), cutShort: true})
		return nil
	}
	if d.First == nil {
		d.First = located
	}
	for _, p := range pieces {
		if p.Value {
			values = append(values, p)
			continue
		}
		d.gaps = append(d.gaps, gap{line: number, at: at + int64(p.At), size: len(p.Text), zeros: allZeros(p.Text)})
	}
	if len(values) > 1 {
		d.gaps = append(d.gaps, gap{line: number, values: len(values)})
	}
	return values
}

// Tail notes the zero bytes behind a value that is the rest of a file. err is the error of the whole.
func (d *Damage) Tail(err error, data []byte, from int) {
	d.First = err
	d.gaps = append(d.gaps, gap{line: 1 + bytes.Count(data[:from], []byte("\n")), at: int64(from), size: len(data) - from, zeros: true})
}

// Say tells each gap with its line.
func (d *Damage) Say(say func(line int, what string)) {
	for _, g := range d.gaps {
		size, are, were := strconv.Itoa(g.size)+" bytes", "are", "were"
		if g.size == 1 {
			size, are, were = "1 byte", "is", "was"
		}
		place := size + " from byte " + strconv.FormatInt(g.at, 10) + " of the file on " + are
		switch {
		case g.cutShort:
			say(g.line, "it is cut short: "+place+" no whole record, and "+were+" left out")
		case g.values > 0:
			say(g.line, strconv.Itoa(g.values)+" records stand in one line; all were read")
		case g.zeros:
			say(g.line, place+" zero, as a power failure leaves them, and "+were+" left out")
		default:
			say(g.line, place+" a damaged record, no JSON, and "+were+" left out")
		}
	}
}

// endsEarly reports whether a text is not JSON only because it ends too early.
func endsEarly(err error, text []byte) bool {
	var e *fault.Error
	return errors.As(err, &e) && e.Code == fault.DocumentInvalid && e.Offset >= len(bytes.TrimSpace(text))
}

func allZeros(text []byte) bool { return len(bytes.Trim(text, "\x00 \t\r\n")) == 0 }

// mostLooked is how many lines InLines looks at.
const mostLooked = 8

// InLines reports whether a text that is no JSON value is JSON Lines, of which the first may be damaged: one of the
// first lines is a value by itself, or begins with one.
func InLines(data []byte) bool {
	at, number := 0, 0
	for n := range mostLooked {
		var text []byte
		if text, number, at = NextLine(data, at, number); text == nil {
			return false
		}
		pieces := Salvage(bytes.TrimRight(text, "\r\n"))
		if len(pieces) > 1 && allZeros(pieces[0].Text) {
			pieces = pieces[1:]
		}
		if n == 0 && bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) && (len(pieces) == 0 || !pieces[0].Value) {
			return false // a list that is damaged: what follows are its elements
		}
		if len(pieces) > 0 && pieces[0].Value && text[0] != ' ' && text[0] != '\t' {
			last := pieces[len(pieces)-1]
			if n == 0 || len(pieces) == 1 || last.Value {
				return true
			}
		}
	}
	return false
}
