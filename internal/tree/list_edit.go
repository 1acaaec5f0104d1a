package tree

// insert returns the list with one more item.
func (l *List) insert(e *Entry) (*List, error) {
	if l == nil {
		return single(e, nil, nil), nil
	}
	level := e.node.level
	if level > l.level {
		left, right, err := l.split(e)
		if err != nil {
			return nil, err
		}
		return single(e, left, right), nil
	}
	in, err := l.open()
	if err != nil {
		return nil, err
	}
	i := in.find(e)
	if level < l.level {
		run, err := in.below[i].insert(e)
		if err != nil {
			return nil, err
		}
		return newList(l.level, in.items, replaced(in.below, i, run)), nil
	}
	made, items := listWithRoom(len(in.items) + 1)
	items = append(append(append(items, in.items[:i]...), e), in.items[i:]...)
	if level == 0 {
		return made.fill(0, items, nil), nil
	}
	left, right, err := in.below[i].split(e)
	if err != nil {
		return nil, err
	}
	below := make([]*List, 0, len(in.below)+1)
	below = append(append(append(below, in.below[:i]...), left, right), in.below[i+1:]...)
	return made.fill(level, items, below), nil
}

// single returns a list of an item and the runs around it.
func single(e *Entry, left, right *List) *List {
	l, items := listWithRoom(1)
	return l.fill(e.node.level, append(items, e), pair(e.node.level, left, right))
}

func pair(level uint8, left, right *List) []*List {
	if level == 0 {
		return nil
	}
	return []*List{left, right}
}

func replaced(lists []*List, i int, l *List) []*List {
	c := append([]*List(nil), lists...)
	c[i] = l
	return c
}

// split returns what is before e and what is after it.
func (l *List) split(e *Entry) (left, right *List, err error) {
	if l == nil {
		return nil, nil, nil
	}
	in, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	i := in.find(e)
	if l.level == 0 {
		return newList(0, in.items[:i:i], nil), newList(0, in.items[i:], nil), nil
	}
	a, b, err := in.below[i].split(e)
	if err != nil {
		return nil, nil, err
	}
	left = newList(l.level, in.items[:i:i], append(append([]*List(nil), in.below[:i]...), a))
	right = newList(l.level, in.items[i:], append([]*List{b}, in.below[i+1:]...))
	return left, right, nil
}

// remove returns l without e, which it must hold.
func (l *List) remove(e *Entry) (*List, error) {
	in, err := l.open()
	if err != nil {
		return nil, err
	}
	i := in.find(e)
	if !in.has(i, e.node.ID) {
		run, err := in.below[i].remove(e)
		if err != nil {
			return nil, err
		}
		return newList(l.level, in.items, replaced(in.below, i, run)), nil
	}
	items := append(append(make([]*Entry, 0, len(in.items)-1), in.items[:i]...), in.items[i+1:]...)
	if l.level == 0 {
		return newList(0, items, nil), nil
	}
	below := make([]*List, 0, len(in.below)-1)
	run, err := joined(in.below[i], in.below[i+1])
	if err != nil {
		return nil, err
	}
	below = append(append(append(below, in.below[:i]...), run), in.below[i+2:]...)
	return newList(l.level, items, below), nil
}

// joined returns a list of the items of a and then those of b.
func joined(a, b *List) (*List, error) {
	switch {
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	case a.level > b.level:
		in, err := a.open()
		if err != nil {
			return nil, err
		}
		last := len(in.below) - 1
		run, err := joined(in.below[last], b)
		if err != nil {
			return nil, err
		}
		return newList(a.level, in.items, replaced(in.below, last, run)), nil
	case a.level < b.level:
		in, err := b.open()
		if err != nil {
			return nil, err
		}
		run, err := joined(a, in.below[0])
		if err != nil {
			return nil, err
		}
		return newList(b.level, in.items, replaced(in.below, 0, run)), nil
	}
	x, err := a.open()
	if err != nil {
		return nil, err
	}
	y, err := b.open()
	if err != nil {
		return nil, err
	}
	items := append(append([]*Entry(nil), x.items...), y.items...)
	if a.level == 0 {
		return newList(0, items, nil), nil
	}
	last := len(x.below) - 1
	run, err := joined(x.below[last], y.below[0])
	if err != nil {
		return nil, err
	}
	below := append(append([]*List(nil), x.below[:last]...), run)
	return newList(a.level, items, append(below, y.below[1:]...)), nil
}

// replace puts e where an entry with the same place in the order stands.
func (l *List) replace(e *Entry) (*List, error) {
	in, err := l.open()
	if err != nil {
		return nil, err
	}
	i := in.find(e)
	if in.has(i, e.node.ID) {
		made, items := listWithRoom(len(in.items))
		items = append(items, in.items...)
		items[i] = e
		return made.fill(l.level, items, in.below), nil
	}
	run, err := in.below[i].replace(e)
	if err != nil {
		return nil, err
	}
	return newList(l.level, in.items, replaced(in.below, i, run)), nil
}
