package sqlstore

import (
	"database/sql"

	"github.com/contexttree/pact/tree"
)

// writeContents writes the contents of versions with few statements, and notes the number of
// each.
func (w *writer) writeContents(births []birth) error {
	var room [8]*birth
	with := room[:0] // the versions that have a content
	for i := range births {
		if births[i].body != nil {
			with = append(with, &births[i])
		}
	}
	for i, size := range insertSizes {
		for ; len(with) >= size && (size == 1 || together(with[:size]) <= maxTogether); with = with[size:] {
			if err := w.contents(with[:size], w.store.stmts.insertContents[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// together adds up the sizes of the contents of some versions.
func together(with []*birth) (bytes int) {
	for _, b := range with {
		bytes += len(b.body)
	}
	return bytes
}

// contents writes the contents of some versions with one statement, and notes their numbers. If
// the program gives the numbers, it makes them of the revision, which no one else writes, and of
// a counter within it; SQLite continues from its highest number.
func (w *writer) contents(with []*birth, insert *sql.Stmt) error {
	w.args = w.args[:0]
	if w.store.dialect.OwnContents {
		for _, b := range with {
			b.content = w.revision*maxContents + w.given
			w.given++
			w.args = append(w.args, w.key, b.content, b.body)
		}
		return w.exec(insert, w.args...)
	}
	for _, b := range with {
		w.args = append(w.args, b.body)
	}
	result, err := w.stmt(insert).ExecContext(w.ctx, w.args...)
	if err != nil {
		return err
	}
	last, err := result.LastInsertId()
	if last > maxCounted {
		return damageError("no number is left for another content")
	}
	for k, b := range with {
		b.content = last - int64(len(with)-1-k)
	}
	return err
}

// appendDeath appends the arguments of the row of a death.
func (w *writer) appendDeath(d *death) {
	w.args = append(w.args, w.key, d.birth, d.nid, d.reason)
	for range rowParams - 5 {
		w.args = append(w.args, nil)
	}
	d.proof = w.appendProof()
}

// appendProof appends the proof of the arguments of a row, and returns it.
func (w *writer) appendProof() int64 {
	proof := rowProof(w.args[len(w.args)-rowParams+1:])
	w.args = append(w.args, proof)
	return proof
}

// appendBirth appends the arguments of the row of a version.
func (w *writer) appendBirth(b *birth) {
	n := b.node
	var parent, iso, expiry, no, size, hash, named any
	if b.parent != 0 {
		parent = w.parent.of(b.parent)
	}
	if n.ForeignISO != "" {
		iso = n.ForeignISO
	}
	if n.Expiry != tree.Never {
		expiry = n.Expiry
	}
	if b.body != nil {
		no, size = b.content, int64(len(b.body))
		if n.HashOK {
			hash = n.Hash[:]
		}
	}
	if b.named {
		named = int64(1)
	}
	w.args = append(w.args, w.key, w.cycle.of(b.birth), b.nid, nil, parent, n.ID, w.store.headers.text(n.Type), n.Offset,
		n.Priority, w.cycle.of(n.Cycle), n.CreatedNS,
		iso, n.Index, expiry, w.store.headers.of(n.Headers), no, size, hash, named)
	b.proof = w.appendProof()
}
