package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/contexttree/pact/store"
)

// contextRow is a row of the table context.
type contextRow struct {
	store.Info // the fields that the row holds
	origin     [3]sql.NullInt64
	forks      int64 // the highest number of a fork in the family; only its first context counts
	attempts   int64 // how many rows of attempts its branch has
	deleted    int64 // live, sharedRest or copying
	proof      sql.NullInt64
}

// The values of the column deleted.
const (
	live       = 0
	sharedRest = 1 // deleted; only what its forks share is left
	copying    = 2 // a copy that is not complete: its key finds it, no name does
)

// contextColumns are the columns that into scans.
const contextColumns = `c.key, c.name, c.edition, c.first, c.origin, c.origin_cycle, c.origin_revision, c.fork, c.forks, c.attempts,
	c.erasures, c.deleted, c.proof`

// into returns the targets for scanning contextColumns, followed by more.
func (c *contextRow) into(more ...any) []any {
	return append([]any{&c.Key, &c.Name, &c.Edition, &c.First, &c.origin[0], &c.origin[1], &c.origin[2], &c.Fork, &c.forks,
		&c.attempts,
		&c.Erasures, &c.deleted, &c.proof}, more...)
}

// check returns E_STORE if the row does not match its proof.
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
	return append(list, c.Fork, c.forks, c.attempts, c.Erasures, c.deleted)
}

// contextRow reads the row of a context, even of a deleted one; without such a row it returns
// sql.ErrNoRows.
func (s *Store) contextRow(ctx context.Context, tx *sql.Tx, key int64) (c contextRow, err error) {
	if err := within(ctx, tx, s.stmts.contextRow).QueryRowContext(ctx, key).Scan(c.into()...); err != nil {
		return c, err
	}
	return c, c.check()
}

// within returns stmt bound to the transaction, or stmt itself if tx is nil.
func within(ctx context.Context, tx *sql.Tx, stmt *sql.Stmt) *sql.Stmt {
	if tx == nil {
		return stmt
	}
	return tx.StmtContext(ctx, stmt)
}

// alterContext changes the row of a context and its proof. It refuses a row that
// does not match its proof: a new proof would hide the damage.
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

// updateContext writes the columns of a context that can change, and the proof.
func (w *writer) updateContext(c *contextRow) error {
	return w.exec(w.store.stmts.updateContext, c.Name, c.forks, c.attempts, c.Erasures, c.deleted, rowProof(c.values()),
		int64(c.Key))
}

// checkLive returns E_CONTEXT_NOT_FOUND if the context is deleted.
func (c *contextRow) checkLive() error {
	if c.deleted == sharedRest {
		return noKey(c.Key)
	}
	return nil
}

// insert inserts the row of a context; the database gives the context its key.
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

// Prove writes the proof of every row of context: SQL cannot compute this part of a migration.
// rebind is that of [Dialect].
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
		if _, err := tx.ExecContext(ctx, s.bound(`UPDATE context SET proof = ? WHERE key = ?`), rowProof(c.values()),
			int64(c.Key)); err != nil {
			return err
		}
	}
	return nil
}
