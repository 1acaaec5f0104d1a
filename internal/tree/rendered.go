package tree

import (
	"slices"
	"strings"
	"sync/atomic"
)

// rendered holds the bytes that a form wrote of a sealed turn, each element with a comma
// before it. It belongs to something immutable, and is used only while the nodes
// elsewhere that it needs are unchanged: so it is never stale.
type rendered struct {
	form  *Form
	bytes []byte // nil where only a hash was asked for
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

// renderCache holds what two forms wrote of a turn since somebody asked, the latest first: a program
// sends one form, and records the hash of the canonical one.
type renderCache struct {
	forms atomic.Pointer[[2]*rendered]
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

// hasBytes reports whether the bytes of some form are kept.
func (c *renderCache) hasBytes() bool {
	forms := c.forms.Load()
	return forms != nil && slices.ContainsFunc(forms[:], func(k *rendered) bool { return k != nil && k.bytes != nil })
}

// put replaces what is kept of the form of k.
func (c *renderCache) put(k *rendered) {
	next := [2]*rendered{k}
	if forms := c.forms.Load(); forms != nil {
		if next[1] = forms[0]; forms[0].form == k.form {
			next[1] = forms[1]
		}
	}
	c.forms.Store(&next)
}

// turn renders a sealed turn, or takes what is kept of it.
func (r *Rendering) turn(e *Entry) {
	k := r.cached(&e.rendered)
	if k == nil || k.bytes == nil {
		before := k
		forCache := &Rendering{ctx: r.ctx, tree: r.tree, form: r.form, buf: make([]byte, 0, e.sum.threadBytes())}
		r.form.Write(forCache, e, Seq)
		if k = forCache.result(e); k == nil {
			r.fail(forCache.err)
			return
		}
		if before != nil {
			k.step.Store(before.step.Load())
		}
		e.rendered.put(k)
	}
	r.piece(k)
}

// hashTurns hashes the turns of a list. It looks into no run that was hashed after the same bytes, and keeps none
// of the bytes that it hashes: a program that records calls sends them in another form.
func (r *Rendering) hashTurns(l *List) {
	if r.err != nil || l == nil || !l.sum.hasBlocks() {
		return
	}
	if u := r.tree.unloaded; u != nil && l.hashed.Load() == nil {
		l.hashed.Store(u.hashedRuns()[l.digest])
	}
	r.hash.through(&l.hashed, func() bool {
		in, err := l.openFor(r.ctx)
		if err != nil {
			r.fail(err)
			return false
		}
		for i, e := range in.items {
			r.hashTurns(in.runBefore(i))
			r.hashTurn(e)
		}
		r.hashTurns(in.runBefore(len(in.items)))
		return r.err == nil
	})
	r.hasElement = true
}

// hashTurn is turn for a thread of which only the hash is wanted.
func (r *Rendering) hashTurn(e *Entry) {
	if r.err != nil || !e.sum.hasBlocks() {
		return
	}
	k := e.rendered.inForm(r.form)
	if k == nil {
		k = &rendered{form: r.form}
		e.rendered.put(k)
	}
	r.hash.through(&k.step, func() bool {
		r.form.Write(r, e, Seq)
		return r.err == nil
	})
	r.hasElement = true
}

// result returns what was rendered of a turn, nil if that failed. It leaves out the needs that concern
// nodes of the turn itself.
func (r *Rendering) result(turn *Entry) *rendered {
	k := &rendered{form: r.form, bytes: r.buf}
	if cap(r.buf)-len(r.buf) > len(r.buf)/16 {
		k.bytes = slices.Clone(r.buf)
	}
	r.needs = slices.DeleteFunc(r.needs, func(n need) bool {
		path, err := r.tree.Path(n.id)
		r.fail(err)
		return len(path) > 2 && path[2] == turn
	})
	if r.err != nil {
		return nil
	}
	slices.SortFunc(r.needs, func(a, b need) int { return strings.Compare(a.id, b.id) })
	k.needs = slices.Clone(slices.Compact(r.needs))
	return k
}

// cached returns what is kept of the form of r. It returns nil if nothing is kept, or if a
// node elsewhere that it needs has changed.
func (r *Rendering) cached(c *renderCache) *rendered {
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

// threadBytes returns the size of the blocks in the canonical thread, each with a comma
// before it.
func (s *Summary) threadBytes() int64 { return s.Bytes + int64(s.Blocks) }

func (s *Summary) hasBlocks() bool { return s.Blocks > 0 }
