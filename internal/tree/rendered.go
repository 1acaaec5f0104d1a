package tree

import (
	"slices"
	"strings"
)

// rendered holds the bytes that a form wrote of a sealed turn, each element with a comma
// before it. It belongs to something immutable, and is used only while the nodes
// elsewhere that it needs are unchanged: so it is never stale.
type rendered struct {
	form  *Form
	bytes []byte
	needs []need // by id
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

// turn renders a sealed turn, or takes what is kept of it.
func (r *Rendering) turn(e *Entry) {
	k := e.rendered.Load()
	if k == nil || k.form != r.form || !r.unchanged(k.needs) {
		forCache := &Rendering{ctx: r.ctx, tree: r.tree, form: r.form, buf: make([]byte, 0, e.sum.threadBytes())}
		r.form.Write(forCache, e, Seq)
		if k = forCache.result(e); k == nil {
			r.fail(forCache.err)
			return
		}
		e.rendered.Store(k)
	}
	r.piece(k.bytes)
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

// unchanged reports whether nodes elsewhere are what they were when a form asked for them.
func (r *Rendering) unchanged(needs []need) bool {
	for _, n := range needs {
		now, err := r.tree.Node(n.id)
		r.fail(err)
		if err != nil || needOf(n.id, now) != n {
			return false
		}
	}
	return true
}

// threadBytes returns the size of the blocks in the canonical thread, each with a comma
// before it.
func (s *Summary) threadBytes() int64 { return s.Bytes + int64(s.Blocks) }

func (s *Summary) hasBlocks() bool { return s.Blocks > 0 }
