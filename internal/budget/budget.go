package budget

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
)

// budget counts down a limit, for all goroutines of a call.
type budget struct {
	nodes, snapshots         atomic.Int64
	mostNodes, mostSnapshots int64
}

type key struct{}

// With returns a context in which queries may visit so many nodes and read so many snapshots,
// all of them together.
func With(ctx context.Context, nodes, snapshots int64) context.Context {
	b := &budget{mostNodes: nodes, mostSnapshots: snapshots}
	b.nodes.Store(nodes)
	b.snapshots.Store(snapshots)
	return context.WithValue(ctx, key{}, b)
}

// Nodes takes visited nodes from the rest; E_LIMIT if that is too little.
func Nodes(ctx context.Context, n int) error {
	b, ok := ctx.Value(key{}).(*budget)
	if !ok || b.nodes.Add(-int64(n)) >= 0 {
		return nil
	}
	return fault.New(fault.Limit, "the query visits more than "+strconv.FormatInt(b.mostNodes, 10)+" nodes",
		"begin with an id, a region or a depth, or ask fewer snapshots; explain says what a query visits")
}

// Snapshots takes snapshots to read from the rest; E_LIMIT if that is too little.
func Snapshots(ctx context.Context, n int64) error {
	b, ok := ctx.Value(key{}).(*budget)
	if !ok || n <= 0 || b.snapshots.Add(-n) >= 0 {
		return nil
	}
	return fault.New(fault.Limit, "the query reads more than "+strconv.FormatInt(b.mostSnapshots, 10)+" snapshots",
		"ask for a shorter range, or for one range after the other")
}
