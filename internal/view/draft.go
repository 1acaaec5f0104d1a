package view

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
)

// draft is the working state of a context as a column.
type draft struct {
	tree   *tree.Tree
	column Column
}

// withDraft finds the draft to draw behind the calls: the working state, if the calls end with the
// latest snapshot and edits changed it since. Without calls the working state is all there is.
func (d *drawing) withDraft() error {
	working := d.context.Working()
	t := tree.Of(working)
	next := &draft{tree: t, column: Column{Cycle: working.Cycle(), Draft: true}}
	var err error
	if next.column.Size, err = d.sizeOf(t); err != nil {
		return err
	}
	if len(d.calls) == 0 {
		d.draft = next
		return nil
	}
	latest := d.context.Info().Cycle
	if !d.options.Draft || d.calls[len(d.calls)-1].Cycle != latest {
		return nil
	}
	head, err := d.context.At(d.ctx, "latest")
	if err != nil || head.Digest() == working.Digest() {
		return err
	}
	shared, err := pact.SharePrefix(d.ctx, head, working)
	if err != nil {
		return err
	}
	next.column.common = shared.Blocks
	if next.column.Shared, err = scaleOf(d.ctx, d.options.Unit, d.options.Counter).heightOf(t, shared.Blocks); err != nil {
		return err
	}
	if !shared.Complete {
		next.column.Cut = &next.column.Shared
	}
	d.draft = next
	return nil
}

// sizeOf returns the height of a whole thread.
func (d *drawing) sizeOf(t *tree.Tree) (int64, error) {
	if d.options.Unit == Bytes {
		_, size := t.ThreadSize()
		return size, nil
	}
	return scaleOf(d.ctx, d.options.Unit, d.options.Counter).entry(t.Root(), tree.Root)
}

// heightOf returns how high the first blocks of a thread reach.
func (s *scale) heightOf(t *tree.Tree, blocks int) (height int64, err error) {
	for b, err := range t.Blocks(0) {
		if err != nil || blocks == 0 {
			return height, err
		}
		blocks--
		own, err := s.block(b.Entry, b.Region)
		if err != nil {
			return 0, err
		}
		height += own
	}
	return height, nil
}

// drawDraft draws the draft behind the columns that s has drawn.
func (d *drawing) drawDraft(p *Picture, s *stack, a *actors) (err error) {
	col := d.draft.column
	if col.Keep, err = s.next(d.draft.tree, col.common); err != nil {
		return err
	}
	col.Bands = a.bands(s.bands[col.Keep:])
	p.Columns = append(p.Columns, col)
	return nil
}
