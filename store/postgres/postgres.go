package postgres

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/internal/sqlstore"
	"github.com/jackc/pgx/v5/pgconn"
)

// Store is the store in a database. It implements store.Store.
type Store struct {
	*sqlstore.Store
	db *sql.DB
}

// connections is how many connections a store opens at most.
const connections = 16

// IsAddress reports whether a text is the address of a database rather than the path of a file.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Shown returns an address without its password. Of a text that is no URL it shows only how it
// begins, because anything in it may be the password.
func Shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://…"
	}
	q := u.Query()
	if q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// Open opens the store in a database, whose address is a postgres:// URL, and makes missing
// tables. It returns E_STORE if the database cannot be reached, has tables of the same
// names that belong to something else, or is of a newer version.
func Open(ctx context.Context, address string) (*Store, error) { return open(ctx, address, true) }

// OpenExisting opens a store as [Open] does, but makes none: it returns E_STORE if the
// database has none.
func OpenExisting(ctx context.Context, address string) (*Store, error) {
	return open(ctx, address, false)
}

func open(ctx context.Context, address string, make bool) (*Store, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, fault.New(fault.Store, "cannot read the address "+Shown(address),
			"write it as postgres://user:password@host:5432/database")
	}
	return openConfig(ctx, config, address, make, silence, patience)
}

func openConfig(ctx context.Context, config *pgconn.Config, address string, make bool,
	silence, patience time.Duration) (*Store, error) {
	c := &connector{config: watching(config, silence, patience), patience: patience}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := migrate(ctx, db, address, make); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	c.opened.Store(true)
	s, err := sqlstore.New(ctx, db, db, dialect)
	if err != nil {
		return nil, err
	}
	return &Store{s, db}, nil
}

var dialect = sqlstore.Dialect{
	Rebind: rebind, OwnContents: true, Again: again, InDoubt: inDoubt, IsConstraint: isConstraint,
	Snapshot: sql.LevelRepeatableRead, Explain: explain,
	BeginWrite:  func(_ context.Context, begin func() error) error { return begin() },
	CheckFiles:  func() error { return nil },
	AfterCommit: func(context.Context, *sql.Conn) error { return nil },
	// PostgreSQL can check its own pages: initdb --data-checksums.
	Check: func(context.Context, *sql.DB) (string, error) { return "", nil },
	Clean: clean,
}

// clean rewrites the tables if an erasure left something to clean up.
func clean(ctx context.Context, db *sql.DB) (remains string, err error) {
	last, err := lastUnclean(ctx, db)
	if err != nil || !last.Valid {
		return "", err
	}
	return "", rewrite(ctx, db, last)
}

// lastUnclean is the number of the last erasure that is not cleaned up, if there is one.
func lastUnclean(ctx context.Context, db *sql.DB) (last sql.NullInt64, err error) {
	return last, db.QueryRowContext(ctx, "SELECT max(no) FROM unclean").Scan(&last)
}

// rewrite rewrites the tables that hold anything of a context, without the free parts of their
// pages; this cleans up after the erasures up to cleaned. Others wait meanwhile. Plain VACUUM
// would not do: it frees space for reuse and leaves the old bytes in it.
func rewrite(ctx context.Context, db *sql.DB, cleaned sql.NullInt64) error {
	for _, table := range [...]string{"node_version", "content", "page", "page_block", "page_name", "directory",
		"directory_run", "log", "attempt", "context"} {
		if _, err := db.ExecContext(ctx, "VACUUM (FULL) "+table); err != nil {
			return err
		}
	}
	if !cleaned.Valid {
		return nil
	}
	_, err := db.ExecContext(ctx, "DELETE FROM unclean WHERE no <= $1", cleaned.Int64)
	return err
}
