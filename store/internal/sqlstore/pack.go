package sqlstore

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// Packing says which rows the store packs into pages, and when. A zero field stands for its
// default.
type Packing struct {
	Cycles int64 // whose rows one page holds, at most; 64
	// Directory is how many snapshots the latest one is ahead of a directory before the store
	// writes another; 64.
	Directory int64
	Keep      int64 // cycles before the latest that stay rows, so that returning to one stays cheap; 32
}

func (p Packing) orDefault() Packing {
	if p.Cycles == 0 {
		p.Cycles = 64
	}
	if p.Directory == 0 {
		p.Directory = 64
	}
	if p.Keep == 0 {
		p.Keep = 32
	}
	return p
}

// The bounds of a page besides its cycles: how much one transaction writes while others wait,
// and how much a reader decodes to find one row.
const (
	pageRows = 4096
	pageSize = 512 << 10 // bytes of ids, headers and contents, unless one content has more
)

// slice is what one transaction packs: the oldest rows of a branch.
type slice struct {
	branch   int64
	erasures int64 // of the context when pack read the rows
	after    int64 // the number of the previous page
	rows     int64
	last     page.Row
	builder  page.Builder
	page     page.Page
}

// pack packs the oldest rows of a branch into one page, and reports whether there were any. It
// leaves the last keep cycles, and does nothing if fewer than atLeast cycles are left to pack.
// It encodes before it takes the lock, rows that the store remembers writing or else those that
// it reads; if somebody else packs or erases the rows meanwhile, it writes nothing. It never
// packs a damaged row: E_STORE with a store.Damage.
func (s *Store) pack(ctx context.Context, branch, keep, atLeast int64) (found bool, err error) {
	const doing = "packing rows"
	var sl *slice
	err = s.inReadTx(ctx, doing, func(tx *sql.Tx) error {
		sl, err = s.readSlice(ctx, tx, branch, keep, atLeast)
		return err
	})
	if err != nil || sl == nil {
		return false, err
	}
	write := func(w *writer) error { return w.writeSlice(sl) }
	err = s.transact(ctx, doing, write)
	if err != nil && s.dialect.IsConstraint(err) {
		// Two transactions of PostgreSQL that pack the same rows can both pass the guard, and
		// the later one finds the names that the other wrote. The guard sees them now.
		err = s.transact(ctx, doing, write)
	}
	if err == nil {
		s.recent.dropPacked(branch, ref{sl.last.NID, sl.last.Birth})
	}
	return true, err
}

// readSlice encodes the rows to pack; nil if there are none.
func (s *Store) readSlice(ctx context.Context, tx *sql.Tx, branch, keep, atLeast int64) (*slice, error) {
	sl := &slice{branch: branch}
	var latest int64
	var first sql.NullInt64
	err := within(ctx, tx, s.stmts.packState).QueryRowContext(ctx, branch, branch, branch).Scan(&latest, &sl.erasures,
		&sl.after, &first)
	if err == sql.ErrNoRows { // deleted meanwhile
		return nil, nil
	}
	upTo := latest - keep
	if err != nil || !first.Valid || upTo-first.Int64+1 < atLeast {
		return nil, err
	}
	upTo = min(upTo, first.Int64+s.packing.Cycles-1)
	recent, err := s.recentIn(ctx, tx, branch, beforeAll, upTo)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(recent) && sl.room(); i++ {
		var body []byte
		if recent[i].of != nil {
			body = recent[i].of.body
		}
		sl.add(recent[i].row(&s.headers), body)
	}
	if len(recent) == 0 {
		if err := s.readRows(ctx, tx, sl, upTo); err != nil {
			return nil, err
		}
	}
	if sl.builder.Len() == 0 {
		return nil, nil
	}
	sl.rows, sl.page = int64(sl.builder.Len()), sl.builder.Page()
	return sl, nil
}

// room reports whether the page can take another row.
func (sl *slice) room() bool { return sl.builder.Len() < pageRows && sl.builder.Size() < pageSize }

func (sl *slice) add(r page.Row, body []byte) {
	sl.builder.Add(r, body)
	sl.last = r
}

// readRows adds the rows of a branch up to a cycle to a slice, as long as there is room.
func (s *Store) readRows(ctx context.Context, tx *sql.Tx, sl *slice, upTo int64) error {
	rows, err := within(ctx, tx, s.stmts.packRows).QueryContext(ctx, sl.branch, upTo)
	if err != nil {
		return err
	}
	c := scanner{known: make(map[string][]tree.Header)}
	unproven := int64(beforeAll) // the last birth of a row without a proof
	err = eachRow(rows, nil, func(values []any) error {
		if !sl.room() {
			return errFound
		}
		r, body, err := c.settledRow(values)
		if err != nil {
			return err
		}
		if values[colProof] == nil {
			unproven = r.Birth
		}
		sl.add(r, body)
		return nil
	})
	if err != nil && err != errFound {
		return err
	}
	if unproven == beforeAll {
		return nil
	}
	var last sql.NullInt64
	if err := tx.QueryRowContext(ctx, s.bound(lastUnchained), sl.branch).Scan(&last); err != nil {
		return err
	}
	if !last.Valid || unproven > last.Int64+1 {
		return (&store.Damage{Cycle: unproven, What: "there is a row of a node without its proof"}).Err()
	}
	return nil
}

// lastUnchained is the last cycle whose rows, with the drafts after it, may have no proof: up
// to there the log is of version 1 of the schema.
const lastUnchained = `SELECT max(latest) FROM log WHERE branch = ? AND chain IS NULL`

// settledRow returns a row of packRows and its content, after it compared both with their
// proof.
func (c *scanner) settledRow(values []any) (r page.Row, body []byte, err error) {
	r = rowOf(values)
	damage := func(what string) error {
		return (&store.Damage{Cycle: r.Birth, Node: r.ID, What: what}).Err()
	}
	if proof, proven := values[colProof].(int64); proven && proof != rowProof(values[:colProof]) {
		return r, nil, damage("the row of the node is not as it was written")
	}
	switch body, _ = values[colBody].([]byte); {
	case len(body) != r.Size || (r.Size > 0) != (values[colContent] != nil):
		return r, nil, damage("the content of the node is of another size")
	case r.Hash == nil:
		return r, body, nil
	case len(r.Hash) != len(tree.Digest{}):
		return r, nil, damage("the content hash of the node is of another size")
	}
	n := tree.Node{ID: r.ID, Cycle: r.Cycle}
	if r.Headers != "" {
		if n.Headers, err = c.headers(r.Headers); err != nil {
			return r, nil, err
		}
	}
	if found, ok := n.HashWith(tree.JSON(body)); !ok || !bytes.Equal(found[:], r.Hash) {
		return r, nil, damage("the content of the node has another content hash")
	}
	return r, body, nil
}

// writeSlice replaces rows by a page, unless they changed since pack read them: another process
// packed or erased them, or deleted the context.
func (w *writer) writeSlice(sl *slice) error {
	st := &w.store.stmts
	var count, erasures, after int64
	err := w.stmt(st.packGuard).QueryRowContext(w.ctx, sl.branch, sl.last.Birth, sl.last.NID, sl.branch,
		sl.branch).Scan(&count, &after, &erasures)
	if err != nil && err != sql.ErrNoRows {
		return err
	}
	if err != nil || count != sl.rows || erasures != sl.erasures || after != sl.after {
		return nil
	}
	at := []any{sl.branch, sl.last.Birth, sl.last.NID}
	if err := w.exec(st.packNames, at...); err != nil {
		return err
	}
	p := &packedPage{branch: sl.branch, birth: sl.last.Birth, nid: sl.last.NID, number: sl.after + 1}
	if err := w.insertPage(p, &sl.page); err != nil {
		return err
	}
	for _, gone := range [...]*sql.Stmt{st.deletePackedContents, st.deletePackedRows} {
		if err := w.exec(gone, at...); err != nil {
			return err
		}
	}
	return nil
}

// insertPage writes a page and its blocks.
func (w *writer) insertPage(p *packedPage, of *page.Page) error {
	st := &w.store.stmts
	digest := page.Digest(of.Head, p.place()...)
	if err := w.exec(st.insertPage, p.branch, p.birth, p.nid, p.number, digest[:], of.Head); err != nil {
		return err
	}
	for no, body := range of.Blocks {
		if err := w.exec(st.insertBlock, p.branch, p.birth, p.nid, int64(no), body); err != nil {
			return err
		}
	}
	return nil
}

// PackAll packs all rows that are not drafts, deletes damaged directories, and writes those
// that are due. Cost: the rows of all contexts, in transactions of a few dozen cycles each, and
// their directories.
func (s *Store) PackAll(ctx context.Context) error {
	const doing = "packing rows"
	keys, err := s.keys(ctx, branchesWithRows)
	if err != nil {
		return s.fail(ctx, err, doing)
	}
	for _, key := range keys {
		for found := true; found; {
			if found, err = s.pack(ctx, key, 0, 1); err != nil {
				return err
			}
		}
	}
	return s.mendAllDirectories(ctx)
}

// keys returns the integers that a query selects.
func (s *Store) keys(ctx context.Context, query string) (list []int64, err error) {
	rows, err := s.read.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return list, eachRow(rows, nil, func(values []any) error {
		key, _ := values[0].(int64)
		list = append(list, key)
		return nil
	})
}

const branchesWithRows = `SELECT c.key FROM context c
	WHERE (SELECT min(birth) FROM node_version WHERE branch = c.key) IS NOT NULL ORDER BY c.key`

// The statements that pack rows.
const (
	// The latest cycle, the erasures, the number of the last page and the first birth of
	// a row.
	packState = `SELECT l.latest, c.erasures,
		coalesce((SELECT number FROM page WHERE branch = ? ORDER BY last_birth DESC, last_nid DESC LIMIT 1), 0),
		(SELECT min(birth) FROM node_version WHERE branch = ?)
		FROM context c JOIN log l ON l.branch = c.key WHERE c.key = ? ORDER BY l.revision DESC LIMIT 1`
	packRows = `SELECT v.branch, v.birth, v.nid, v.death, v.parent, v.id, v.type, v."offset", v.priority, v.cycle,
		v.created_ns, v.created_iso, v.creation_index, v.expiry, v.headers, v.content_no, v.content_size, v.content_hash, v.named, v.proof,
		c.body FROM node_version v LEFT JOIN content c ON {same} WHERE v.branch = ? AND v.birth <= ? ORDER BY v.birth, v.nid`
	packGuard = `SELECT (SELECT count(*) FROM node_version WHERE branch = ? AND (birth, nid) <= (?, ?)),
		coalesce((SELECT number FROM page WHERE branch = ? ORDER BY last_birth DESC, last_nid DESC LIMIT 1), 0), erasures
		FROM context WHERE key = ?`
	packNames = `INSERT INTO page_name (branch, id, birth, nid) SELECT branch, id, birth, nid FROM node_version
		WHERE branch = ? AND (birth, nid) <= (?, ?) AND named = 1 AND id IS NOT NULL`
	insertPage = `INSERT INTO page (branch, last_birth, last_nid, number, digest, head)
		VALUES (?, ?, ?, ?, ?, ?)`
	insertBlock          = `INSERT INTO page_block (branch, last_birth, last_nid, no, body) VALUES (?, ?, ?, ?, ?)`
	deletePackedContents = `DELETE FROM content
		WHERE {key} IN (SELECT {of} FROM node_version WHERE branch = ? AND (birth, nid) <= (?, ?))`
	deletePackedRows = `DELETE FROM node_version WHERE branch = ? AND (birth, nid) <= (?, ?)`
)
