package tree

import (
	"context"
	"slices"
)

// Difference is a node that differs between two trees. Old is nil for a node that only the
// second tree has, New for one that only the first has.
type Difference struct {
	Old, New             *Node  // the versions in the first and in the second tree
	OldParent, NewParent string // ids of the parents, "" for the root
	OldClass, NewClass   Class  // the classes in both trees
}

// Compare calls f for each element of what [Differences] returns, until f returns false.
func Compare(a, b *Tree, f func(Difference) bool) error {
	differences, err := Differences(a, b)
	if err != nil {
		return err
	}
	for _, d := range differences {
		if !f(d) {
			return nil
		}
	}
	return nil
}

// Differences returns every node that differs between a and b: by any header,
// content or parent, or by the ttl that their cycles show. First come the nodes
// that b has, in its document order, then those that only a has, in the order
// of a.
//
// Cost: what differs. Differences skips what a and b share, by pointer or by digest,
// except for the nodes in it that will expire, if the cycles differ. A node may have
// another place in the other tree: Differences joins the nodes that only one tree has in
// a place by id, without a look at an index.
func Differences(a, b *Tree) ([]Difference, error) {
	c := comparison{a: a, b: b, times: a.Base() != b.Base(), now: make([]Difference, 0, 8)}
	m := merger{times: c.times, to: &c}
	if err := m.entries(a.root, b.root, ""); err != nil || len(c.gone) == 0 {
		return c.now, err
	}
	c.join()
	list := slices.DeleteFunc(c.now, func(d Difference) bool { return d.Old != nil && d.New != nil && !c.differs(&d) })
	for _, d := range c.gone {
		if d.New == nil {
			list = append(list, d)
		}
	}
	return list, nil
}

// comparison collects what differs.
type comparison struct {
	a, b  *Tree
	times bool
	now   []Difference // places that differ and places that only b has, in the order of b
	gone  []Difference // places that only a has, in its order
}

func (c *comparison) same(*Summary) {}

func (c *comparison) both(x, y *Entry, parent string) error {
	d := Difference{x.node, y.node, parent, parent, x.class, y.class}
	if c.differs(&d) {
		c.now = append(c.now, d)
	}
	return nil
}

func (c *comparison) onlyA(e *Entry, parent string) (failed error) {
	walk(e, parent, func(p Place, err error) bool {
		if failed = err; err == nil {
			c.gone = append(c.gone, Difference{Old: p.node, OldParent: p.Parent, OldClass: p.class})
		}
		return err == nil
	})
	return failed
}

func (c *comparison) onlyB(e *Entry, parent string) (failed error) {
	walk(e, parent, func(p Place, err error) bool {
		if failed = err; err == nil {
			c.now = append(c.now, Difference{New: p.node, NewParent: p.Parent, NewClass: p.class})
		}
		return err == nil
	})
	return failed
}

func (c *comparison) differs(d *Difference) bool {
	return d.Old.digest != d.New.digest || d.OldParent != d.NewParent || c.times && ttlDiffers(d.Old, d.New, c.a.Base(),
		c.b.Base())
}

// join finds the nodes that have a place in both trees, but not the same one.
func (c *comparison) join() {
	places := make(map[string]int, len(c.gone))
	for i := range c.gone {
		places[c.gone[i].Old.ID] = i
	}
	for i := range c.now {
		d := &c.now[i]
		if d.Old != nil {
			continue
		}
		if k, there := places[d.New.ID]; there {
			was := &c.gone[k]
			d.Old, d.OldParent, d.OldClass = was.Old, was.OldParent, was.OldClass
			was.New = d.New
		}
	}
}

func ttlDiffers(old, now *Node, oldCycle, newCycle int64) bool {
	a, _ := old.TTL(oldCycle)
	b, _ := now.TTL(newCycle)
	return a != b
}

// merger walks two trees side by side in document order, and tells a visitor what it meets.
type merger struct {
	times bool // look into equal parts for nodes that expire
	to    visitor
}

// visitor is told what two trees have. An error of both, onlyA or onlyB ends the walk.
type visitor interface {
	same(*Summary)                         // what was skipped as equal
	both(x, y *Entry, parent string) error // one place in both trees
	onlyA(e *Entry, parent string) error   // a place in the first tree, with all below it
	onlyB(e *Entry, parent string) error   // a place in the second
}

func (m *merger) entries(x, y *Entry, parent string) error {
	if x.node.ID != y.node.ID {
		if err := m.to.onlyA(x, parent); err != nil {
			return err
		}
		return m.to.onlyB(y, parent)
	}
	if x == y || x.digest == y.digest && x.class == y.class {
		return m.equal(x, parent)
	}
	if err := m.to.both(x, y, parent); err != nil {
		return err
	}
	return m.lists(x.kids, y.kids, y.node.ID)
}

// equal skips equal entries, or visits what will expire in them.
func (m *merger) equal(e *Entry, parent string) error {
	if !m.times || e.sum.Finite == 0 {
		m.to.same(&e.sum)
		return nil
	}
	if err := m.to.both(e, e, parent); err != nil {
		return err
	}
	return m.equalList(e.kids, e.node.ID)
}

func (m *merger) equalList(l *List, parent string) (failed error) {
	l.visit(context.Background(), 0, l.Len(), func(s *Summary) bool { return s.Finite > 0 }, func(e *Entry, err error) bool {
		if failed = err; err == nil && e.sum.Finite > 0 {
			failed = m.equal(e, parent)
		}
		return failed == nil
	})
	return failed
}

func (m *merger) lists(a, b *List, parent string) (err error) {
	x, y := a.Cursor(), b.Cursor()
	for err == nil {
		xl, xe := x.Peek()
		yl, ye := y.Peek()
		switch {
		case xl == nil && xe == nil && yl == nil && ye == nil:
			return nil
		case xl != nil && yl != nil:
			err = m.runs(&x, &y, xl, yl, parent)
		case xl != nil:
			var first bool
			if first, err = ahead(ye, xl); err == nil && !first {
				err = x.Enter()
			} else if err == nil {
				err = m.to.onlyB(ye, parent)
				y.Skip()
			}
		case yl != nil:
			var first bool
			if first, err = ahead(xe, yl); err == nil && !first {
				err = y.Enter()
			} else if err == nil {
				err = m.to.onlyA(xe, parent)
				x.Skip()
			}
		case ye == nil || xe != nil && entryLess(xe, ye):
			err = m.to.onlyA(xe, parent)
			x.Skip()
		case xe == nil || entryLess(ye, xe):
			err = m.to.onlyB(ye, parent)
			y.Skip()
		default:
			err = m.entries(xe, ye, parent)
			x.Skip()
			y.Skip()
		}
	}
	return err
}

// runs passes over two runs that are equal, and enters the larger of two that differ.
func (m *merger) runs(x, y *Cursor, a, b *List, parent string) (err error) {
	switch {
	case a == b || a.digest == b.digest:
		if !m.times || a.sum.Finite == 0 {
			m.to.same(&a.sum)
		} else {
			err = m.equalList(a, parent)
		}
		x.Skip()
		y.Skip()
	case a.level > b.level:
		err = x.Enter()
	case a.level < b.level:
		err = y.Enter()
	default:
		if err = x.Enter(); err == nil {
			err = y.Enter()
		}
		if err == nil {
			m.skipShared(x, y)
		}
	}
	return err
}

// ahead reports whether an item, if there is one, stands before the first one of a run.
func ahead(e *Entry, run *List) (bool, error) {
	if e == nil {
		return false, nil
	}
	first, err := run.first()
	return err == nil && entryLess(e, first), err
}

// skipShared skips what two runs of one level share by pointer at their beginning, which
// is nearly everything after an append.
func (m *merger) skipShared(x, y *Cursor) {
	a, b := &x.frames[x.n-1], &y.frames[y.n-1]
	for i := 0; i < len(a.in.items) && i < len(b.in.items); i++ {
		run, e := a.in.runBefore(i), a.in.items[i]
		if run != b.in.runBefore(i) || e != b.in.items[i] || m.times && (e.sum.Finite > 0 || run != nil &&
			run.sum.Finite > 0) {
			return
		}
		if run != nil {
			m.to.same(&run.sum)
		}
		m.to.same(&e.sum)
		a.pos, b.pos = 2*i+2, 2*i+2
	}
}

// first returns the first item of a list that has items.
func (l *List) first() (*Entry, error) {
	for {
		in, err := l.open()
		if err != nil {
			return nil, err
		}
		if l = in.runBefore(0); l == nil {
			return in.items[0], nil
		}
	}
}
