package tree

import (
	"cmp"
	"context"
	"io"
	"iter"
)

// Form is a way to write threads: the canonical one, or the messages of a provider. What
// it writes of a turn must follow from the turn, and from the nodes elsewhere for which
// it asks the Rendering, because the tree keeps what one form wrote last of each turn for the next time. Make
// each form once in a program.
type Form struct {
	// Write writes a part of the thread: a turn, another region than ^seq as a whole, or
	// all of ^seq if not everything in it is a turn. An element that it writes must not
	// span two parts.
	Write func(r *Rendering, part *Entry, region Class)
}

// canonical is the form of 02 §12: an object for each block.
var canonical = &Form{Write: writeBlocks}

func writeBlocks(r *Rendering, e *Entry, region Class) {
	if e.sum.Blocks == 0 || r.err != nil {
		return
	}
	if e.class == Block {
		r.block(e.node, region)
	}
	for k := range r.children(e) {
		writeBlocks(r, k, region)
	}
}

// Sizes that rendering works with, in bytes.
const (
	directWrite = 1 << 10 // pieces from here on are not collected first
	collected   = 4 << 10
)

// WriteThread writes the canonical thread: a JSON array with an object for each block;
// ^sys, the turns from the oldest to the newest, ^ah; inside a turn what comes before its
// core, the core, what comes after (02 §12.2, §12.3). It fails if w does or if it must
// read a content from a store and cannot. Cost: about that of copying the bytes, if the
// turns were rendered last as this.
//
// Specification: 02 §12, 02 §12.2, 02 §12.3, 02 §12.6, 03 §5.3.
func (t *Tree) WriteThread(ctx context.Context, w io.Writer) error {
	return t.WriteAs(ctx, w, canonical)
}

// WriteAs writes the thread in a form, as a JSON array. It fails if w or the form does,
// or if it must read a content from a store and cannot. Cost: about that of copying the
// bytes, if the turns were rendered last in this form. It renders a turn again if it
// changed, or a node elsewhere that the form asked for.
func (t *Tree) WriteAs(ctx context.Context, w io.Writer, f *Form) (err error) {
	if err := ask(ctx); err != nil {
		return err
	}
	return newRendering(ctx, t, w, f).all()
}

// Rendering is a thread that a Form is writing. It collects small pieces and
// passes large ones on.
type Rendering struct {
	ctx        context.Context
	tree       *Tree
	form       *Form
	w          io.Writer // nil where bytes are made to be kept: every element gets a comma before it
	buf        []byte
	hasElement bool   // whether the thread has an element already
	needs      []need // where bytes are made to be kept: what the form asked for
	err        error
}

func newRendering(ctx context.Context, t *Tree, w io.Writer, f *Form) *Rendering {
	return &Rendering{ctx: ctx, tree: t, form: f, w: w, buf: make([]byte, 0, collected+directWrite)}
}

// Context returns the context of the call that asked for the thread.
func (r *Rendering) Context() context.Context { return r.ctx }

// Node returns the node with this id, nil if there is none or it cannot be loaded: then the writing ends
// with that error. A form must use it to look at
// nodes beyond the part that it writes: if one of them changes, the tree drops what it
// keeps of the part.
func (r *Rendering) Node(id string) *Node {
	n, err := r.tree.Node(id)
	if err != nil {
		r.fail(err)
		return nil
	}
	if r.w == nil {
		r.needs = append(r.needs, needOf(id, n))
	}
	return n
}

// children yields the children of an entry that render to something or have some below that do. If one cannot be
// loaded, it ends, and so does the writing with that error.
func (r *Rendering) children(e *Entry) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		e.kids.visit(r.ctx, 0, e.kids.Len(), (*Summary).hasBlocks, func(k *Entry, err error) bool {
			r.fail(err)
			return r.err == nil && (k.sum.Blocks == 0 || yield(k))
		})
	}
}

// fail ends the writing with an error, unless another one came before it.
func (r *Rendering) fail(err error) { r.err = cmp.Or(r.err, err) }

// Begin begins an element of the array and returns what to append it to.
func (r *Rendering) Begin() []byte {
	if r.hasElement || r.w == nil {
		r.buf = append(r.buf, ',')
	}
	r.hasElement = true
	return r.buf
}

// End takes what Begin returned with the element appended, and the error of appending it.
// It reports whether to go on.
func (r *Rendering) End(buf []byte, err error) bool {
	if r.err == nil {
		r.buf, r.err = buf, err
	}
	if r.err == nil && r.w != nil && len(r.buf) >= collected {
		r.flush()
	}
	return r.err == nil
}

// block writes a block of the canonical thread. It does not copy a long content as a
// whole.
func (r *Rendering) block(n *Node, region Class) {
	buf := r.Begin()
	content, err := n.renderedContent(r.ctx)
	if err != nil {
		r.End(buf, err)
		return
	}
	r.buf = n.appendOpening(buf, region)
	for r.w != nil && r.err == nil && len(r.buf)+len(content) >= collected {
		size := min(len(content), max(0, collected-len(r.buf)))
		r.buf, content = append(r.buf, content[:size]...), content[size:]
		r.flush()
	}
	r.End(append(append(r.buf, content...), '}'), nil)
}

func (r *Rendering) all() error {
	r.buf = append(r.buf, '[')
	for region := range r.tree.regions {
		if region.class == Seq && region.kids != nil && region.kids.classes == 1<<Turn {
			for turn := range r.children(region) {
				r.turn(turn)
			}
		} else if r.err == nil {
			r.form.Write(r, region, region.class)
		}
	}
	r.buf = append(r.buf, ']')
	r.flush()
	return r.err
}

func (r *Rendering) flush() {
	if r.err == nil && len(r.buf) > 0 {
		_, r.err = r.w.Write(r.buf)
	}
	r.buf = r.buf[:0]
}

// piece writes the kept bytes of a turn.
func (r *Rendering) piece(b []byte) {
	if r.err != nil || len(b) == 0 {
		return
	}
	if !r.hasElement {
		b = b[1:] // the comma
	}
	r.hasElement = true
	if len(b) < directWrite {
		if r.buf = append(r.buf, b...); len(r.buf) >= collected {
			r.flush()
		}
		return
	}
	r.flush()
	if r.err == nil {
		_, r.err = r.w.Write(b)
	}
}
