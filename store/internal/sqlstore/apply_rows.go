package sqlstore

import (
	"database/sql"

	"github.com/contexttree/pact/tree"
)

// writeContents writes the contents of versions with few statements. It returns the number of
// each, nil for a version without content.
func (w *writer) writeContents(births []birth) ([]any, error) {
	numbers, with := make([]any, len(births)), make([]int, 0, len(births)) // with: births that have a content
	for i := range births {
		if births[i].body != nil {
			with = append(with, i)
		}
	}
	for i, size := range insertSizes {
		for ; len(with) >= size && (size == 1 || together(births, with[:size]) <= maxTogether); with = with[size:] {
			first, err := w.contents(births, with[:size], w.store.stmts.insertContents[i])
			if err != nil {
				return nil, err
			}
			for k, at := range with[:size] {
				numbers[at] = first + int64(k)
			}
		}
	}
	return numbers, nil
}

// together adds up the sizes of the contents of some versions.
func together(births []birth, with []int) (bytes int) {
	for _, at := range with {
		bytes += len(births[at].body)
	}
	return bytes
}

// contents writes the contents of some versions with one statement, and returns the first of
// their consecutive numbers. If the program gives the numbers, it makes them of the revision,
// which no one else writes, and of a counter within it; SQLite continues from its highest
// number.
func (w *writer) contents(births []birth, with []int, insert *sql.Stmt) (first int64, err error) {
	args := make([]any, 0, 3*len(with))
	if w.store.dialect.OwnContents {
		first = w.revision*maxContents + w.given
		w.given += int64(len(with))
		for k, at := range with {
			args = append(args, w.key, first+int64(k), births[at].body)
		}
		return first, w.exec(insert, args...)
	}
	for _, at := range with {
		args = append(args, births[at].body)
	}
	result, err := w.stmt(insert).ExecContext(w.ctx, args...)
	if err != nil {
		return 0, err
	}
	last, err := result.LastInsertId()
	if last > maxCounted {
		err = damageError("no number is left for another content")
	}
	return last - int64(len(with)) + 1, err
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

// appendBirth appends the arguments of the row of a version. no is the number of its content.
func (w *writer) appendBirth(b *birth, no any) {
	n := b.node
	var parent, iso, expiry, size, hash, named any
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
		size = int64(len(b.body))
		if n.HashOK {
			hash = n.Hash[:]
		}
	}
	if b.named {
		named = int64(1)
	}
	w.args = append(w.args, w.key, w.cycle.of(b.birth), b.nid, nil, parent, n.ID, w.nodeType.of(n.Type), n.Offset,
		n.Priority, w.cycle.of(n.Cycle), n.CreatedNS,
		iso, n.Index, expiry, w.store.headers.of(n.Headers), no, size, hash, named)
	b.proof = w.appendProof()
}
