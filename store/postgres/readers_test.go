package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
)

// More readers than there are connections, each of a context that was not read
// before, all come to their end: none needs a second connection while it holds one.
func TestManyReaders(t *testing.T) {
	const readers = 40
	address := postgrestest.Database(t)
	s := open(t, address)
	for i := range readers {
		c, err := pact.Create(t.Context(), dbtest.Of(s), fmt.Sprint("chat ", i), nil)
		must(t, err)
		commit(t, c, "", 1)
		commit(t, c, "", 2)
	}
	list, err := s.List(t.Context())
	must(t, err)
	again := open(t, address)
	var wait sync.WaitGroup
	for _, info := range list {
		wait.Go(func() {
			if l, err := engine.Collect(again.History(t.Context(), info.Key, 1, 2)); len(l) != 2 || err != nil {
				t.Errorf("%s: %d snapshots, %v", info.Name, len(l), err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("the readers wait for each other")
	}
}
