package pact

import (
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
// Cost: the turns since the newest member, and O(log n).
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
	if newest := newestOf(t, s.Key); newest != nil && (b.editor.Cycle-newest.Cycle < every || t.Path(newest.ID)[1].Class() == tree.Head) {
		return newest.ID, false, nil
	}
	id, err = b.editor.Add("^ah", s)
	return id, err == nil, err
}

// newestOf returns the newest member of a family, nil without one: of the active
// head, of the turns from the newest on, of ^sys, as in sets of one key.
func newestOf(t *tree.Tree, key string) *Node {
	f := family{key: key, want: tree.Marks{Keys: tree.Mark(key)}}
	for _, region := range [...]tree.Class{tree.Head, tree.Seq, tree.Sys} {
		if n := f.lastIn(t.Region(region).Children()); n != nil {
			return n
		}
	}
	return nil
}

// family looks for the members of a key.
type family struct {
	key  string
	want tree.Marks
}

// lastIn returns the newest member in the last item of a list that has one. It
// passes over runs whose sums rule the key out.
func (f *family) lastIn(l *tree.List) *Node {
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
func (f *family) newest(e *tree.Entry) (found *Node) {
	if !e.Summary().Marks.May(f.want) {
		return nil
	}
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
