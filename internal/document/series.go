package document

import (
	"context"
	"io"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Series writes snapshots that share structure, one after the other, as Write
// does. It keeps the bytes of sealed turns in which nothing expires, because they
// are the same in every snapshot that has the turn.
//
// Cost: copying the bytes of each snapshot, and rendering the turns that the
// previous snapshot did not have or that show a ttl. Series keeps the bytes of one
// snapshot, at most 64 MiB, and renders turns beyond that again.
type Series struct {
	pieces, before map[*tree.Entry][]byte // of this and of the previous snapshot
	size           int                    // bytes in pieces
}

const seriesBytes = 64 << 20 // Series keeps at most so many bytes

// Write writes the next snapshot. It fails if w fails, if it cannot read a content
// from the store, and if ctx ends.
//
// Specification: 02 §8.2, 05 §2.2, 05 §3, 05 §3.1, 06 §5.1, 08 §6, 08 §6.1.
func (s *Series) Write(ctx context.Context, w io.Writer, t *tree.Tree, edition selector.Edition) error {
	if s.pieces == nil {
		s.pieces, s.before = make(map[*tree.Entry][]byte), make(map[*tree.Entry][]byte)
	}
	s.pieces, s.before, s.size = s.before, s.pieces, 0
	clear(s.pieces)
	return write(&writer{ctx: ctx, w: w, cycle: t.Base(), series: s}, t, edition)
}

// turns writes the turns of ^seq.
func (d *writer) turns(seq *tree.Entry, first *bool) error {
	for e, err := range seq.Children().All() {
		if err != nil {
			return err
		}
		d.comma(first)
		if e.Summary().Finite > 0 {
			err = d.entry(e, seq)
		} else {
			err = d.piece(e, seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece writes the bytes kept for a turn, or renders and keeps them.
func (d *writer) piece(turn, seq *tree.Entry) error {
	s := d.series
	piece, kept := s.before[turn]
	if !kept {
		own := writer{ctx: d.ctx, cycle: d.cycle, series: s}
		if err := own.entry(turn, seq); err != nil {
			return err
		}
		piece = own.buf
	}
	if s.size+len(piece) <= seriesBytes {
		s.pieces[turn], s.size = piece, s.size+len(piece)
	}
	if len(piece) < flushAt/16 {
		d.buf = append(d.buf, piece...)
		return d.flush(flushAt)
	}
	if err := d.flush(0); err != nil {
		return err
	}
	_, err := d.w.Write(piece)
	return err
}
