package postgres

import (
	"context"
	"time"

	"github.com/contexttree/pact/store"

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
func OpenBytes(ctx context.Context, address string) (store.Store, error) {
	return openSteps(ctx, address, schema...)
}

// OpenNext opens a store with a schema that has one step more than that of the package.
func OpenNext(ctx context.Context, address, step string) (*Store, error) {
	return openSteps(ctx, address, append(schema[:len(schema):len(schema)], step)...)
}

func openSteps(ctx context.Context, address string, schema ...string) (*Store, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	return openSchema(ctx, config, address, true, silence, patience, schema)
}

// TimeOfEach returns how long a server of an address may say nothing before the next one is asked.
func TimeOfEach(address string) (time.Duration, error) {
	config, err := pgconn.ParseConfig(address)
	if err == nil {
		_ = reachOf(config, patience)
		return config.ConnectTimeout, nil
	}
	return 0, err
}
