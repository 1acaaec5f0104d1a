package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/contexttree/pact/store"
)

const (
	insertToken = `INSERT INTO access_token (name, hash, write, pattern, created_ns, proof) VALUES (?, ?, ?, ?, ?, ?)`
	deleteToken = `DELETE FROM access_token WHERE name = ?`
	tokenNamed  = `SELECT count(*) FROM access_token WHERE name = ?`
	tokenRows   = `SELECT name, hash, write, pattern, created_ns, proof FROM access_token ORDER BY name`
)

// tokenValues returns the values of the row of a token without its proof.
func tokenValues(t store.AccessToken) []any {
	write := int64(0)
	if t.Write {
		write = 1
	}
	return []any{t.Name, t.Hash[:], write, t.Pattern, t.CreatedNS}
}

// AddToken implements store.TokenKeeper. Cost: one row, and one synchronisation of the medium.
func (s *Store) AddToken(ctx context.Context, t store.AccessToken) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.transact(ctx, "adding a token", func(w *writer) error {
		there, err := w.hasToken(t.Name)
		if err != nil {
			return err
		}
		if there {
			return store.TokenTaken(t.Name)
		}
		values := tokenValues(t)
		return w.execOnce(insertToken, append(values, rowProof(values))...)
	})
}

// RevokeToken implements store.TokenKeeper. Cost: one row, and one synchronisation of the medium.
func (s *Store) RevokeToken(ctx context.Context, name string) error {
	return s.transact(ctx, "revoking a token", func(w *writer) error {
		there, err := w.hasToken(name)
		if err != nil {
			return err
		}
		if !there {
			return store.NoToken(name)
		}
		return w.execOnce(deleteToken, name)
	})
}

func (w *writer) hasToken(name string) (bool, error) {
	var n int64
	err := w.tx.QueryRowContext(w.ctx, w.store.bound(tokenNamed), name).Scan(&n)
	return n > 0, err
}

// Tokens implements store.TokenKeeper. It returns E_STORE if a row is not as it was written: a
// damaged pattern could open other contexts.
func (s *Store) Tokens(ctx context.Context) ([]store.AccessToken, error) {
	list, err := tokensIn(ctx, s.read, s.bound(tokenRows))
	return list, s.fail(ctx, err, "reading the tokens")
}

func tokensIn(ctx context.Context, in interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string) ([]store.AccessToken, error) {
	rows, err := in.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []store.AccessToken
	for rows.Next() {
		var t store.AccessToken
		var hash []byte
		var write, proof int64
		if err := rows.Scan(&t.Name, &hash, &write, &t.Pattern, &t.CreatedNS, &proof); err != nil {
			return nil, err
		}
		t.Write = write == 1
		if copy(t.Hash[:], hash) != len(hash) || rowProof(tokenValues(t)) != proof {
			return nil, (&store.Damage{NoCycle: true,
				What: "the token " + strconv.Quote(t.Name) + " is not as it was written"}).Err()
		}
		list = append(list, t)
	}
	return list, rows.Err()
}
