package calllog

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
)

// record is one value of a log: in memory, or in a file, from which it is read each time it is asked for.
type record struct {
	inMemory raw
	line     int        // counted from 1; in a file that is one value, where the value begins
	of       *valueFile // where the value stands, nil for one in memory
	at       int64
	size     int
}

func (e record) raw() raw {
	if e.of == nil {
		return e.inMemory
	}
	return e.of.read(e.at, e.size)
}

func (e record) fields() fields         { return e.raw().fields() }
func (e record) value() canon.Any       { return e.raw().value() }
func (e record) member(name string) raw { return e.raw().member(name) }

// valueFile reads the values of a file, mostly one after another. The first error stays: a value is empty then.
type valueFile struct {
	file   io.ReaderAt
	window []byte // of the file
	from   int64  // where it begins
	last   raw    // what was read last, and where: a value is mostly asked for several things
	lastAt int64
	err    error
}

// windowBytes is how much of a file is read at once.
const windowBytes = 256 << 10

// read returns a copy of a part of the file, which nobody changes.
func (t *valueFile) read(at int64, size int) raw {
	if at == t.lastAt && size == len(t.last) {
		return t.last
	}
	if at < t.from || at+int64(size) > t.from+int64(len(t.window)) {
		t.from, t.window = at, slices.Grow(t.window[:0], max(windowBytes, size))[:max(windowBytes, size)]
		n, err := t.file.ReadAt(t.window, at)
		if t.window = t.window[:n]; n < size {
			t.window, t.err = t.window[:0], cmp.Or(t.err, err)
			return nil
		}
	}
	is := make(raw, size) // its capacity tells [record.under] where a part begins
	copy(is, t.window[at-t.from:])
	t.last, t.lastAt = is, at
	return is
}

// wrappers are the members in which services put the list of what they export.
var wrappers = []string{"data", "logs", "requests", "entries", "items", "records", "results", "generations",
	"observations", "traces", "trajectories"}

// recordsOf returns the values of a file: of JSON Lines each line, of a list each element. Damaged lines give the
// values that they still hold; what was left out of them is in d. E_DOCUMENT_INVALID with line and offset for a single
// value that is not JSON. byLine says that the lines were recognized one by one.
func recordsOf(data []byte, byLine bool) (list []record, d canon.Damage, err error) {
	first, number, rest := canon.NextLine(data, 0, 0)
	_, err = canon.Parse(first)
	s := canon.Scanner{Data: data[rest-len(first):]}
	alone := err == nil || len(s.Value()) == len(bytes.TrimSpace(first)) // a damaged line is one all the same
	if lines := byLine || alone && len(bytes.TrimSpace(data[rest:])) > 0; !lines {
		if err != nil {
			_, err = canon.Parse(data)
		}
		if whole := bytes.TrimRight(data, "\x00"); err != nil && len(whole) < len(data) {
			d.Tail(canon.InLine(err, data, 0, 0), data, len(whole))
			data = whole
			_, err = canon.Parse(data)
		}
		if err != nil {
			return nil, d, canon.InLine(err, data, 0, 0)
		}
		return elementsOf(bytes.TrimSpace(data), number), d, nil
	}
	for at, line := 0, 0; ; {
		text, number, next := canon.NextLine(data, at, line)
		if text == nil {
			return list, d, nil
		}
		last := len(bytes.TrimSpace(data[next:])) == 0
		for _, p := range d.Line(text, int64(next-len(text)), number, last && len(list) > 0) {
			list = append(list, record{inMemory: p.Text, line: number})
		}
		at, line = next, number
	}
}

// elementsOf returns the elements of a list, and of an object that wraps a
// list. Any other value is the only one.
func elementsOf(data []byte, line int) []record {
	list := raw(data)
	if f := list.fields(); f != nil && apiOf(f) == "" && shapeOf(f) == "" {
		if wrapped, _ := f.first(wrappers...); wrapped.kind() == canon.KindArray {
			if elements := wrapped.elems(); len(elements) > 0 && elements[0].kind() == canon.KindObject {
				list = wrapped
			}
		}
	}
	if list.kind() != canon.KindArray {
		return []record{{inMemory: list, line: line}}
	}
	return record{inMemory: data, line: line}.under(list)
}

// under returns the elements of a list that is a part of the entry, each with its line.
func (e record) under(list raw) (all []record) {
	at, line, whole := 0, e.line, e.raw()
	for _, r := range list.elems() {
		// Every element is a part of the entry, so its capacity says where it begins.
		begins := cap(whole) - cap(r)
		line += bytes.Count(whole[at:begins], []byte("\n"))
		at = begins
		all = append(all, record{inMemory: r, line: line})
	}
	return all
}

// findings collects what a reader could not map, one finding for each reason.
type findings struct {
	order []string
	count map[string]int
	line  map[string]int // the first
	lines map[int]bool   // all lines that are named

	refused       error  // why nothing is read of the file, nil if it is
	texts         *texts // for what calls say
	records, left int64  // of a log of bodies: how many values it has, and how many were left out
}

// add notes that something was left out in a line, 0 if it has none.
func (f *findings) add(line int, why string) {
	f.note(line, why)
	f.leaveOut(line)
}

// leaveOut says that a finding is about a line, besides the one that it names.
func (f *findings) leaveOut(line int) {
	if f.lines == nil {
		f.lines = map[int]bool{}
	}
	f.lines[line] = true
}

// note notes something about a line of which everything may have been read.
func (f *findings) note(line int, why string) {
	if f.count == nil {
		f.count, f.line = map[string]int{}, map[string]int{}
	}
	if f.count[why] == 0 {
		f.order = append(f.order, why)
		f.line[why] = line
	}
	f.count[why]++
}

// refuse notes the error with which the file is refused.
func (f *findings) refuse(err error) { f.refused = err }

// names reports whether a finding is about a line.
func (f *findings) names(line int) bool { return f.lines[line] }

// list returns the findings in the order in which their reasons came up.
func (f *findings) list() []inspect.Finding {
	var list []inspect.Finding
	for _, why := range f.order {
		text := why
		if line := f.line[why]; line > 0 {
			text = "line " + strconv.Itoa(line) + ": " + why
		}
		if n := f.count[why]; n > 1 {
			text += " (and " + strconv.Itoa(n-1) + " more like it)"
		}
		list = append(list, inspect.Finding{Code: fault.DocumentInvalid, Message: text})
	}
	return list
}
