package provider

import "bytes"

// events splits a stream into events (WHATWG HTML, section 9.2.6): lines that
// end in CR, LF or both, with an empty line after each event. It passes on the
// data of an event only, because in all four APIs the data includes the type of
// the event.
type events struct {
	dispatch   func(data []byte)
	most       int64  // bytes of an event that is passed on, 0 for any number
	at         int64  // bytes so far
	eventStart int64  // where the current event begins
	line       []byte // the current line so far
	data       []byte // data of the current event
	hasData    bool
	inLine     bool // the current line has a byte, which line may lack
	afterCR    bool // the last byte was a CR: an LF belongs to it
	started    bool // the first line has ended; only that line may begin with a byte order mark
}

func (e *events) write(p []byte) {
	for len(p) > 0 {
		if e.afterCR && p[0] == '\n' {
			p = p[1:]
			e.at++
			e.afterCR = false
			continue
		}
		e.afterCR = false
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			e.add(p)
			return
		}
		e.add(p[:end])
		e.at++
		e.afterCR = p[end] == '\r'
		p = p[end+1:]
		e.endLine()
	}
}

// add takes bytes of the current line. It forgets an event that is too long.
func (e *events) add(p []byte) {
	e.at += int64(len(p))
	e.inLine = e.inLine || len(p) > 0
	if e.tooLong() {
		e.line, e.data, e.hasData = nil, nil, false
		return
	}
	e.line = append(e.line, p...)
}

func (e *events) tooLong() bool { return e.most > 0 && e.at-e.eventStart > e.most }

// endLine reads the current line.
func (e *events) endLine() {
	line := e.line
	if !e.started {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		e.started = true
	}
	e.line = e.line[:0]
	if len(line) == 0 && (!e.inLine || !e.tooLong()) {
		if e.hasData {
			e.dispatch(e.data)
		}
		e.data, e.hasData, e.inLine, e.eventStart = e.data[:0], false, false, e.at
		return
	}
	e.inLine = false
	if e.tooLong() {
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
