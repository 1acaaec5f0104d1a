package tree

// Cursor steps through a list in canonical order, run by run and item by item:
// a run can be skipped whole or entered. It allocates nothing.
type Cursor struct {
	frames [maxLevels + 1]frame
	n      int
}

// maxLevels is how many levels a list can have, see levelOf.
const maxLevels = 16

// frame is the inside of a list and a position in it: 2i stands for the run
// before item i, 2i+1 for item i. The first frame has the list as its one run.
type frame struct {
	in   *listBody
	pos  int
	root *List // of the first frame, else nil
}

// Cursor returns a cursor ahead of the list, which is its first run.
func (l *List) Cursor() Cursor {
	var c Cursor
	if l != nil {
		c.frames[0] = frame{root: l}
		c.n = 1
	}
	return c
}

// Peek returns the run or the item that comes next, neither at the end.
func (c *Cursor) Peek() (run *List, item *Entry) {
	for c.n > 0 {
		top := &c.frames[c.n-1]
		switch i := top.pos / 2; {
		case top.root != nil && top.pos == 0:
			return top.root, nil
		case top.root != nil:
			c.n--
		case top.pos%2 == 0:
			if l := top.in.runBefore(i); l != nil {
				return l, nil
			}
			top.pos++
		case i < len(top.in.items):
			return nil, top.in.items[i]
		default:
			c.n--
		}
	}
	return nil, nil
}

// Skip passes over what Peek returned.
func (c *Cursor) Skip() { c.frames[c.n-1].pos++ }

// Enter goes into the run that Peek returned. It fails if that cannot be loaded.
func (c *Cursor) Enter() error {
	top := &c.frames[c.n-1]
	l := top.root
	if l == nil {
		l = top.in.runBefore(top.pos / 2)
	}
	in, err := l.open()
	if err != nil {
		return err
	}
	top.pos++
	c.frames[c.n] = frame{in: in}
	c.n++
	return nil
}
