package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// inReadTx calls f with a transaction that sees one state throughout. f must not
// read through anything else: connections are few, and this has one.
func (s *Store) inReadTx(ctx context.Context, doing string, f func(tx *sql.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.dialect.Snapshot})
	if err != nil {
		return s.fail(ctx, err, doing)
	}
	defer tx.Rollback()
	return s.fail(ctx, f(tx), doing)
}

// digestDamage refuses a tree that is not the one whose digest was recorded. Rows of
// version 1 of the schema have no digest. Cost: that of the digest, of which
// trees share what they share themselves.
func digestDamage(t *tree.Tree, recorded []byte) *store.Damage {
	if recorded == nil {
		return nil
	}
	found := t.Digest()
	if bytes.Equal(found[:], recorded) {
		return nil
	}
	return &store.Damage{Cycle: t.Cycle(), What: "digest of headers and contents", Recorded: hex.EncodeToString(recorded), Found: found.String()}
}

// maxSuspects is how many nodes are named where one of them is damaged: more would
// help nobody.
const maxSuspects = 50

// nameSuspects names the nodes of a tree that rows bring, in the order of the tree.
func nameSuspects(d *store.Damage, t *tree.Tree, rows []row) error {
	ids := make(map[string]bool, len(rows))
	for _, r := range rows {
		if !r.dead {
			ids[r.node.ID] = true
		}
	}
	if len(ids) > maxSuspects {
		return d.Err()
	}
	for e := range t.All() {
		if ids[e.Node().ID] {
			d.Among = append(d.Among, e.Node().ID)
		}
	}
	if len(d.Among) == 1 {
		d.Node, d.Among = d.Among[0], nil
	}
	return d.Err()
}

// checkSnapshot refuses a snapshot that is not what its cycle published. revision is
// the latest of the context.
func (c *scanner) checkSnapshot(ctx context.Context, t *tree.Tree, revision int64) error {
	at, err := c.store.publication(ctx, c.tx, c.line.at(t.Cycle()), t.Cycle(), revision)
	if err != nil {
		return err
	}
	if d := digestDamage(t, at.digest); d != nil {
		return d.Err()
	}
	return nil
}

// digests returns what the log recorded of the snapshots of a span of cycles.
// Cost: the log of the span, and a few look-ups for each part.
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

// content is the content of a published version, read when asked for and then
// held against the content hash of the version. A published version never
// changes, but by an erasure, and its key is never used again.
func (s *Store) content(r *row, of **tree.Node) tree.Content {
	branch, birth, nid, size := r.branch, r.birth, r.nid, r.size
	return tree.Fetch(size, func(ctx context.Context) (canon.Value, error) {
		var body, hash []byte
		switch err := s.stmts.bodyOf.QueryRowContext(ctx, branch, birth, nid).Scan(&body, &hash); {
		case err == sql.ErrNoRows:
			return "", fault.New(fault.Store, "the content is gone with its context", "")
		case err != nil:
			return "", s.fail(ctx, err, "reading a content")
		}
		n, v := *of, canon.Value(body)
		erased := v == tree.ErasedContent && !bytes.Equal(hash, n.Hash[:]) // since the snapshot was read
		if erased {
			return v, nil
		}
		return v, checkContentHash(n, v)
	})
}

// checkContentHash refuses a content that has not the content hash of its node.
func checkContentHash(n *tree.Node, content canon.Value) error {
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
