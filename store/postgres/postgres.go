package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/zstd"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/sqlkv"
	"github.com/jackc/pgx/v5/pgconn"
)

// Store is the store in a database. It implements store.Store, store.Cleaner and store.Packer.
type Store struct {
	*keyValues
	connector *connector
}

type keyValues = sqlkv.Store

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
// tables. It returns E_STORE if the database cannot be reached, has tables of the same names that
// belong to something else, or is of a newer version or of one before the first release.
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
	return openSchema(ctx, config, address, make, silence, patience, schema)
}

func openSchema(ctx context.Context, config *pgconn.Config, address string, make bool,
	silence, patience time.Duration, schema []string) (*Store, error) {
	c := &connector{patience: patience, reach: reachOf(config, patience)}
	c.config = watching(config, silence, patience)
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := migrate(ctx, db, address, make, schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	c.opened.Store(true)
	return &Store{sqlkv.New(db, db, dialect), c}, nil
}

// reachOf returns how long to wait for one of the servers of an address, and gives a server that says nothing a time if
// the address gives it none (connect_timeout) and names others.
func reachOf(config *pgconn.Config, patience time.Duration) time.Duration {
	if !slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != config.Host || f.Port != config.Port }) {
		return patience
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, ofEach)
	return patience + config.ConnectTimeout*time.Duration(len(config.Fallbacks))
}

var dialect = sqlkv.Dialect{Snapshot: sql.LevelRepeatableRead, Refused: refused, Again: waitToRetry, InDoubt: inDoubt, Explain: explain}

// Packing implements store.Packer.
func (s *Store) Packing() store.Packing { return zstd.Packing }
