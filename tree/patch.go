package tree

// Born is a node that a patch puts under a parent.
type Born struct {
	Node   *Node  // made by [NewNode]
	Parent string // id
}

// Patch returns the tree of another cycle made from this one by changes that
// were checked when they first happened, such as the rows of a store. born
// comes with parents before their children: a node that is new is added, one
// that is there already takes the new version and, where its parent differs,
// moves with everything below it. Then the nodes gone go, with what is still
// below them; ids that are not there are passed over. Classes follow the new
// places. Cost: one path for each node.
func (t *Tree) Patch(cycle int64, gone []string, born []Born) *Tree {
	c := t.change()
	for _, b := range born {
		p, there := c.lookUp(b.Node.ID)
		switch {
		case !there:
			c.place(b, nil)
		case p.parent != b.Parent:
			c.place(b, c.detach(b.Node.ID).kids)
		case p.node != b.Node:
			c.renew(b)
		}
	}
	for _, id := range gone {
		if c.Has(id) {
			c.detach(id)
		}
	}
	c.cycle = cycle
	return c.result()
}

// place is attach for a parent that may turn into a container by it.
func (c *change) place(b Born, kids *List) {
	path := c.Path(b.Parent)
	under, above := path[len(path)-1], Root
	if len(path) > 1 {
		above = path[len(path)-2].class
	}
	class := ClassOf(under.node.Type, above, true)
	e := newEntry(b.Node, ClassOf(b.Node.Type, class, kids != nil), kids)
	c.rebuild(path, newEntry(under.node, class, under.kids.insert(e)))
	walk(e, b.Parent, func(e *Entry, parent string) bool {
		c.index(e.node, parent)
		return true
	})
}

// renew is swap for a version that may be of another type.
func (c *change) renew(b Born) {
	path := c.Path(b.Node.ID)
	e, above := path[len(path)-1], Root
	if len(path) > 1 {
		above = path[len(path)-2].class
	}
	c.unindex(e.node)
	c.rebuild(path, newEntry(b.Node, ClassOf(b.Node.Type, above, e.kids != nil), e.kids))
	c.index(b.Node, b.Parent)
}

// Delta returns what Patch needs to make next of t: the nodes that are gone,
// and those that are new, changed or elsewhere. Cost: that of Compare.
func (t *Tree) Delta(next *Tree) (gone []string, born []Born) {
	Compare(t.WithCycle(next.cycle), next, func(d Difference) bool {
		if d.New == nil {
			gone = append(gone, d.Old.ID)
		} else {
			born = append(born, Born{d.New, d.NewParent})
		}
		return true
	})
	return gone, born
}

// Same reports whether two versions agree in every header and in content.
func (n *Node) Same(o *Node) bool { return n.digest == o.digest }
