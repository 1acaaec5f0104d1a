package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
)

// TestManyJoinAtOnce has three pools commit to contexts of their own and to one that they share, and
// join all of them at the same time, with statements that all engines have.
func TestManyJoinAtOnce(t *testing.T) {
	address := postgrestest.Database(t)
	_, err := pact.Create(t.Context(), dbtest.Of(open(t, address)), "shared", nil)
	must(t, err)
	var wait sync.WaitGroup
	var wires []*wire
	for i := range 3 {
		s, w := listen(t, address)
		wires = append(wires, w)
		wait.Go(func() {
			own, err := pact.Create(t.Context(), dbtest.Of(s), fmt.Sprint("own ", i), nil)
			if err != nil {
				t.Error(err)
				return
			}
			for turn := range 12 {
				if _, err := put(t, own, "", fmt.Sprint("turn ", turn)); err != nil {
					t.Error(err)
				}
				shared, err := pact.Open(t.Context(), dbtest.Of(s), "shared", nil)
				if err == nil {
					_, err = put(t, shared, "", fmt.Sprint("turn ", turn, " of ", i))
				}
				if err != nil && fault.CodeOf(err) != fault.Conflict {
					t.Error(err)
				}
				if err := s.SettleAll(t.Context()); err != nil && fault.CodeOf(err) != fault.Busy {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for _, w := range wires {
		w.mu.Lock()
		holdToSubset(t, w.statements)
		w.mu.Unlock()
	}
	s := open(t, address)
	all, err := pact.VerifyAll(t.Context(), dbtest.Of(s), nil)
	must(t, err)
	if !all.Holds() {
		t.Errorf("%+v", all)
	}
	if list := segments(t, address); len(list) < 12 {
		t.Errorf("there are %d segments", len(list))
	}
}
