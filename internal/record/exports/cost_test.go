package exports

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/contexttree/pact"
)

// chat returns a context of plain calls.
func chat(t *testing.T, calls int) *pact.Context {
	turns := [][]pact.Spec{{inSys(pact.Spec{Role: "system", Content: "be brief"}), {Role: "user", Content: "question"}}}
	for i := range calls {
		turns = append(turns, []pact.Spec{{Role: "assistant", Content: fmt.Sprint("answer ", i)},
			{Role: "user", Content: fmt.Sprint("question ", i)}})
	}
	return byHand(t, turns...)
}

// A trajectory costs what its calls bring, not what each was sent.
func TestATrajectoryCostsWhatItsCallsBring(t *testing.T) {
	bytes := func(calls int) uint64 {
		c := chat(t, calls)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := ATIF(t.Context(), io.Discard, c, pact.Latest(), func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := bytes(150), bytes(1200)
	if many > 12*few {
		t.Errorf("8 times the calls allocate %d bytes instead of %d, %.1f times as much", many, few, float64(many)/float64(few))
	}
}

// What is read from one call to the next is what each thread has, whatever goes, comes or changes in it.
func TestReadingWhatDiffersIsReadingTheThread(t *testing.T) {
	c := byHand(t)
	sys := func(b *pact.Batch, content string, ttl int64) {
		b.Add("^sys", pact.Spec{Role: "system", Content: content, TTL: ttl})
	}
	steps := []func(b *pact.Batch){
		func(b *pact.Batch) {
			sys(b, "be brief", 0)
			b.Add("^ah", pact.Spec{ID: "q", Role: "user", Content: "Q"})
		},
		func(b *pact.Batch) { b.Add("^ah", pact.Spec{Role: "assistant", Content: "A", TTL: 2}) },
		func(b *pact.Batch) {
			sys(b, "it rains", 2)
			b.Add("^ah", pact.Spec{Role: "user", Content: "Q2", TTL: 1})
		},
		func(b *pact.Batch) {},
		func(b *pact.Batch) { b.Add("^sys", pact.Spec{Kind: "tool", Content: map[string]any{"name": "ls"}}) },
		func(b *pact.Batch) {
			b.Add("^ah", pact.Spec{ID: "z", Role: "user", Content: "Z", Offset: -1})
			b.Add("^ah", pact.Spec{Role: "user", Content: "last"})
		},
		func(b *pact.Batch) {},
	}
	for _, step := range append(steps, steps[2:5]...) {
		if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error { step(b); return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	r := &reader{ctx: t.Context(), known: map[string]*part{}}
	var before []*part
	first, last := c.Cycles()
	for s, err := range c.History(t.Context(), pact.Cycle(int64(first)), pact.Cycle(int64(last))) {
		if err != nil {
			t.Fatal(err)
		}
		now, alone := &call{}, &call{}
		if err := r.read(now, s); err != nil {
			t.Fatal(err)
		}
		if err := (&reader{ctx: t.Context(), known: map[string]*part{}}).read(alone, s); err != nil {
			t.Fatal(err)
		}
		same := func(a, b *part) bool { return a.node.Same(b.node) && a.Section == b.Section && a.Call == b.Call }
		pairs := map[string][2][]*part{"tools": {now.tools, alone.tools}, "system": {now.system, alone.system},
			"said": {now.said, alone.said}}
		for name, pair := range pairs {
			if !slices.EqualFunc(pair[0], pair[1], same) {
				t.Errorf("@c%d: %s is of %d parts instead of %d", s.Cycle(), name, len(pair[0]), len(pair[1]))
			}
		}
		n := 0
		for n < min(len(before), len(now.said)) && before[n] == now.said[n] {
			n++
		}
		if before = now.said; now.same != n {
			t.Errorf("@c%d begins with %d parts of the call before, not %d", s.Cycle(), n, now.same)
		}
	}
}
