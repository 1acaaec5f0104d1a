package calllog

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// branches writes a transcript of Claude Code: questions below one answer to a prompt, or of two branches in turn.
func branches(n int, prompt string, inTurn bool) []byte {
	var b strings.Builder
	line := func(kind, id, parent, message string) {
		fmt.Fprintf(&b, `{"parentUuid":%s,"sessionId":"s","type":%q,"uuid":%q,"message":{"role":%q,%s}}`+"\n", parent, kind, id, kind, message)
	}
	line("user", "u0", "null", fmt.Sprintf(`"content":%q`, prompt))
	line("assistant", "a0", `"u0"`, `"id":"m0","model":"m","content":[{"type":"text","text":"yes"}]`)
	last := []string{`"a0"`, `"a0"`}
	for i := 1; i <= n; i++ {
		line("user", fmt.Sprint("u", i), last[i%2], fmt.Sprintf(`"content":"%d?"`, i))
		line("assistant", fmt.Sprint("a", i), fmt.Sprintf(`"u%d"`, i), fmt.Sprintf(`"id":"m%d","model":"m","content":[{"type":"text","text":"%d"}]`, i, i))
		if inTurn {
			last[i%2] = fmt.Sprintf(`"a%d"`, i)
		}
	}
	return []byte(b.String())
}

// TestBranchesShareTheirMessages: reading more branches below one prompt does not copy the prompt for each.
func TestBranchesShareTheirMessages(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	const size = 200_000
	for _, inTurn := range []bool{false, true} {
		reading := func(n int) int {
			text := branches(n, strings.Repeat("x", size), inTurn)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			log, err := Read(text)
			runtime.ReadMemStats(&after)
			if err != nil || len(log.Sessions[0].Calls) != n+1 {
				t.Fatalf("%v, %+v", err, log)
			}
			return int(after.TotalAlloc - before.TotalAlloc)
		}
		if few, many := reading(2), reading(42); many > few+20*size {
			t.Errorf("in turn %t: 2 branches allocate %d bytes, 42 allocate %d", inTurn, few, many)
		}
	}
}
