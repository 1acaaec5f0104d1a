package tree

import (
	"github.com/contexttree/pact/fault"
)

// This file holds what edition 1.0 says of keys that come again: members of one family stand at
// different depths (the overlap demotion invariant, 1.0 02 §3.6), and a cadence makes new ones
// (1.0 03 §3.4, §3.5). Package commit says when.

// recurring checks the key, the cadence and the ttl of a new node under the node at the end of a path.
//
// Specification: 1.0 02 §3.6, 1.0 03 §3.4.
func (x *Editor) recurring(path []*Entry, key string, cad, ttl *int64) error {
	switch {
	case cad != nil && !x.env.Bare:
		return NoHeader("cad")
	case cad != nil && key != "" && within(path, Sys) && (ttl == nil || *ttl > *cad):
		return overlaps(path[1].node.ID, "a node of ^sys with a cadence would stand beside the next one",
			"give it a ttl of at most its cad")
	}
	return x.apart(path, key, "")
}

// recursAgain is recurring for a node under the end of path whose headers change.
func (x *Editor) recursAgain(path []*Entry, n *Node) error {
	if within(path, Sys) && n.Outlasts(x.Cycle) {
		return x.recurring(path, n.Key, &n.Cad, nil)
	}
	return x.apart(path, n.Key, n.ID)
}

// Outlasts reports whether a node is still there when its cadence, counted from a cycle, is due.
func (n *Node) Outlasts(cycle int64) bool {
	ttl, finite := n.TTL(cycle)
	return n.Cad > 0 && (!finite || ttl > n.Cad)
}

// apart checks that no node of a key but self stands at the depth of the node at the end of a path or
// at a smaller one. ^sys is outside of the sequence, and has one of its own. Cost: the turns up to
// that depth and the nodes of ^ah which may have the key; of a long batch once all of ^ah.
func (x *Editor) apart(path []*Entry, key, self string) error {
	if !x.env.Bare || key == "" || len(path) < 2 {
		return nil
	}
	of := family{KeyFamilies: x.families, key: key, want: Marks{Keys: Mark(key)}}
	region, found := path[1], (*Node)(nil)
	look := func(e *Entry) (err error) {
		if found == nil || found.ID == self {
			found, err = of.newest(e)
		}
		return err
	}
	if region.class == Seq {
		region = x.Region(Head)
		turns, from := path[1].kids, 0
		if len(path) > 2 {
			var err error
			if from, err = turns.Rank(path[2]); err != nil {
				return err
			}
		}
		may := func(s *Summary) bool { return s.Marks.May(of.want) }
		for turn, err := range turns.Visit(from, turns.Len(), may) {
			if err != nil {
				return err
			}
			if err := look(turn); err != nil {
				return err
			}
		}
	}
	if found == nil || found.ID == self {
		var err error
		if found, err = of.inRegion(region); err != nil {
			return err
		}
	}
	if found == nil || found.ID == self {
		return nil
	}
	return overlaps(found.ID, "a node of the key "+key+" stands at the same or a smaller depth",
		"remove that one, or add the node where it is the newest")
}

// disjoint is apart for every node of an entry that moves under the node at the end of a path.
func (x *Editor) disjoint(to []*Entry, e *Entry) error {
	if !x.env.Bare {
		return nil
	}
	for k, err := range e.All() {
		if err != nil {
			return err
		}
		if err := x.apart(to, k.node.Key, k.node.ID); err != nil {
			return err
		}
	}
	return nil
}

func overlaps(id, message, remedy string) error {
	return fault.OnNode(fault.OverlapViolatesODI, id, message, remedy)
}

// Repeat adds a new instance of the block at the end of a path, which may be of an earlier tree: with
// a new id, new stamps and the whole ttl again, in ^ah at the same offset, or in ^sys under the same
// parent. It returns the id.
//
// Specification: 1.0 03 §3.5.
func (x *Editor) Repeat(path []*Entry) (id string, err error) {
	e := path[len(path)-1]
	parent, offset := Head.String(), e.node.Offset
	switch {
	case within(path, Sys):
		parent = path[len(path)-2].node.ID
		if has, err := x.Has(parent); err != nil {
			return "", err
		} else if !has {
			parent = Sys.String()
		}
	case within(path, Seq) && len(path) > 3:
		offset = path[3].node.Offset
	}
	to, err := x.target(nil, parent)
	if err == nil {
		err = x.admit(&to, Block, offset, false)
	}
	if err != nil {
		return "", err
	}
	n := *e.node
	if n.Expiry != Never {
		lifetime := n.Expiry - max(n.Cycle, n.Expiry-MaxInteger)
		n.Expiry = x.Cycle + min(lifetime, MaxInteger-x.Cycle) // no document can say more
	}
	err = x.allOrNothing(func() error {
		id, err = x.copyAsNew(newEntry(&n, Block, nil), to[len(to)-1].node.ID, offset)
		return err
	})
	return id, err
}
