package splice

import (
	"bytes"
	"cmp"
	"slices"
)

// Edits collects changes of one body. An edit inside of what another edit removes or
// replaces is dropped.
type Edits struct {
	replaced []edit
	lists    map[int]*changed // lists and objects with elements to remove or to add, by their start
}

type edit struct {
	start, end int
	text       []byte
}

// changed is a list or an object whose elements change.
type changed struct {
	of    Value
	gone  []bool
	added [][][]byte // texts that stand before the i-th element; the last ones at the end
}

// Empty reports whether there is nothing to do.
func (e *Edits) Empty() bool { return len(e.replaced) == 0 && len(e.lists) == 0 }

// Replace writes a text in place of a value.
func (e *Edits) Replace(v Value, text []byte) {
	e.replaced = append(e.replaced, edit{v.Start, v.End(), text})
}

func (e *Edits) in(of Value) *changed {
	if e.lists == nil {
		e.lists = map[int]*changed{}
	}
	c := e.lists[of.Start]
	if c == nil {
		n := len(of.Elems) + len(of.Members)
		c = &changed{of: of, gone: make([]bool, n), added: make([][][]byte, n+1)}
		e.lists[of.Start] = c
	}
	return c
}

// Remove removes the i-th element of a list, or member of an object.
func (e *Edits) Remove(of Value, i int) { e.in(of).gone[i] = true }

// RemoveMember removes a member of an object, if it has one.
func (e *Edits) RemoveMember(of Value, name string) {
	if at := of.index(name); at >= 0 {
		e.Remove(of, at)
	}
}

// Insert adds a text before the i-th element of a list or member of an object; at its end
// for the number of its elements. Texts at one place come in the order of the calls.
func (e *Edits) Insert(of Value, i int, text []byte) {
	c := e.in(of)
	c.added[i] = append(c.added[i], text)
}

// span returns where the i-th element begins and ends.
func (c *changed) span(i int) (start, end int) {
	if len(c.of.Members) > 0 {
		m := c.of.Members[i]
		return m.Start, m.Value.End()
	}
	return c.of.Elems[i].Start, c.of.Elems[i].End()
}

// edits rewrites what stands between two elements that stay, where something changed there.
func (c *changed) edits(body []byte) (list []edit) {
	n := len(c.gone)
	end := c.of.Start + 1 // the end of the last element that stays, or the bracket
	kept := false
	from := 0 // the first element after it
	for i := 0; i <= n; i++ {
		if i < n && c.gone[i] {
			continue
		}
		upTo := c.of.End() - 1
		if i < n {
			upTo, _ = c.span(i)
		}
		texts := slices.Concat(c.added[from : i+1]...)
		switch {
		case len(texts) > 0:
			between := bytes.Join(texts, []byte(","))
			if kept {
				between = append([]byte(","), between...)
			}
			if i < n {
				between = append(between, ',')
			}
			list = append(list, edit{end, upTo, between})
		case from < i && kept && i < n: // one of the separators stays
			_, before := c.span(i - 1)
			list = append(list, edit{end, upTo, body[before:upTo]})
		case from < i && i < n: // what stood behind the bracket stays
			first, _ := c.span(from)
			list = append(list, edit{first, upTo, nil})
		case from < i:
			list = append(list, edit{end, upTo, nil})
		}
		if i < n {
			_, end = c.span(i)
			kept, from = true, i+1
		}
	}
	return list
}

// Apply returns the body with all edits.
func (e *Edits) Apply(body []byte) []byte {
	all := slices.Clone(e.replaced)
	for _, c := range e.lists {
		all = append(all, c.edits(body)...)
	}
	slices.SortStableFunc(all, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	stay, size, at := all[:0], len(body), 0
	for _, one := range all {
		if one.start >= at {
			stay, size, at = append(stay, one), size+len(one.text)-(one.end-one.start), one.end
		}
	}
	out, at := make([]byte, 0, size), 0
	for _, one := range stay {
		out = append(append(out, body[at:one.start]...), one.text...)
		at = one.end
	}
	return append(out, body[at:]...)
}
