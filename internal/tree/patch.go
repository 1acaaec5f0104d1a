package tree

import "slices"

// Born is a node that a patch puts under a parent.
type Born struct {
	Node   *Node  // made by [NewNode]
	Parent string // id
	New    bool   // the caller knows that the tree has no node with this id, so Patch does not look
}

// Patch returns the tree of another cycle that these changes make of this one. It does
// not check them: they were checked when they first happened, as the rows of a store
// were. born lists parents before their children. A new node is added; a node that is
// there takes the new version and, if its parent differs, moves with everything below it.
// Then Patch removes the nodes in gone with what is still below them; it ignores ids that
// are not there. Classes follow the new places. Cost: one path for each node that is
// there, and for each new node under one that is there.
func (t *Tree) Patch(cycle int64, gone []string, born []Born) (*Tree, error) {
	c := t.change()
	fresh := seedlings{at: make(map[string]int)}
	for _, b := range born {
		if _, twice := fresh.at[b.Node.ID]; twice {
			if err := c.plant(&fresh); err != nil {
				return nil, err
			}
			b.New = false
		}
		var p location
		if !b.New {
			var err error
			if p, _, err = c.lookUp(b.Node.ID); err != nil {
				return nil, err
			}
		}
		if p.node == nil {
			fresh.add(b)
			continue
		}
		if err := c.plant(&fresh); err != nil {
			return nil, err
		}
		switch {
		case p.parent != b.Parent:
			moving, err := c.detach(b.Node.ID)
			if err != nil {
				return nil, err
			}
			fresh.moved(b, moving.kids)
			if err := c.plant(&fresh); err != nil {
				return nil, err
			}
		case p.node != b.Node:
			if err := c.renew(b); err != nil {
				return nil, err
			}
		}
	}
	if err := c.plant(&fresh); err != nil {
		return nil, err
	}
	for _, id := range gone {
		if err := c.drop(id); err != nil {
			return nil, err
		}
	}
	c.cycle = cycle
	return c.result(), nil
}

// seedlings are nodes that are to be put under nodes of a tree, each with the new nodes
// below it, so that a path is copied once for all of them.
type seedlings struct {
	list []seedling // parents before their children
	at   map[string]int
}

type seedling struct {
	Born
	kids  []int // indexes of those that are new below it
	old   *List // or what came along with it
	under int   // index of its parent, -1 where that is in the tree
	class Class
	entry *Entry
}

func (s *seedlings) add(b Born) {
	under, fresh := s.at[b.Parent]
	if !fresh {
		under = -1
	} else {
		s.list[under].kids = append(s.list[under].kids, len(s.list))
	}
	s.at[b.Node.ID] = len(s.list)
	s.list = append(s.list, seedling{Born: b, under: under})
}

// moved adds a node that leaves its place together with everything below it.
func (s *seedlings) moved(b Born, kids *List) {
	s.add(b)
	s.list[len(s.list)-1].old = kids
}

// plant puts the new nodes into the tree. Their parent may become a container.
func (c *change) plant(s *seedlings) error {
	var room [8]*Entry
	for i := range s.list {
		n := &s.list[i]
		var above Class
		if n.under >= 0 {
			above = s.list[n.under].class
		} else {
			path, err := c.AppendPath(room[:0], n.Parent)
			if err != nil {
				return err
			}
			above = c.classAround(path)
		}
		n.class = ClassOf(n.Node.Type, above, n.old != nil || len(n.kids) > 0)
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		n := &s.list[i]
		kids := n.old
		if len(n.kids) > 0 {
			items := make([]*Entry, len(n.kids))
			for k, at := range n.kids {
				items[k] = s.list[at].entry
			}
			slices.SortFunc(items, compareEntries)
			kids = listOf(items)
		}
		n.entry = newEntry(n.Node, n.class, kids)
	}
	for i := 0; i < len(s.list); i++ {
		if s.list[i].under >= 0 {
			continue
		}
		path, err := c.AppendPath(room[:0], s.list[i].Parent)
		if err != nil {
			return err
		}
		under := path[len(path)-1]
		kids := under.kids
		parent := s.list[i].Parent
		for ; i < len(s.list) && (s.list[i].under >= 0 || s.list[i].Parent == parent); i++ {
			if n := &s.list[i]; n.under < 0 {
				if kids, err = kids.insert(n.entry); err != nil {
					return err
				}
				if err := c.indexAll(n.entry, parent); err != nil {
					return err
				}
			}
		}
		i--
		if err := c.rebuild(path, newEntry(under.node, c.classAround(path), kids)); err != nil {
			return err
		}
	}
	s.list = s.list[:0]
	clear(s.at)
	return nil
}

// classAround returns the class of the node at the end of a path once it has children.
func (c *change) classAround(path []*Entry) Class {
	above := Root
	if len(path) > 1 {
		above = path[len(path)-2].class
	}
	return ClassOf(path[len(path)-1].node.Type, above, true)
}

func compareEntries(a, b *Entry) int {
	switch {
	case entryLess(a, b):
		return -1
	case entryLess(b, a):
		return 1
	}
	return 0
}

// renew is swap for a version that may be of another type.
func (c *change) renew(b Born) error {
	var room [8]*Entry
	path, err := c.AppendPath(room[:0], b.Node.ID)
	if err != nil {
		return err
	}
	e, above := path[len(path)-1], Root
	if len(path) > 1 {
		above = path[len(path)-2].class
	}
	c.unindex(e.node)
	if err := c.rebuild(path, newEntry(b.Node, ClassOf(b.Node.Type, above, e.kids != nil), e.kids)); err != nil {
		return err
	}
	c.index(b.Node, b.Parent)
	return nil
}

// Delta returns what [Tree.Patch] needs to make next of t: the nodes that are gone, and
// those that are new, changed or elsewhere. Cost: that of [Compare].
func (t *Tree) Delta(next *Tree) (gone []string, born []Born, err error) {
	err = Compare(t.WithCycle(next.cycle), next, func(d Difference) bool {
		if d.New == nil {
			gone = append(gone, d.Old.ID)
		} else {
			born = append(born, Born{Node: d.New, Parent: d.NewParent})
		}
		return true
	})
	return gone, born, err
}

// Equal reports whether two versions agree in every header and in content.
func (n *Node) Equal(o *Node) bool { return n.digest == o.digest }

// Intact reports whether headers and content are as they were when the node was made.
func (n *Node) Intact() bool { return n.sum() == n.digest }
