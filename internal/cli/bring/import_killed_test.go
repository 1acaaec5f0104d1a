package bring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// mortal is a medium that takes so many batches more; then the process is killed. It stays when it is closed.
type mortal struct {
	*store.Memory
	left int
}

var errKilled = errors.New("the process was killed")

func (m *mortal) Write(ctx context.Context, b *store.Batch) error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return m.Memory.Write(ctx, b)
}

func (*mortal) Close() error { return nil }

// An import that is killed, whenever that is, leaves calls with their answers and no other; the same import again goes on
// behind them, and leaves what one that nothing interrupts leaves.
func TestAKilledImportLeavesWholeCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	long := []byte(`"content":"` + strings.Repeat("x ", 150_000)) // of each result: a few calls are as much as waits
	log := bytes.ReplaceAll(dbtest.Branches(30, 2), []byte(`"content":"`), long)
	must(t, os.WriteFile(path, log, 0o600))
	var out bytes.Buffer
	a := &command.App{Screen: *screen.New(&out, &out, nil)}
	imported := func(m *mortal) error {
		in, err := planOf(t.Context(), a, path, &importFlags{})
		must(t, err)
		in.to = gathered.New(m)
		_, err = importAll(t.Context(), a, pact.NewDB(in.to), in)
		return err
	}
	left := func(m *mortal) string { // all that contexts and attempts say
		db := pact.NewDB(m.Memory)
		list, err := pact.List(t.Context(), db)
		must(t, err)
		var all strings.Builder
		for _, info := range list {
			c, err := pact.Open(t.Context(), db, info.Name, nil)
			must(t, err)
			attempts, err := c.Attempts(t.Context(), 0, info.Cycle+1)
			must(t, err)
			for _, a := range attempts {
				if a.Status == history.Running {
					t.Errorf("%s of %s is running for ever", a.ID, info.Name)
				}
			}
			text, err := json.Marshal([]any{info, attempts})
			must(t, err)
			all.Write(text)
			for e, err := range c.Log(t.Context(), 1) {
				must(t, err)
				all.WriteString(e.Digest + e.Message)
			}
		}
		return all.String()
	}
	whole := &mortal{store.NewMemory(), 1 << 20}
	must(t, imported(whole))
	want, killed := left(whole), 0
	for ; ; killed++ {
		m := &mortal{store.NewMemory(), killed}
		err := imported(m)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		left(m)
		m.left = 1 << 20
		must(t, imported(m))
		if got := left(m); got != want {
			t.Errorf("killed after %d batches, and imported again:\n%.2000s\nnot\n%.2000s", killed, got, want)
		}
	}
	if killed < 3 {
		t.Errorf("it was killed %d times", killed)
	}
}

var must = testrun.Must
