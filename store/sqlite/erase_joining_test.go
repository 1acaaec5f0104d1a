package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
)

// Cycles may be joined at any moment, also between two reads of an erasure: it reads each
// revision once, where it was at one moment.
func TestErasingWhileCyclesAreJoined(t *testing.T) {
	t.Cleanup(joinSoon())
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	other, err := openFile(t.Context(), path)
	must(t, err)
	defer other.Close()
	w := begin(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var joining sync.WaitGroup
	joining.Go(func() {
		for ctx.Err() == nil {
			err := other.SettleAll(ctx)
			if err != nil && ctx.Err() == nil && !errors.Is(err, fault.Busy) {
				t.Error(err)
				return
			}
		}
	})
	for i := range testrun.Size(t, 10, 30, 1000) {
		text := fmt.Sprintf("Jane Doe the %dth", i)
		w.next(t, text)
		e := salted(w)
		e.Texts = []string{text}
		if _, err := s.Erase(t.Context(), w.state.Key, e); err != nil {
			t.Error(err)
			break
		}
		must(t, w.load(t.Context(), w.state.Key))
	}
	stop()
	joining.Wait()
	damage, err := s.Check(t.Context(), w.state.Key)
	if err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}
