package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/contexttree/pact/store"
)

// contextRow is a row of context.
type contextRow struct {
	store.Info // what the row has of it
	origin     [3]sql.NullInt64
	forks      int64 // the highest number given to a fork, in the first of a family
	attempts   int64 // how many its branch has
	erasures   int64 // how many changed its snapshots or its log
	deleted    int64 // 1 where only what forks share is left
	proof      sql.NullInt64
}

// contextColumns are what into takes.
const contextColumns = `c.key, c.name, c.edition, c.first, c.origin, c.origin_cycle, c.origin_revision, c.fork, c.forks, c.attempts,
	c.erasures, c.deleted, c.proof`

// into is where the columns go, and more after them.
func (c *contextRow) into(more ...any) []any {
	return append([]any{&c.Key, &c.Name, &c.Edition, &c.First, &c.origin[0], &c.origin[1], &c.origin[2], &c.Fork, &c.forks, &c.attempts,
		&c.erasures, &c.deleted, &c.proof}, more...)
}

// check refuses a row that does not prove itself.
func (c *contextRow) check() error {
	if !c.proof.Valid || c.proof.Int64 != rowProof(c.values()) {
		return damageError("the row of the context " + strconv.Quote(c.Name) + " is not as it was written")
	}
	c.Origin = store.Origin{Key: store.Key(c.origin[0].Int64), Cycle: c.origin[1].Int64, Revision: c.origin[2].Int64}
	return nil
}

// values are the columns that the proof covers.
func (c *contextRow) values() []any {
	list := []any{int64(c.Key), c.Name, c.Edition, c.First}
	for _, o := range c.origin {
		if o.Valid {
			list = append(list, o.Int64)
		} else {
			list = append(list, nil)
		}
	}
	return append(list, c.Fork, c.forks, c.attempts, c.erasures, c.deleted)
}

// contextRow reads the row of a context, a deleted one as well; sql.ErrNoRows
// without one.
func (s *Store) contextRow(ctx context.Context, tx *sql.Tx, key int64) (c contextRow, err error) {
	if err := within(ctx, tx, s.stmts.contextRow).QueryRowContext(ctx, key).Scan(c.into()...); err != nil {
		return c, err
	}
	return c, c.check()
}

// within is a statement in a transaction, or by itself where tx is nil.
func within(ctx context.Context, tx *sql.Tx, stmt *sql.Stmt) *sql.Stmt {
	if tx == nil {
		return stmt
	}
	return tx.StmtContext(ctx, stmt)
}

// alterContext changes the row of a context and what proves it. A row that does not
// hold is refused: a new proof would hide that.
func (w *writer) alterContext(key int64, change func(*contextRow) error) (c contextRow, err error) {
	err = w.stmt(w.store.stmts.contextRowNow).QueryRowContext(w.ctx, key).Scan(c.into()...)
	if err == sql.ErrNoRows {
		return c, noKey(store.Key(key))
	}
	if err == nil {
		err = c.check()
	}
	if err == nil {
		err = change(&c)
	}
	if err != nil {
		return c, err
	}
	return c, w.updateContext(&c)
}

// updateContext writes what can change of the row of a context, and its proof.
func (w *writer) updateContext(c *contextRow) error {
	return w.exec(w.store.stmts.updateContext, c.Name, c.forks, c.attempts, c.erasures, c.deleted, rowProof(c.values()), int64(c.Key))
}

// checkLive refuses a context that is deleted.
func (c *contextRow) checkLive() error {
	if c.deleted != 0 {
		return noKey(c.Key)
	}
	return nil
}

// insert makes the row of a context, and with it the key.
func (w *writer) insert(c *contextRow) error {
	values := c.values()
	err := w.stmt(w.store.stmts.insertContext).QueryRowContext(w.ctx, values[1:8]...).Scan(&c.Key)
	if err != nil && w.store.dialect.IsConstraint(err) {
		return store.NameTaken(c.Name)
	}
	if err != nil {
		return err
	}
	w.key = int64(c.Key)
	return w.updateContext(c)
}

// Prove gives every row of context its proof. It is the part of a migration that
// SQL cannot do.
func Prove(ctx context.Context, tx *sql.Tx, rebind func(string) string) error {
	s := &Store{dialect: Dialect{Rebind: rebind}}
	rows, err := tx.QueryContext(ctx, `SELECT `+contextColumns+` FROM context c`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var list []contextRow
	for rows.Next() {
		var c contextRow
		if err := rows.Scan(c.into()...); err != nil {
			return err
		}
		list = append(list, c)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, c := range list {
		if _, err := tx.ExecContext(ctx, s.bound(`UPDATE context SET proof = ? WHERE key = ?`), rowProof(c.values()), int64(c.Key)); err != nil {
			return err
		}
	}
	return nil
}
