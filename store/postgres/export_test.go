package postgres

import (
	"context"
	"time"

	"github.com/contexttree/pact/store/internal/sqlstore"
	"github.com/jackc/pgx/v5/pgconn"
)

// OpenThrough is Open by connections that the test makes.
func OpenThrough(ctx context.Context, address string, dial pgconn.DialFunc) (*Store, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.DialFunc = dial
	return openConfig(ctx, config, address, true, silence, patience)
}

// OpenImpatient is Open with other times than those of the package.
func OpenImpatient(ctx context.Context, address string, silence, patience time.Duration) (*Store, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	return openConfig(ctx, config, address, true, silence, patience)
}

// Escape and Unescape write texts as the database holds them, and read them.
var (
	Escape   = escape
	Unescape = unescape
)

// PackSoon has stores that are opened from now on pack pages of so many cycles, and
// keep as many as rows, until the function that it returns is called.
func PackSoon(cycles, keep int64) (restore func()) {
	before := dialect.Packing
	dialect.Packing = sqlstore.Packing{Cycles: cycles, Keep: keep}
	return func() { dialect.Packing = before }
}

// DirectorySoon has stores that are opened from now on write a directory whenever they
// pack, so that short histories are opened through one too, until the function that it
// returns is called.
func DirectorySoon() (restore func()) {
	before := dialect.Packing
	dialect.Packing.Directory = 1
	return func() { dialect.Packing = before }
}
