package kv_test

import (
	"testing"

	"github.com/contexttree/pact/store/kv"
	"github.com/contexttree/pact/store/kv/kvtest"
)

func TestMemory(t *testing.T) {
	kvtest.Suite{Open: func(*testing.T) kv.Store { return kv.NewMemory() }}.Run(t)
}
