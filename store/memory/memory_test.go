package memory_test

import (
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/memory"
	"github.com/contexttree/pact/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := memory.New()
		t.Cleanup(func() { s.Close() })
		return s
	})
}
