package outside_test

import (
	"testing"

	"example.com/outside"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Suite{Open: func(*testing.T) store.Store { return outside.New() }}.Run(t)
}
