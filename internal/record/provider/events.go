package provider

import "bytes"

// events splits a stream into events (WHATWG HTML, section 9.2.6): lines that
// end in CR, LF or both, with an empty line after each event. It passes on the
// data of an event only, because in all four APIs the data includes the type of
// the event.
type events struct {
	dispatch func(data []byte)
	line     []byte // the current line so far
	data     []byte // data of the current event
	hasData  bool
	afterCR  bool // the last byte was a CR: an LF belongs to it
	started  bool // the first line has ended; only that line may begin with a byte order mark
}

func (e *events) write(p []byte) {
	for len(p) > 0 {
		if e.afterCR && p[0] == '\n' {
			p = p[1:]
			e.afterCR = false
			continue
		}
		e.afterCR = false
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			e.line = append(e.line, p...)
			return
		}
		e.line = append(e.line, p[:end]...)
		e.afterCR = p[end] == '\r'
		p = p[end+1:]
		e.endLine()
	}
}

// endLine reads the current line.
func (e *events) endLine() {
	line := e.line
	if !e.started {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		e.started = true
	}
	e.line = e.line[:0]
	if len(line) == 0 {
		if e.hasData {
			e.dispatch(e.data)
		}
		e.data, e.hasData = e.data[:0], false
		return
	}
	// A line that begins with a colon is a comment: its field has no name.
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) != "data" {
		return
	}
	if e.hasData {
		e.data = append(e.data, '\n')
	}
	e.data, e.hasData = append(e.data, bytes.TrimPrefix(value, []byte(" "))...), true
}
