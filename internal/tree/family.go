package tree

import (
	"maps"
)

// KeyFamilies finds the newest members of key families during one batch of edits. The zero
// value is ready to use. It is not safe for concurrent use.
type KeyFamilies struct {
	known  map[*Entry]map[string]*Node // by key, of turns and regions with many nodes, which are searched once
	looked int                         // how many nodes were looked at
}

// Looked returns how many nodes KeyFamilies has looked at so far.
func (f *KeyFamilies) Looked() int { return f.looked }

// few is up to how many nodes KeyFamilies searches each time instead of remembering them.
const few = 64

// Newest returns the newest living member of a family (003, 001 §3.5.3), nil if there is
// none: from the active head, else from the newest turn that has one, else from ^sys. Cost:
// the turns since the newest member; once for each tree also a look at the nodes in ^ah, in
// ^sys and in turns with many nodes.
func (f *KeyFamilies) Newest(t *Tree, key string) *Node {
	of := family{KeyFamilies: f, key: key, want: Marks{Keys: Mark(key)}}
	for _, region := range [...]Class{Head, Seq, Sys} {
		e := t.Region(region)
		var n *Node
		if region == Seq || e.Summary().Nodes <= few {
			n = of.lastIn(e.Children())
		} else {
			n = f.remember(e, f.inTheLast)[key]
		}
		if n != nil {
			return n
		}
	}
	return nil
}

// Added tells KeyFamilies that two trees differ only by a new node in ^ah, so that it can keep
// what it knows.
func (f *KeyFamilies) Added(before, after *Tree, id string) {
	was, is := before.Region(Head), after.Region(Head)
	if m := f.known[was]; m != nil {
		n := after.Node(id)
		m[n.Key] = n
		delete(f.known, was)
		f.known[is] = m
	}
}

// remember returns what collect makes of an entry. It calls collect once for each entry,
// because entries never change.
func (f *KeyFamilies) remember(e *Entry, collect func(m map[string]*Node, e *Entry)) map[string]*Node {
	m := f.known[e]
	if m == nil {
		m = make(map[string]*Node)
		collect(m, e)
		if f.known == nil {
			f.known = make(map[*Entry]map[string]*Node)
		}
		f.known[e] = m
	}
	return m
}

// atAndBelow collects the newest members at and below an entry.
func (f *KeyFamilies) atAndBelow(m map[string]*Node, e *Entry) {
	f.looked++
	n := e.Node()
	if newest := m[n.Key]; n.Key != "" && (newest == nil || n.CreatedNS > newest.CreatedNS) {
		m[n.Key] = n
	}
	for k := range e.Children().All() {
		f.atAndBelow(m, k)
	}
}

// inTheLast collects, for each family, the newest member from the last child of a region
// that has one.
func (f *KeyFamilies) inTheLast(m map[string]*Node, region *Entry) {
	child := make(map[string]*Node)
	for k := range region.Children().All() {
		clear(child)
		f.atAndBelow(child, k)
		maps.Copy(m, child)
	}
}

// family looks for the members of a key.
type family struct {
	*KeyFamilies
	key  string
	want Marks
}

// lastIn returns the newest member in the last item of a list that has one. It
// passes over runs whose sums rule the key out.
func (f *family) lastIn(l *List) *Node {
	if l.Len() == 0 || !l.Sum().Marks.May(f.want) {
		return nil
	}
	items, runs := l.Parts()
	for i := len(items); i >= 0; i-- {
		if len(runs) > 0 {
			if n := f.lastIn(runs[i]); n != nil {
				return n
			}
		}
		if i > 0 {
			if n := f.newest(items[i-1]); n != nil {
				return n
			}
		}
	}
	return nil
}

// newest returns the newest member at or below an entry.
func (f *family) newest(e *Entry) (found *Node) {
	switch sum := e.Summary(); {
	case !sum.Marks.May(f.want):
		return nil
	case sum.Nodes > few:
		return f.remember(e, f.atAndBelow)[f.key]
	}
	f.looked++
	if e.Node().Key == f.key {
		found = e.Node()
	}
	for k := range e.Children().All() {
		if n := f.newest(k); n != nil && (found == nil || n.CreatedNS > found.CreatedNS) {
			found = n
		}
	}
	return found
}
