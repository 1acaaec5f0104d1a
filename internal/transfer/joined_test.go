package transfer_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/transfer"
)

// stopping is a target that stops a copy after some pieces.
type stopping struct {
	*engine.Engine
	left int
}

var errStopped = errors.New("stopped")

func (s *stopping) ExtendCopy(ctx context.Context, key history.Key, p *engine.Part) error {
	if s.left--; s.left < 0 {
		return errStopped
	}
	return s.Engine.ExtendCopy(ctx, key, p)
}

// TestJoined copies what was joined, into a file whose unfinished copy was joined as well before it
// goes on.
func TestJoined(t *testing.T) {
	path, target := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	names := family(t, path)
	from := open(t, path)
	_, err := from.Compact(background)
	must(t, err)
	for left := 1; ; left++ {
		to := &stopping{open(t, target), left}
		_, err := transfer.Copy(background, from, to, nil, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		_, err = to.Compact(background)
		must(t, err)
		must(t, to.Close())
	}
	equal(t, names, path, target)
}
