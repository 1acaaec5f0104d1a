package transcript

import (
	"encoding/json"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
)

// modelObjects splits a canonical thread into what it consists of.
func modelObjects(t *testing.T, s *pact.Snapshot) []string {
	t.Helper()
	thread, err := s.Thread(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(thread, &raw); err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(raw))
	for i, o := range raw {
		list[i] = string(o)
	}
	if "["+strings.Join(list, ",")+"]" != string(thread) {
		t.Fatal("the thread is not its objects")
	}
	return list
}

// prefixes holds the report on every cycle against the rendered threads, object
// by object, and returns the breaks by cycle and how many cycles there are.
func prefixes(t *testing.T, what string, c *pact.Context) (map[int64]*inspect.Break, int) {
	t.Helper()
	breaks, n := map[int64]*inspect.Break{}, 0
	var before []string
	for p, err := range c.Prefixes(t.Context(), pact.Cycle(1), pact.Latest()) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s, err := c.At(t.Context(), pact.Cycle(p.Cycle))
		if err != nil {
			t.Fatal(err)
		}
		now := modelObjects(t, s)
		same := 0
		for same < len(before) && same < len(now) && before[same] == now[same] {
			same++
		}
		size := len(strings.Join(now, ",")) + 2
		if p.Blocks != len(now) || p.Bytes != int64(size) || (p.Shared == nil) != (n == 0) {
			t.Fatalf("%s, cycle %d: %+v of %d blocks, %d bytes", what, p.Cycle, p, len(now), size)
		}
		if p.Shared != nil {
			bytes := len(strings.Join(now[:same], ",")) + 1
			if same == len(now) {
				bytes++
			}
			if p.Shared.Blocks != same || p.Shared.OfBlocks != len(before) || p.Shared.Bytes != int64(bytes) ||
				p.Shared.Complete != (same == len(before)) {
				t.Fatalf("%s, cycle %d: %+v, want %d of %d blocks, %d bytes", what, p.Cycle, p.Shared, same, len(before), bytes)
			}
		}
		if p.Break != nil {
			breaks[p.Cycle] = p.Break
		}
		before, n = now, n+1
	}
	return breaks, n
}
