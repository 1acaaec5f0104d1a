package tree

// change is a tree being made from another: the unexported edits below work on
// it and keep index and references in step.
type change struct {
	Tree
	owner *trieOwner // of the index nodes that this change made and may still change
}

func (t *Tree) change() change {
	c := change{Tree: *t, owner: new(trieOwner)}
	c.draft = nil
	return c
}

// result returns the tree made so far. Later changes do not show in it.
func (c *change) result() *Tree {
	t := c.Tree
	c.owner = new(trieOwner)
	return &t
}

// rebuild replaces the entry at the end of path by next and copies the path
// above it. next nil removes the entry.
func (c *change) rebuild(path []*Entry, next *Entry) error {
	for i := len(path) - 1; i > 0; i-- {
		parent, old := path[i-1], path[i]
		kids := parent.kids
		switch {
		case next == nil:
			var err error
			if kids, err = kids.remove(old); err != nil {
				return err
			}
		case !entryLess(old, next) && !entryLess(next, old):
			var err error
			if kids, err = kids.replace(next); err != nil {
				return err
			}
		default:
			var err error
			left, err := kids.remove(old)
			if err != nil {
				return err
			}
			kids, err = left.insert(next)
			if err != nil {
				return err
			}
		}
		class := Root
		if i > 1 {
			class = ClassOf(parent.node.Type, path[i-2].class, kids != nil)
		}
		next = newEntry(parent.node, class, kids)
	}
	c.root = next
	return nil
}

// attach puts an entry with everything below it under a parent.
func (c *change) attach(parent string, e *Entry) error {
	var room [8]*Entry
	path, err := c.AppendPath(room[:0], parent)
	if err != nil {
		return err
	}
	under := path[len(path)-1]
	class := under.class
	if class == Block { // a group of foreign type whose last child is on its way back
		class = ClassOf(under.node.Type, Root, true)
	}
	kids, err := under.kids.insert(e)
	if err != nil {
		return err
	}
	if err := c.rebuild(path, newEntry(under.node, class, kids)); err != nil {
		return err
	}
	return c.indexAll(e, parent)
}

// drop takes out a node that may be there, with everything below it.
func (c *change) drop(id string) error {
	has, err := c.Has(id)
	if has {
		_, err = c.detach(id)
	}
	return err
}

// detach takes an entry out with everything below it and returns it.
func (c *change) detach(id string) (*Entry, error) {
	var room [8]*Entry
	path, err := c.AppendPath(room[:0], id)
	if err != nil {
		return nil, err
	}
	e := path[len(path)-1]
	if err := c.rebuild(path, nil); err != nil {
		return nil, err
	}
	walk(e, "", func(p Place, failed error) bool {
		if err = failed; err == nil {
			c.unindex(p.node)
		}
		return err == nil
	})
	return e, err
}

// swap replaces a node by another version of it with the same id.
func (c *change) swap(n *Node) error {
	var room [8]*Entry
	path, err := c.AppendPath(room[:0], n.ID)
	if err != nil {
		return err
	}
	e := path[len(path)-1]
	parent, err := c.Parent(n.ID)
	if err != nil {
		return err
	}
	c.unindex(e.node)
	if err := c.rebuild(path, newEntry(n, e.class, e.kids)); err != nil {
		return err
	}
	c.index(n, parent)
	return nil
}

// indexAll indexes an entry and everything below it.
func (c *change) indexAll(e *Entry, parent string) error {
	var failed error
	walk(e, parent, func(p Place, err error) bool { // a loop over the sequence would allocate more
		if failed = err; err == nil {
			c.index(p.node, p.Parent)
		}
		return err == nil
	})
	return failed
}

func (c *change) index(n *Node, parent string) {
	c.put(n, parent)
	for _, to := range n.Refs {
		set, _ := c.refs.get(to)
		c.refs = c.refs.with(to, set.with(n.ID, true, nil), c.owner)
	}
}

// put notes where a node is.
func (c *change) put(n *Node, parent string) {
	stubbed := false
	if c.unloaded != nil {
		was, _ := c.ids.get(n.ID)
		stubbed = was.stubbed
	}
	c.ids = c.ids.with(n.ID, location{n, parent, stubbed}, c.owner)
}

// unindex forgets a node. If a stub has a node with its id, the index notes that it went.
func (c *change) unindex(n *Node) {
	was, known := c.ids.get(n.ID)
	stubbed := !known || was.stubbed
	if stubbed {
		c.ids = c.ids.with(n.ID, location{stubbed: true}, c.owner)
	} else {
		c.ids = c.ids.without(n.ID, c.owner)
	}
	for _, to := range n.Refs {
		set, _ := c.refs.get(to)
		if stubbed {
			set = set.with(n.ID, false, nil)
		} else {
			set = set.without(n.ID, nil)
		}
		if set.size == 0 {
			c.refs = c.refs.without(to, c.owner)
		} else {
			c.refs = c.refs.with(to, set, c.owner)
		}
	}
}
