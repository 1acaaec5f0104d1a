package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
)

// manyNear is for how many nodes Trace asks the index of a segment. A node with more children reads
// all segments.
const manyNear = 256

// Trace implements [Contexts]. It reads the segments that say of themselves that they touch the
// node or what was under it or referred to it, and the cycles that no segment has yet.
func (e *Engine) Trace(ctx context.Context, key history.Key, id string) (list []history.Entry, err error) {
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		near := map[string]bool{id: true} // with every node that ever was under it or referred to it
		err := e.touching(ctx, l, l.last.revision, []string{id}, func(x *record) {
			for i := range x.rows {
				if r := &x.rows[i]; r.parent == id || r.refersTo(id) {
					near[r.id] = true
				}
			}
		})
		if err != nil {
			return err
		}
		list = nil
		var cycle []history.Entry // what was said of the cycle before x
		touched := false
		note := func() {
			if touched {
				list = append(list, cycle...)
			}
			cycle, touched = cycle[:0], false
		}
		ids := slices.Collect(maps.Keys(near))
		if len(ids) > manyNear {
			ids = nil
		}
		err = e.touching(ctx, l, l.last.revision, ids, func(x *record) {
			if len(cycle) > 0 && cycle[0].Cycle != x.entry.Cycle {
				note()
			}
			cycle = append(cycle, x.entry)
			touched = touched || x.touches(near, id)
		})
		note()
		return err
	})
	return list, err
}

// touches reports whether a record says something of a node or of those near it.
func (x *record) touches(near map[string]bool, id string) bool {
	for i := range x.rows {
		if r := &x.rows[i]; r.id == id || len(near) > 1 && near[r.id] {
			return true
		}
	}
	return slices.ContainsFunc(x.gone, func(gone string) bool { return near[gone] }) ||
		mayName(x.entry.Report, id) && slices.Contains(textsIn(x.entry.Report), id)
}

// mayName reports whether a value may have an id among its texts: JSON writes a plain id as it is.
func mayName[T ~string | ~[]byte](value T, id string) bool {
	if len(value) == 0 || strings.Contains(string(value), id) {
		return len(value) > 0
	}
	return strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"\\/<>&", r) })
}

// touching calls f with the records up to a revision, oldest first, but for those of the segments that
// touch none of some ids. No ids stand for all.
func (e *Engine) touching(ctx context.Context, l *branch, upTo int64, ids []string, f func(*record)) error {
	if l.up != nil {
		if err := e.touching(ctx, l.up, min(upTo, l.origin.Revision), ids, f); err != nil {
			return err
		}
	}
	list, err := e.segments(ctx, l)
	if err != nil {
		return err
	}
	next := l.origin.Revision + 1
	read := func(to int64) error {
		for x, err := range e.records(ctx, l, next, min(to, upTo)) {
			if err != nil {
				return err
			}
			f(x)
		}
		return nil
	}
	for _, x := range list {
		if ids == nil || slices.ContainsFunc(ids, x.may) {
			if err := read(x.last); err != nil {
				return err
			}
		}
		next = x.last + 1
	}
	return read(upTo)
}

// refersTo reports whether the node of a row refers to another.
func (r *row) refersTo(id string) bool {
	return mayName(r.refsText(), id) && slices.Contains(r.refs(), id)
}

// refs returns the ids that the node of a row refers to.
func (r *row) refs() []string {
	text := r.refsText()
	if text == "" {
		return nil
	}
	var ids []string
	_ = json.Unmarshal([]byte(text), &ids) // a value that is no list of ids refers to nothing
	return ids
}

func (r *row) refsText() canon.Value {
	for i := range r.head.headers {
		if h := &r.head.headers[i]; h.Name == "refs" {
			return h.Value
		}
	}
	return ""
}

// textsIn returns the texts of a report, which are ids and others.
func textsIn(report json.RawMessage) (list []string) {
	if len(report) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(report))
	for {
		t, err := d.Token()
		if err != nil {
			return list
		}
		if text, ok := t.(string); ok {
			list = append(list, text)
		}
	}
}
