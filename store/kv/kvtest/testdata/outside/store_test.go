package outside_test

import (
	"testing"

	"example.com/outside"
	"github.com/contexttree/pact/store/kv"
	"github.com/contexttree/pact/store/kv/kvtest"
)

func TestStore(t *testing.T) {
	kvtest.Suite{Open: func(*testing.T) kv.Store { return outside.New() }}.Run(t)
}
