package store_test

import (
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Suite{Open: func(*testing.T) store.Store { return store.NewMemory() }}.Run(t)
}
