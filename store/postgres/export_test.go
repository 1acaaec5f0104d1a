package postgres

import (
	"context"
	"time"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/engine/zstd"
	"github.com/contexttree/pact/store/kv"
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

// OpenBytes opens the medium of a store.
func OpenBytes(ctx context.Context, address string) (kv.Store, error) {
	return openSteps(ctx, address, schema...)
}

// OpenNext opens a store with a schema that has one step more than that of the package.
func OpenNext(ctx context.Context, address, step string) (*Store, error) {
	m, err := openSteps(ctx, address, append(schema[:len(schema):len(schema)], step)...)
	if err != nil {
		return nil, err
	}
	return &Store{engine.New(m, zstd.Packing), m.db}, nil
}

func openSteps(ctx context.Context, address string, schema ...string) (*medium, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	return openMedium(ctx, config, address, true, silence, patience, schema)
}
