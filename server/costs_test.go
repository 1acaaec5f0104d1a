package server_test

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
)

// Of a run with four times the calls no operation that reads allocates much more than four times as much.
func TestReadingCostsWhatTheRunHas(t *testing.T) {
	testrun.CountsAllocations(t)
	costs := func(calls int) map[string]uint64 {
		r := start(t, server.Options{Counter: counted})
		r.must(nil, "POST", "/v1/import?form=log&name=run", string(dbtest.Session(calls)), "Content-Type", "application/octet-stream")
		of, said := map[string]uint64{}, strings.NewReplacer("/said", "/block:2-0", "q=hello", "q=a")
		operations := r.operations(t)
		for _, id := range slices.Sorted(maps.Keys(operations)) {
			if list := triedOf(id, "run"); !operations[id] && list != nil {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if got := r.try(tried{list[0].method, said.Replace(list[0].path), list[0].body, nil}, nil); got.StatusCode >= 300 {
					t.Errorf("%s: %s %s", id, got.Status, got.body)
				}
				runtime.ReadMemStats(&after)
				of[id] = after.TotalAlloc - before.TotalAlloc
			}
		}
		return of
	}
	costs(10) // what a process makes once is no cost of a run
	size := testrun.Size(t, 25, 40, 250)
	few, many := costs(size), costs(4*size)
	ratio := func(id string) float64 {
		return float64(many[id]) / float64(max(few[id], 1<<19)) // below that the server's own work counts
	}
	// A measurement is too high where the collector has emptied a pool of buffers, such as that of a megabyte to compress
	// with.
	for range 2 {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(many)), func(id string) bool { return ratio(id) > 5 }) {
			break
		}
		least(few, costs(size))
		least(many, costs(4*size))
	}
	for id, bytes := range many {
		if t.Logf("%-16s %9d bytes, of 4 times the calls %9d", id, few[id], bytes); ratio(id) > 5 {
			t.Errorf("%s allocates %.1f times as much for 4 times the calls", id, ratio(id))
		}
	}
	if len(many) < 15 {
		t.Errorf("only %d operations were asked", len(many))
	}
}

// least keeps the smaller of two measurements of each operation.
func least(kept, again map[string]uint64) {
	for id, bytes := range again {
		kept[id] = min(kept[id], bytes)
	}
}
