package tree

// Cursor steps through a list in canonical order, run by run and item by item:
// a run can be skipped whole or entered. It allocates nothing.
type Cursor struct {
	frames [maxLevels + 1]frame
	n      int
}

// maxLevels is how many levels a list can have, see levelOf.
const maxLevels = 16

// frame is a list and a position in it: 2i stands for the run before item i,
// 2i+1 for item i. The first frame is alone: its list is the one run in it.
type frame struct {
	list  *List
	pos   int
	alone bool
}

// Cursor returns a cursor ahead of the list, which is its first run.
func (l *List) Cursor() Cursor {
	var c Cursor
	if l != nil {
		c.frames[0] = frame{list: l, alone: true}
		c.n = 1
	}
	return c
}

// Peek returns the run or the item that comes next, neither at the end.
func (c *Cursor) Peek() (run *List, item *Entry) {
	for c.n > 0 {
		top := &c.frames[c.n-1]
		switch i := top.pos / 2; {
		case top.alone && top.pos == 0:
			return top.list, nil
		case top.alone:
			c.n--
		case top.pos%2 == 0:
			if l := top.list.runBefore(i); l != nil {
				return l, nil
			}
			top.pos++
		case i < len(top.list.items):
			return nil, top.list.items[i]
		default:
			c.n--
		}
	}
	return nil, nil
}

// Skip passes over what Peek returned.
func (c *Cursor) Skip() { c.frames[c.n-1].pos++ }

// Enter goes into the run that Peek returned.
func (c *Cursor) Enter() {
	top := &c.frames[c.n-1]
	l := top.list
	if !top.alone {
		l = l.runBefore(top.pos / 2)
	}
	top.pos++
	c.frames[c.n] = frame{list: l}
	c.n++
}
