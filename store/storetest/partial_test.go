package storetest_test

import (
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/memory"
	"github.com/contexttree/pact/store/storetest"
)

// core is a store that can do what every store can, and nothing else.
type core struct{ store.Store }

// TestCore holds a store without any further power to the contract: the suite
// leaves out what it cannot be asked for.
func TestCore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return core{memory.New()} })
}
