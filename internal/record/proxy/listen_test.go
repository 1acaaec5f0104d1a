package proxy_test

import (
	"errors"
	"net"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/proxy"
)

// An address that another program listens on is E_BUSY, one that no program could listen on E_STORE.
func TestListenSaysWhetherAnAddressIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	for address, want := range map[string]fault.Code{taken.Addr().String(): fault.Busy, "127.0.0.1:99999": fault.Store} {
		if _, err := proxy.Listen(address); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}
