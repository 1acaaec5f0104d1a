package sqlite_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

const textSize = 3700

// write returns a text of textSize bytes, another one each time.
func write(r *rand.Rand) string {
	const letters = "abcdefghijklmnop qrstuvwxyz"
	b := make([]byte, textSize)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// TestFileSize holds the file of a long conversation to one and a half times
// its content.
func TestFileSize(t *testing.T) {
	testrun.OneGoroutine(t)
	const count, step = 1500, 50
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	text := rand.New(rand.NewPCG(3, 7))
	for range count / step {
		guard := engine.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision}
		w.collect, w.changes = true, nil
		for range step {
			w.next(t, write(text))
		}
		must(t, w.store.Apply(t.Context(), w.state.Key, guard, w.changes...))
	}
	must(t, w.store.Close())
	info, err := os.Stat(path)
	must(t, err)
	ratio := float64(info.Size()) / (count * textSize)
	t.Logf("%d turns of %d bytes: %d bytes, %.3f times the content", count, textSize, info.Size(), ratio)
	if ratio > 1.5 {
		t.Errorf("the file is %.3f times its content, more than 1.5", ratio)
	}
}

// TestTurnAllocates holds a durable turn of four messages, with its share of the joins and checkpoints in
// the background, to a number of allocations.
func TestTurnAllocates(t *testing.T) {
	testrun.CountsAllocations(t)
	const turns, most = 1024, 210 // 181 alone
	s := open(t, filepath.Join(t.TempDir(), "pact.db"))
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	text := write(rand.New(rand.NewPCG(1, 2)))
	turn := pact.CommitOptions{Edit: func(b *pact.Batch) error {
		for i, role := range []string{"user", "assistant", "tool", "assistant"} {
			b.Add("^ah", pact.Spec{Role: role, Kind: "text", Content: text[i*textSize/4 : (i+1)*textSize/4]})
		}
		return nil
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range turns {
		_, err := c.Commit(t.Context(), &turn)
		must(t, err)
	}
	must(t, s.Close()) // which waits for what is being packed
	runtime.ReadMemStats(&after)
	n := (after.Mallocs - before.Mallocs) / turns
	if t.Logf("%d allocations", n); n > most {
		t.Errorf("a turn makes %d allocations", n)
	}
}
