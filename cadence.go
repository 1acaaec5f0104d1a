package pact

import (
	"maps"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// AddEvery adds a new member of the family of a key to the active head, if
// it is time: when the family has no living member, or the newest is of at least
// as many cycles ago as every says. It returns the id of the newest member, and
// whether that was added now. Earlier members move deeper with their turns;
// there are never two in one turn.
//
// E_DOCUMENT_INVALID for a cadence below 1, without a key, and for a ttl below
// the cadence, with which members would be gone before the next one is due.
// Cost: the turns since the newest member, and O(log n); in each batch once what
// is in ^ah, in ^sys and in those of the turns that have many nodes.
func (b *Batch) AddEvery(every int64, s Spec) (id string, added bool) {
	id = b.node(func() (newest string, err error) {
		newest, added, err = b.addEvery(every, s)
		return newest, err
	})
	return id, added
}

func (b *Batch) addEvery(every int64, s Spec) (id string, added bool, err error) {
	switch {
	case every < 1:
		return "", false, fault.New(fault.DocumentInvalid, "a cadence is 1 cycle or more", "1 is every cycle")
	case s.Key == "":
		return "", false, fault.New(fault.DocumentInvalid, "a cadence is that of a key, and the node has none", "give it a key")
	case s.TTL != nil && *s.TTL < every:
		return "", false, fault.New(fault.DocumentInvalid, "the node would expire before the next one is due", "make the ttl at least the cadence, or leave it out")
	}
	t := b.editor.Tree()
	if newest := b.families.newestOf(t, s.Key); newest != nil && (b.editor.Cycle-newest.Cycle < every || t.Path(newest.ID)[1].Class() == tree.Head) {
		return newest.ID, false, nil
	}
	if id, err = b.editor.Add("^ah", tree.Spec(s)); err != nil {
		return "", false, err
	}
	b.families.added(t, b.editor.Tree(), id)
	return id, true, nil
}

// families looks for the newest members of families, for one batch.
type families struct {
	known  map[*tree.Entry]map[string]*tree.Node // by key, of turns and regions with many nodes, which are searched once
	looked int                                   // how many nodes were looked at
}

// few is how many nodes are searched rather than remembered.
const few = 64

// newestOf returns the newest member of a family, nil without one: of the active
// head, of the turns from the newest on, of ^sys, as in sets of one key.
func (f *families) newestOf(t *tree.Tree, key string) *tree.Node {
	of := family{families: f, key: key, want: tree.Marks{Keys: tree.Mark(key)}}
	for _, region := range [...]tree.Class{tree.Head, tree.Seq, tree.Sys} {
		e := t.Region(region)
		var n *tree.Node
		if region == tree.Seq || e.Summary().Nodes <= few {
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

// added says that the only difference between two trees is a node in ^ah, the
// first of its family there.
func (f *families) added(before, after *tree.Tree, id string) {
	was, is := before.Region(tree.Head), after.Region(tree.Head)
	if m := f.known[was]; m != nil {
		n := after.Node(id)
		m[n.Key] = n
		delete(f.known, was)
		f.known[is] = m
	}
}

// remember returns what collect makes of an entry, which it calls once: entries
// never change.
func (f *families) remember(e *tree.Entry, collect func(m map[string]*tree.Node, e *tree.Entry)) map[string]*tree.Node {
	m := f.known[e]
	if m == nil {
		m = make(map[string]*tree.Node)
		collect(m, e)
		if f.known == nil {
			f.known = make(map[*tree.Entry]map[string]*tree.Node)
		}
		f.known[e] = m
	}
	return m
}

// atAndBelow collects the newest members at and below an entry.
func (f *families) atAndBelow(m map[string]*tree.Node, e *tree.Entry) {
	f.looked++
	n := e.Node()
	if newest := m[n.Key]; n.Key != "" && (newest == nil || n.CreatedNS > newest.CreatedNS) {
		m[n.Key] = n
	}
	for k := range e.Children().All() {
		f.atAndBelow(m, k)
	}
}

// inTheLast collects of each family the newest member in the last child of a
// region that has one.
func (f *families) inTheLast(m map[string]*tree.Node, region *tree.Entry) {
	child := make(map[string]*tree.Node)
	for k := range region.Children().All() {
		clear(child)
		f.atAndBelow(child, k)
		maps.Copy(m, child)
	}
}

// family looks for the members of a key.
type family struct {
	*families
	key  string
	want tree.Marks
}

// lastIn returns the newest member in the last item of a list that has one. It
// passes over runs whose sums rule the key out.
func (f *family) lastIn(l *tree.List) *tree.Node {
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
func (f *family) newest(e *tree.Entry) (found *tree.Node) {
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
