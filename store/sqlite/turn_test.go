package sqlite_test

import (
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

// conversation makes turns of textSize bytes in four messages, each durable when
// the call returns.
type conversation struct {
	store   engine.Contexts
	context *pact.Context
	turn    pact.CommitOptions
}

func converse(t testing.TB) *conversation {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "pact.db"))
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	text := write(random())
	edit := func(b *pact.Batch) error {
		for i, role := range []string{"user", "assistant", "tool", "assistant"} {
			b.Add("^ah", pact.Spec{Role: role, Kind: "text", Content: text[i*textSize/4 : (i+1)*textSize/4]})
		}
		return nil
	}
	return &conversation{s, c, pact.CommitOptions{Edit: edit}}
}

func (c *conversation) next(t testing.TB) {
	_, err := c.context.Commit(t.Context(), &c.turn)
	if err != nil {
		t.Fatal(err)
	}
}

// processor is the time that this process had a processor, in it and in the system.
func processor(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTurn compares the durable turn of a conversation, four messages and the
// commit, with inserting the same contents and headers as plain rows. Both are
// measured in turns, on the same disk.
func BenchmarkTurn(b *testing.B) {
	c, p := converse(b), plainly(b)
	text := write(random())
	for range 1000 {
		c.next(b)
		p.insert(b, text[:textSize/4], text[textSize/4:textSize/2], text[textSize/2:3*textSize/4], text[3*textSize/4:])
	}
	const each = 50
	var pact, plain, pactCPU, plainCPU time.Duration
	var before, between, after runtime.MemStats
	var allocated, plainly uint64
	turns := 0
	for b.Loop() {
		runtime.ReadMemStats(&before)
		start, cpu := time.Now(), processor(b)
		for range each {
			c.next(b)
		}
		pact, pactCPU = pact+time.Since(start), pactCPU+processor(b)-cpu
		runtime.ReadMemStats(&between)
		start, cpu = time.Now(), processor(b)
		for range each {
			p.insert(b, text[:textSize/4], text[textSize/4:textSize/2], text[textSize/2:3*textSize/4], text[3*textSize/4:])
		}
		plain, plainCPU = plain+time.Since(start), plainCPU+processor(b)-cpu
		runtime.ReadMemStats(&after)
		allocated, plainly = allocated+between.Mallocs-before.Mallocs, plainly+after.Mallocs-between.Mallocs
		turns += each
	}
	b.ReportMetric(float64(pact)/float64(plain), "pact/plain")
	b.ReportMetric(float64(pactCPU)/float64(plainCPU), "cpu/plain")
	b.ReportMetric(float64(pactCPU.Microseconds())/float64(turns), "cpu-µs/turn")
	b.ReportMetric(float64(allocated)/float64(turns), "allocs/turn")
	b.ReportMetric(float64(plainly)/float64(turns), "plain-allocs/turn")
}

// TestTurnAllocates holds a durable turn of four messages to a number of allocations, with its
// share of the joins and checkpoints beside it.
func TestTurnAllocates(t *testing.T) {
	testrun.CountsAllocations(t)
	turnsAllocate(t, converse(t), 210) // 181 alone
}

// turnsAllocate holds the turns of a conversation, with what settles in the background, to a number
// of allocations each.
func turnsAllocate(t *testing.T, c *conversation, most uint64) {
	const turns = 1024
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range turns {
		c.next(t)
	}
	must(t, c.store.Close()) // which waits for what is being packed
	runtime.ReadMemStats(&after)
	n := (after.Mallocs - before.Mallocs) / turns
	if t.Logf("%d allocations", n); n > most {
		t.Errorf("a turn makes %d allocations", n)
	}
}
