package store_test

import (
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := store.NewMemory()
		t.Cleanup(func() { s.Close() })
		return s
	})
}
