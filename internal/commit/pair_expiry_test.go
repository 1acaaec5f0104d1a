package commit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// A result goes exactly when its ttl says, whoever its call is (03 §4.1), and
// what that leaves without its partner goes with it, or stays and is named.
func TestCallsAndResultsExpireTogether(t *testing.T) {
	call := tree.Spec{ID: "c", Role: "assistant", Kind: "call", Offset: 1}
	result := tree.Spec{ID: "r", Role: "tool", Kind: "result", Offset: 1, Refs: []string{"c"}}
	with := func(s tree.Spec, change func(*tree.Spec)) tree.Spec { change(&s); return s }
	ttl := func(n int64) func(*tree.Spec) { return func(s *tree.Spec) { s.TTL = tree.TTL(n) } }
	for _, c := range []struct {
		rule    string
		orphans lifecycle.Orphans
		specs   []tree.Spec
		want    []string // in the snapshots of cycles 1, 2 and 3
		orphan  string   // that the commits report
	}{
		{"a result of ttl 0 is in no snapshot, and its call, which is persistent, in each (03 §3.1)", "",
			[]tree.Spec{call, with(result, ttl(0))}, []string{"c", "c", "c"}, "c"},
		{"unless orphans are refused", "refuse", []tree.Spec{call, with(result, ttl(0))}, []string{"", "", ""}, "c"},
		{"the same where keep is asked for", "keep", []tree.Spec{call, with(result, ttl(0))}, []string{"c", "c", "c"},
			"c"},
		{"a result of ttl 1 is in one", "refuse", []tree.Spec{call, with(result, ttl(1))}, []string{"c r", "", ""}, "c"},
		{"the same where orphans are dropped", "drop", []tree.Spec{call, with(result, ttl(1))}, []string{"c r", "", ""}, "c"},
		{"what both refer to goes at once", "",
			[]tree.Spec{with(call, func(s *tree.Spec) { s.Refs = []string{"r"}; s.TTL = tree.TTL(1) }), with(result, ttl(2))},
			[]string{"c r", "c r", ""}, ""},
		{"a call that its result refers to waits for it", "", []tree.Spec{with(call, ttl(1)), with(result, ttl(2))},
			[]string{"c r", "c r", ""}, ""},
		{"a call that alone refers does not", "",
			[]tree.Spec{with(call, func(s *tree.Spec) { s.Refs = []string{"r"}; s.TTL = tree.TTL(1) }),
				with(result, func(s *tree.Spec) { s.Refs = nil })}, []string{"c r", "r", "r"}, "r"},
		{"with another result the call stays", "", []tree.Spec{call, with(result, ttl(1)),
			with(result, func(s *tree.Spec) { s.ID = "q" })}, []string{"c r q", "c q", "c q"}, ""},
		{"a pinned call stays", "", []tree.Spec{with(call, func(s *tree.Spec) { s.Pinned = true }), with(result, ttl(1))},
			[]string{"c r", "c", "c"}, "c"},
		{"a call in a sealed core stays", "drop", []tree.Spec{with(call, func(s *tree.Spec) { s.Offset = 0 }),
			with(result, ttl(1))}, []string{"c r", "c", "c"}, "c"},
		{"a call that something refers to stays", "", []tree.Spec{call, with(result, ttl(1)),
			{ID: "n", Kind: "note", Offset: 1, Refs: []string{"c"}}}, []string{"c r n", "c n", "c n"}, "c"},
		{"a group of kind result is none", "keep", []tree.Spec{call, {ID: "r", Type: "cont", Kind: "result", Offset: 1,
			Refs: []string{"c"}, TTL: tree.TTL(1)}}, []string{"c r", "c", "c"}, "c"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := beginCycles(t)
			working := s.edit(func(x *tree.Editor) error {
				for _, spec := range c.specs {
					s.ids = append(s.ids, spec.ID)
					if _, err := x.Add("^ah", spec); err != nil {
						return err
					}
				}
				return nil
			})
			var orphans []string
			for cycle, want := range c.want {
				left, report := s.commit(working, commit.Input{Before: s.tree, Policy: lifecycle.Policy{Orphans: c.orphans}})
				if left != want {
					t.Errorf("snapshot %d: got %q, want %q", cycle+1, left, want)
				}
				for _, o := range report.Orphans {
					orphans = append(orphans, o.ID)
				}
				working = s.tree.WithCycle(s.stamps.Cycle)
			}
			equal(t, "orphans", strings.Join(orphans, " "), c.orphan)
		})
	}
}

// A result that never had a call, as the documents print one (02 §4.1.1, §12.9), is
// worth a word, and a refusal only where a call is missing and the policy refuses that.
func TestResultsThatNeverHadACallAreReported(t *testing.T) {
	for _, c := range []struct {
		lines   string
		orphans lifecycle.Orphans
		refused string
		left    string
	}{
		{"c assistant call f", "", "", "c"},
		{"r tool result ok c\nc assistant call f r", "", "", "r c"},
		{"post tool result ok", "", "", "post"},
		{"post tool result ok", "refuse", "", "post"},
		{"post tool result ok", "keep", "", "post"},
		{"post tool result ok", "drop", "", ""},
		{"doc user text a\npost tool result ok doc", "", "", "doc post"},
		{"post tool result ok missing", "refuse", "post", ""},
		{"r tool result ok c\nc assistant call f r", "refuse", "r", ""},
		{"c assistant call f", "refuse", "c", ""},
	} {
		s, working := told(t, c.lines)
		in := commit.Input{Before: s.tree, Working: working, Stamps: s.stamps, Env: s.env,
			Policy: lifecycle.Policy{Orphans: c.orphans}}
		got, _, report, err := commit.Run(context.Background(), in)
		what := fmt.Sprintf("%q with orphans %q", c.lines, c.orphans)
		if e, _ := err.(*fault.Error); c.refused != "" {
			if e == nil || e.Code != fault.PlacementInvalid || e.Node != c.refused {
				t.Errorf("%s: got %v", what, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		s.tree = got
		if left := s.left(); left != c.left || len(report.Orphans) == 0 {
			t.Errorf("%s: got %q, report %+v", what, left, report.Orphans)
		}
	}
}
