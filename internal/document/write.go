package document

import (
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// flushAt is how many bytes the writer buffers before it writes them.
const flushAt = 1 << 16

// Write writes the canonical bytes of a snapshot: compact, keys sorted, children
// in canonical order, every header present (05 §3.1). Identical snapshots give
// identical bytes (05 §2.2). Write fails if w fails, if it cannot read a content
// from the store, and if ctx ends. Cost: O(size); it streams.
func Write(ctx context.Context, w io.Writer, t *tree.Tree, edition selector.Edition) error {
	return write(&writer{ctx: ctx, w: w, cycle: t.Base()}, t, edition)
}

func write(d *writer, t *tree.Tree, edition selector.Edition) error {
	d.buf = append(d.buf, `{"cycle":`...)
	d.buf = strconv.AppendInt(d.buf, d.cycle, 10)
	d.buf = append(d.buf, `,"edition":`...)
	d.buf = canon.AppendString(d.buf, string(edition))
	d.buf = append(d.buf, `,"root":`...)
	if err := d.entry(t.Root(), nil); err != nil {
		return err
	}
	d.buf = append(d.buf, `,"spec_version":`...)
	d.buf = append(canon.AppendString(d.buf, edition.Traits().SpecVersion), '}')
	return d.flush(0)
}

// AppendNode appends one node as a document holds it, without its children. It
// fails if it cannot read the content of the node from the store.
func AppendNode(ctx context.Context, dst []byte, n *tree.Node, c tree.Class, cycle int64) ([]byte, error) {
	d := writer{ctx: ctx, cycle: cycle, buf: dst, flat: true}
	err := d.entry(tree.Detached(n, c), nil)
	return d.buf, err
}

type writer struct {
	ctx   context.Context
	w     io.Writer // nil to collect all in the buffer
	cycle int64
	buf   []byte
	flat  bool // write one node without its children

	series *Series // keeps the bytes of turns for later snapshots, nil if there are none
}

// flush writes the buffer if it holds more than so many bytes.
func (d *writer) flush(most int) error {
	if d.w == nil || len(d.buf) <= most {
		return nil
	}
	_, err := d.w.Write(d.buf)
	d.buf = d.buf[:0]
	return err
}

// comma writes a comma before every element of a list except the first.
func (d *writer) comma(first *bool) {
	if !*first {
		d.buf = append(d.buf, ',')
	}
	*first = false
}

// fields are the members that a document always has for a node, sorted. They
// include content and children, and the parent_id of edition 1.0 (1.0 02 §3.1.1).
var fields = [...]string{
	"children", "content", "content_hash", "created_at_iso", "created_at_ns", "creation_index",
	"cycle", "id", "nodeType", "offset", "parent_id", "priority", "ttl",
}

// entry writes a node, below a parent that is nil for the root.
func (d *writer) entry(e *tree.Entry, parent *tree.Entry) error {
	n := e.Node()
	custom := n.Headers
	first := true
	name := func(s string) {
		d.comma(&first)
		d.buf = canon.AppendString(d.buf, s)
		d.buf = append(d.buf, ':')
	}
	d.buf = append(d.buf, '{')
	for _, field := range fields {
		for len(custom) > 0 && custom[0].Name < field {
			name(custom[0].Name)
			d.buf = append(d.buf, custom[0].Value...)
			custom = custom[1:]
		}
		switch field {
		case "children":
			if d.flat || e.Class() == tree.Block && e.Children().Len() == 0 {
				continue
			}
			name(field)
			if err := d.children(e); err != nil {
				return err
			}
		case "parent_id":
			if d.flat || !n.Bare {
				continue
			}
			name(field)
			if parent == nil {
				d.buf = append(d.buf, canon.Null...)
			} else {
				d.buf = canon.AppendString(d.buf, parent.Node().ID)
			}
		case "content":
			content, err := n.Content.Value(d.ctx)
			if err != nil {
				return err
			}
			if content != "" {
				name(field)
				d.buf = append(d.buf, content...)
			}
		case "content_hash":
			if e.Class() == tree.Block || n.Content.Size() > 0 {
				name(field)
				d.buf = canon.AppendString(d.buf, n.ContentHash())
			}
		default:
			name(field)
			d.buf = n.AppendMandatory(d.buf, field, d.cycle)
		}
	}
	for _, h := range custom {
		name(h.Name)
		d.buf = append(d.buf, h.Value...)
	}
	d.buf = append(d.buf, '}')
	return d.flush(flushAt)
}

func (d *writer) children(e *tree.Entry) (err error) {
	d.buf = append(d.buf, '[')
	first := true
	if d.series != nil && e.Class() == tree.Seq {
		err = d.turns(e, &first)
	} else {
		for k, err := range e.Children().All() {
			if err != nil {
				return err
			}
			d.comma(&first)
			if err = d.entry(k, e); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	d.buf = append(d.buf, ']')
	return nil
}
