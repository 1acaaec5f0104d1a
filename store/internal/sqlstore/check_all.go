package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/contexttree/pact/store"
)

// orphanQueries find rows whose context is gone, and contents that no node or more than one
// node refers to.
var orphanQueries = [...]struct{ query, what string }{
	{`SELECT min(branch) FROM node_version WHERE branch NOT IN (SELECT key FROM context)`,
		"there are nodes of a context that is gone, with key "},
	{`SELECT min(branch) FROM attempt WHERE branch NOT IN (SELECT key FROM context)`,
		"there are attempts of a context that is gone, with key "},
	{`SELECT min(branch) FROM page WHERE branch NOT IN (SELECT key FROM context)`,
		"there are pages of a context that is gone, with key "},
	{`SELECT min(branch) FROM directory WHERE branch NOT IN (SELECT key FROM context)`,
		"there is a directory of a context that is gone, with key "},
	{`SELECT min(branch) FROM directory_run WHERE branch NOT IN (SELECT key FROM context)`,
		"there are pages of a directory of a context that is gone, with key "},
	{`SELECT min(branch) FROM page_name WHERE branch NOT IN (SELECT key FROM context)`,
		"there are names of a context that is gone, with key "},
	{`SELECT min(b.branch) FROM page_block b LEFT JOIN page p
		ON p.branch = b.branch AND p.last_birth = b.last_birth AND p.last_nid = b.last_nid WHERE p.number IS NULL`,
		"there is a block of contents of a page that is gone, of the context with key "},
	{`SELECT min(no) FROM content WHERE {key} NOT IN (SELECT {of} FROM node_version WHERE content_no IS NOT NULL)`,
		"no node has the content number "},
	{`SELECT min(content_no) FROM (SELECT {of} FROM node_version WHERE content_no IS NOT NULL GROUP BY {of} HAVING count(*) > 1) d`, "more than one node has the content number "},
}

// CheckAll implements store.Checker. It checks the structures of the database, the row of every
// context and of every token, and that every other row belongs to a context.
func (s *Store) CheckAll(ctx context.Context) (*store.Damage, error) {
	const doing = "checking the database"
	what, err := s.dialect.Check(ctx, s.read)
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	if what != "" {
		return &store.Damage{NoCycle: true, What: what}, nil
	}
	var found *store.Damage
	err = s.inReadTx(ctx, doing, func(tx *sql.Tx) error {
		found, err = s.checkAll(ctx, tx)
		return err
	})
	if found != nil {
		return found, nil
	}
	return nil, err
}

func (s *Store) checkAll(ctx context.Context, tx *sql.Tx) (*store.Damage, error) {
	rows, err := within(ctx, tx, s.stmts.infoAll).QueryContext(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := scanLine(rows.Scan); err != nil {
			var d *store.Damage
			errors.As(err, &d)
			return d, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var stray sql.NullInt64
	if err := within(ctx, tx, s.stmts.orphanLogs).QueryRowContext(ctx).Scan(&stray); err != nil {
		return nil, err
	}
	if stray.Valid {
		return &store.Damage{NoCycle: true, What: orphanLogText(stray.Int64)}, nil
	}
	for _, of := range orphanQueries {
		if err := tx.QueryRowContext(ctx, s.bound(of.query)).Scan(&stray); err != nil {
			return nil, err
		}
		if stray.Valid {
			return &store.Damage{NoCycle: true, What: of.what + strconv.FormatInt(stray.Int64, 10)}, nil
		}
	}
	_, err = tokensIn(ctx, tx, s.bound(tokenRows))
	var d *store.Damage
	if errors.As(err, &d) {
		return d, nil
	}
	return nil, err
}
