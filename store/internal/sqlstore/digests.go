package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"slices"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// inReadTx calls f with a transaction that sees one state throughout. f must read through it
// alone: it holds one of few connections, and a second could deadlock. Where the database asks
// for it, inReadTx calls f again, and f must begin anew.
func (s *Store) inReadTx(ctx context.Context, doing string, f func(tx *sql.Tx) error) error {
	for failed := 0; ; failed++ {
		err := s.readOnce(ctx, doing, f)
		if err == nil || s.dialect.Again == nil || !s.dialect.Again(ctx, err, failed) {
			return err
		}
	}
}

func (s *Store) readOnce(ctx context.Context, doing string, f func(tx *sql.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.dialect.Snapshot})
	if err != nil {
		return s.fail(ctx, err, doing)
	}
	defer tx.Rollback()
	return s.fail(ctx, f(tx), doing)
}

// digestDamage compares the digest of a tree with the recorded one and returns the
// damage, nil if they are equal. Rows of version 1 of the schema recorded none.
// Cost: hashing the subtrees that no tree hashed before.
func digestDamage(t *tree.Tree, recorded []byte) *store.Damage {
	if recorded == nil {
		return nil
	}
	found := t.Digest()
	if bytes.Equal(found[:], recorded) {
		return nil
	}
	return &store.Damage{Cycle: t.Cycle(), What: "digest of headers and contents", Recorded: hex.EncodeToString(recorded),
		Found: found.String()}
}

// maxSuspects is the largest number of nodes that a damage lists as possibly damaged: a longer
// list would help nobody.
const maxSuspects = 50

// nameSuspects adds to a damage the ids of the nodes in rows, in document order, and returns it
// as an error.
func nameSuspects(d *store.Damage, t *tree.Tree, rows []row) error {
	var ids []string
	for _, r := range rows {
		if !r.Dead() && t.Has(r.ID) {
			ids = append(ids, r.ID)
		}
	}
	slices.SortFunc(ids, t.Order)
	if ids = slices.Compact(ids); len(ids) > maxSuspects {
		return d.Err()
	}
	d.Suspects = ids
	if len(d.Suspects) == 1 {
		d.Node, d.Suspects = d.Suspects[0], nil
	}
	return d.Err()
}

// checkSnapshot returns the row of the log that published a snapshot, and E_STORE if the
// snapshot does not have the digest in that row. revision is the latest of the context.
func (c *scanner) checkSnapshot(ctx context.Context, t *tree.Tree, revision int64) (logPosition, error) {
	at, err := c.store.publication(ctx, c.tx, c.line.at(t.Cycle()), t.Cycle(), revision)
	if err != nil {
		return at, err
	}
	if d := digestDamage(t, at.digest); d != nil {
		return at, d.Err()
	}
	return at, nil
}

// digests returns the recorded digests of the snapshots of a range of cycles, by cycle. Cost:
// the log of the range, and a few look-ups for each segment.
func (c *scanner) digests(ctx context.Context, from, to, revision int64) (map[int64][]byte, error) {
	list := make(map[int64][]byte, to-from+1)
	for _, p := range c.line {
		lo, hi := max(from, p.afterCycle+1), min(to, p.upToCycle)
		if lo > hi {
			continue
		}
		first, err := c.store.publication(ctx, c.tx, p, lo, revision)
		if err != nil {
			return nil, err
		}
		last, err := c.store.publication(ctx, c.tx, p, hi, revision)
		if err != nil {
			return nil, err
		}
		rows, err := within(ctx, c.tx, c.store.stmts.digestsIn).QueryContext(ctx, p.branch, first.revision, last.revision)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var cycle int64
			var digest []byte
			if err := rows.Scan(&cycle, &digest); err != nil {
				rows.Close()
				return nil, err
			}
			list[cycle] = digest
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// checkContentHash returns E_STORE if a content does not have the content hash of its node.
func checkContentHash(n *tree.Node, content tree.JSON) error {
	found, ok := n.HashWith(content)
	if ok && found == n.Hash {
		return nil
	}
	d := &store.Damage{Cycle: n.Cycle, Node: n.ID, What: "content hash", Recorded: n.ContentHash(), Found: found.String()}
	if !ok {
		d.Found = "a content that has none"
	}
	return d.Err()
}
