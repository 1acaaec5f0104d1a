package exports

import (
	"slices"
	"testing"

	"github.com/contexttree/pact"
)

// What is read from one call to the next is what each thread has, whatever goes, comes or changes in it.
func TestReadingWhatDiffersIsReadingTheThread(t *testing.T) {
	c := byHand(t)
	sys := func(b *pact.Batch, content string, ttl *int64) {
		b.Add("^sys", pact.Spec{Role: "system", Content: content, TTL: ttl})
	}
	steps := []func(b *pact.Batch){
		func(b *pact.Batch) {
			sys(b, "be brief", nil)
			b.Add("^ah", pact.Spec{ID: "q", Role: "user", Content: "Q"})
		},
		func(b *pact.Batch) { b.Add("^ah", pact.Spec{Role: "assistant", Content: "A", TTL: new(int64(2))}) },
		func(b *pact.Batch) {
			sys(b, "it rains", new(int64(2)))
			b.Add("^ah", pact.Spec{Role: "user", Content: "Q2", TTL: new(int64(1))})
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
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error { step(b); return nil }})
		must(t, err)
	}
	r := &reader{ctx: t.Context(), known: map[string]*part{}}
	var before []*part
	first, last := c.Info().First, c.Info().Cycle
	for s, err := range c.History(t.Context(), pact.Cycle(int64(first)), pact.Cycle(int64(last))) {
		must(t, err)
		now, alone := &call{}, &call{}
		must(t, r.read(now, s))
		must(t, (&reader{ctx: t.Context(), known: map[string]*part{}}).read(alone, s))
		same := func(a, b *part) bool { return a.node.Equal(b.node) && a.Section == b.Section && a.Call == b.Call }
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
