package tree

import "maps"

// KeyFamilies finds the newest members of key families during batches of edits, one after the other. The zero value is
// ready to use.
type KeyFamilies struct {
	known  map[*Entry]map[string]*Node // by key, of turns and regions with many nodes, which are searched once
	looked int                         // how many nodes were looked at; tests ask for it
	passed int                         // of those, in regions that were not worth remembering yet
}

// of keeps what is known of one entry alone, so that a batch begins with what the one before it knew of ^ah.
func (f *KeyFamilies) of(e *Entry) {
	maps.DeleteFunc(f.known, func(known *Entry, _ map[string]*Node) bool { return known != e })
}

// few is up to how many nodes KeyFamilies searches each time instead of remembering them.
const few = 64

// Newest returns the newest living member of a family (003, 001 §3.5.3), nil if there is
// none: from the active head, else from the newest turn that has one, else from ^sys. Cost:
// the turns since the newest member; once for each batch also a look at the nodes in ^ah, in
// ^sys and in turns with many nodes.
func (x *Editor) Newest(key string) (*Node, error) {
	of := family{KeyFamilies: x.families, key: key, want: Marks{Keys: Mark(key)}}
	if n, err := of.newest(x.Region(Head)); n != nil || err != nil {
		return n, err
	}
	if n, err := of.lastIn(x.Region(Seq).kids); n != nil || err != nil {
		return n, err
	}
	return of.newest(x.Region(Sys))
}

// added notes that two versions of ^ah differ only by a new node, so that what is known of the first is of the second.
func (f *KeyFamilies) added(was, is *Entry, n *Node) {
	if m := f.known[was]; m != nil && was != is {
		if n.Key != "" {
			m[n.Key] = n
		}
		delete(f.known, was)
		f.known[is] = m
	}
}

// remembered returns the newest member at and below an entry. It looks at each entry once, because entries never change.
func (f *KeyFamilies) remembered(e *Entry, key string) (*Node, error) {
	m := f.known[e]
	if m == nil {
		m, f.passed = make(map[string]*Node), 0
		if err := f.atAndBelow(m, e); err != nil {
			return nil, err
		}
		if f.known == nil {
			f.known = make(map[*Entry]map[string]*Node)
		}
		f.known[e] = m
	}
	return m[key], nil
}

// atAndBelow collects the newest members at and below an entry.
func (f *KeyFamilies) atAndBelow(m map[string]*Node, e *Entry) error {
	f.looked++
	n := e.Node()
	if newest := m[n.Key]; n.Key != "" && (newest == nil || n.CreatedNS > newest.CreatedNS) {
		m[n.Key] = n
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return err
		}
		if err := f.atAndBelow(m, k); err != nil {
			return err
		}
	}
	return nil
}

// family looks for the members of a key.
type family struct {
	*KeyFamilies
	key  string
	want Marks
}

// lastIn returns the newest member in the last item of a list that has one. It
// passes over runs whose sums rule the key out.
func (f *family) lastIn(l *List) (*Node, error) {
	if l.Len() == 0 || !l.Summary().Marks.May(f.want) {
		return nil, nil
	}
	items, runs, err := l.Parts()
	if err != nil {
		return nil, err
	}
	for i := len(items); i >= 0; i-- {
		if len(runs) > 0 {
			if n, err := f.lastIn(runs[i]); n != nil || err != nil {
				return n, err
			}
		}
		if i > 0 {
			if n, err := f.newest(items[i-1]); n != nil || err != nil {
				return n, err
			}
		}
	}
	return nil, nil
}

// inRegion returns the newest member in a region of which only the last has the key. While looking anew at the nodes
// whose marks allow it has cost less than remembering the region once, it does that: most batches are short.
func (f *family) inRegion(e *Entry) (*Node, error) {
	if f.known[e] != nil || f.passed > e.Summary().Nodes {
		return f.remembered(e, f.key)
	}
	before := f.looked
	n, err := f.marked(e.Children())
	f.passed += f.looked - before
	return n, err
}

// marked returns the first member in a list or below it.
func (f *family) marked(l *List) (*Node, error) {
	may := func(s *Summary) bool { return s.Marks.May(f.want) }
	for e, err := range l.Visit(0, l.Len(), may) {
		if err != nil || !may(e.Summary()) {
			if err != nil {
				return nil, err
			}
			continue
		}
		if f.looked++; e.Node().Key == f.key {
			return e.Node(), nil
		}
		if n, err := f.marked(e.Children()); n != nil || err != nil {
			return n, err
		}
	}
	return nil, nil
}

// newest returns the newest member at or below an entry.
func (f *family) newest(e *Entry) (found *Node, err error) {
	switch sum := e.Summary(); {
	case !sum.Marks.May(f.want):
		return nil, nil
	case sum.Nodes > few:
		return f.remembered(e, f.key)
	}
	f.looked++
	if e.Node().Key == f.key {
		found = e.Node()
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return nil, err
		}
		if n, err := f.newest(k); err != nil {
			return nil, err
		} else if n != nil && (found == nil || n.CreatedNS > found.CreatedNS) {
			found = n
		}
	}
	return found, nil
}
