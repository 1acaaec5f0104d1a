package verify_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

// TestVerifyBesideErasures verifies while turns are erased, one after the other:
// what is read half before and half after is no damage.
func TestVerifyBesideErasures(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	turnsOf(t, c, strings.Split("abcdefghijkl", "")...)
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < 12 && err == nil; i++ {
			e := erasure(fmt.Sprintf("cb:%d-0", i+1))
			e.Random = rand.NewChaCha8([32]byte{byte(i)})
			_, err = c.Erase(background, e)
		}
		done <- err
	}()
	for ended := false; !ended; {
		select {
		case err := <-done:
			must(t, err)
			ended = true
		default:
		}
		r, err := pact.Verify(background, s, "c", nil)
		must(t, err)
		if r.Defect != nil || ended && (r.Erased != 12 || len(r.Erasures) != 12) {
			t.Fatalf("at the end %v: %+v, %+v", ended, r, r.Defect)
		}
	}
}
