package tree

import (
	"slices"
	"strings"
	"sync/atomic"
)

const (
	// runs of turns up to here, in bytes of the canonical thread, are kept as one piece, so that long
	// threads are few pieces
	maxRenderedRun = 256 << 10
	maxForms       = 4 // as many forms keep bytes beside each turn
)

// rendered holds the bytes that a form wrote of a turn or a run of turns, each element with a comma
// before it. It belongs to something immutable, and is used only while the nodes
// elsewhere that it needs are unchanged: so it is never stale.
type rendered struct {
	form  *Form
	bytes []byte
	needs []need // by id
	step  atomic.Pointer[step]
}

// need is a node elsewhere that a form asked for.
type need struct {
	id      string
	there   bool
	version Digest
}

func needOf(id string, n *Node) need {
	if n == nil {
		return need{id: id}
	}
	return need{id, true, n.digest}
}

// renderCache holds what forms wrote of a turn or a run of turns since somebody asked,
// the latest form first.
type renderCache struct {
	forms atomic.Pointer[[maxForms]*rendered]
}

func (c *renderCache) inForm(f *Form) *rendered {
	if forms := c.forms.Load(); forms != nil {
		for _, k := range forms {
			if k != nil && k.form == f {
				return k
			}
		}
	}
	return nil
}

// put replaces what is kept of the form f by k; if k is nil, it only drops it.
func (c *renderCache) put(f *Form, k *rendered) {
	var next [maxForms]*rendered
	list := next[:0]
	if k != nil {
		list = append(list, k)
	}
	if forms := c.forms.Load(); forms != nil {
		for _, other := range forms {
			if other != nil && other.form != f && len(list) < maxForms {
				list = append(list, other)
			}
		}
	}
	if len(list) == 0 {
		c.forms.Store(nil)
		return
	}
	c.forms.Store(&next)
}

func (c *renderCache) drop(f *Form) {
	if c.inForm(f) != nil {
		c.put(f, nil)
	}
}

// turns renders a run of sealed turns: as one kept piece if it is short, else turn by
// turn. It never keeps the last run as one piece, because the next commit replaces that
// run; the pieces of its turns stay useful.
func (r *Rendering) turns(l *List, last bool) {
	switch {
	case l == nil || l.sum.Blocks == 0 || r.err != nil:
		return
	case !last && l.sum.threadBytes() <= maxRenderedRun:
		r.run(l)
		return
	}
	in, err := l.openFor(r.ctx)
	if err != nil {
		r.fail(err)
		return
	}
	for i, e := range in.items {
		r.turns(in.runBefore(i), false)
		r.turn(e)
	}
	r.turns(in.runBefore(len(in.items)), last)
}

func (r *Rendering) turn(e *Entry) {
	if e.sum.Blocks == 0 || r.err != nil {
		return
	}
	k := r.known(&e.rendered)
	if k == nil {
		own := r.own(&e.sum)
		r.form.Write(own, e, Seq)
		if k = own.result(func(turn *Node) (bool, error) { return turn.ID == e.node.ID, nil }); k == nil {
			r.err = own.err
			return
		}
		e.rendered.put(r.form, k)
	}
	r.piece(k)
}

func (r *Rendering) run(l *List) {
	k := r.known(&l.rendered)
	if k == nil {
		own, steps := r.own(&l.sum), steps{}
		own.gather(l, &steps)
		if k = own.result(func(turn *Node) (bool, error) {
			e, err := l.get(turn)
			return e != nil, err
		}); k == nil {
			r.err = own.err
			return
		}
		k.step.Store(steps.total())
		l.drop(r.form) // one copy is enough
		l.rendered.put(r.form, k)
	}
	r.piece(k)
}

// gather joins what is kept of the parts of a run, and renders the rest.
func (r *Rendering) gather(l *List, steps *steps) {
	if l == nil || l.sum.Blocks == 0 || r.appendKnown(&l.rendered, steps) {
		return
	}
	in, err := l.openFor(r.ctx)
	if err != nil {
		r.fail(err)
		return
	}
	for i, e := range in.items {
		r.gather(in.runBefore(i), steps)
		if e.sum.Blocks > 0 && r.err == nil && !r.appendKnown(&e.rendered, steps) {
			r.form.Write(r, e, Seq)
			steps.broken = true
		}
	}
	r.gather(in.runBefore(len(in.items)), steps)
}

// appendKnown appends what is kept and reports whether anything was.
func (r *Rendering) appendKnown(c *renderCache, steps *steps) bool {
	k := r.known(c)
	if k == nil {
		return false
	}
	r.buf, r.needs = append(r.buf, k.bytes...), append(r.needs, k.needs...)
	steps.add(k.step.Load())
	return true
}

// drop forgets what a form wrote of a run and its turns.
func (l *List) drop(f *Form) {
	if l == nil {
		return
	}
	l.rendered.drop(f)
	in := l.loaded()
	for i, e := range in.items {
		e.rendered.drop(f)
		in.runBefore(i).drop(f)
	}
	in.runBefore(len(in.items)).drop(f)
}

// own returns a rendering of bytes to keep, with room for the size that a summary gives.
func (r *Rendering) own(s *Summary) *Rendering {
	return &Rendering{ctx: r.ctx, tree: r.tree, form: r.form, buf: make([]byte, 0, s.threadBytes())}
}

// result returns what was rendered, nil if that failed. It leaves out the needs that
// concern the rendered turns themselves.
func (r *Rendering) result(own func(turn *Node) (bool, error)) *rendered {
	if r.err != nil {
		return nil
	}
	k := &rendered{form: r.form, bytes: r.buf}
	if cap(r.buf)-len(r.buf) > len(r.buf)/16 {
		k.bytes = slices.Clone(r.buf)
	}
	r.needs = slices.DeleteFunc(r.needs, func(n need) bool {
		turn, err := r.tree.turnOf(n.id)
		is := false
		if err == nil && turn != nil {
			is, err = own(turn)
		}
		if err != nil {
			r.fail(err)
		}
		return is
	})
	if r.err != nil {
		return nil
	}
	slices.SortFunc(r.needs, func(a, b need) int { return strings.Compare(a.id, b.id) })
	k.needs = slices.Clone(slices.Compact(r.needs))
	return k
}

// known returns what is kept of the form of r. It returns nil if nothing is kept, or if a
// node elsewhere that it needs has changed.
func (r *Rendering) known(c *renderCache) *rendered {
	k := c.inForm(r.form)
	if k != nil {
		for _, n := range k.needs {
			now, err := r.tree.Node(n.id)
			if err != nil {
				r.fail(err)
			}
			if err != nil || needOf(n.id, now) != n {
				return nil
			}
		}
	}
	return k
}

// turnOf returns the turn of ^seq that a node is or is in, nil if it is elsewhere or
// nowhere.
func (t *Tree) turnOf(id string) (*Node, error) {
	seq := t.Region(Seq).node.ID
	for {
		p, _, err := t.lookUp(id)
		if err != nil {
			return nil, err
		}
		switch p.parent {
		case "":
			return nil, nil
		case seq:
			return p.node, nil
		}
		id = p.parent
	}
}

// threadBytes returns the size of the blocks in the canonical thread, each with a comma
// before it.
func (s *Summary) threadBytes() int64 { return s.Bytes + int64(s.Blocks) }

// ForgetRendered drops all rendered bytes and hashes that trees keep for their threads;
// they are made again when needed. Erasure calls it, because what is kept for one turn may
// contain text of another. Cost: the distinct runs of turns of the trees.
func ForgetRendered(trees []*Tree) {
	seen := make(map[*List]bool)
	for _, t := range trees {
		if seq := t.Region(Seq); seq != nil {
			seq.kids.forget(seen)
		}
	}
}

func (l *List) forget(seen map[*List]bool) {
	if l == nil || seen[l] {
		return
	}
	seen[l] = true
	l.rendered.forms.Store(nil)
	in := l.loaded()
	for i, e := range in.items {
		e.rendered.forms.Store(nil)
		in.runBefore(i).forget(seen)
	}
	in.runBefore(len(in.items)).forget(seen)
}
