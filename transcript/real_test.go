package transcript

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// TestTauBench holds every list of every conversation against an independent
// reading of the file.
func TestTauBench(t *testing.T) {
	testrun.OneGoroutine(t)
	data := load(t, testrun.Shared(t, "data", "tau-bench-gpt-4o-airline.json")[0])
	conversations, err := Read(data)
	must(t, err)
	doc, err := canon.ParseAny(data)
	must(t, err)
	if len(conversations) != len(doc.Elems) || len(conversations) != 200 {
		t.Fatalf("%d conversations of %d", len(conversations), len(doc.Elems))
	}
	memory, messages, snapshots, refs := pact.NewDB(store.NewMemory()), 0, 0, map[string]int{}
	for i, c := range conversations {
		name := strconv.Itoa(i)
		if c.Name != name || c.Shape() != calllog.ShapeTauBench {
			t.Errorf("conversation %d is %q of shape %q", i, c.Name, c.Shape())
		}
		made, err := Import(t.Context(), memory, name, c, nil)
		if err != nil {
			t.Fatalf("conversation %d: %v", i, err)
		}
		traj, _ := doc.Elems[i].Get("traj")
		messages += len(traj.Elems)
		var calls [][]canon.Any
		for n, m := range traj.Elems {
			if role, _ := m.Get("role"); role.Text == "assistant" {
				calls = append(calls, traj.Elems[:n])
			}
		}
		snapshots += compare(t, "conversation "+name, made, calls, traj.Elems)
		if i%20 == 0 {
			moved, _, err := made.Migrate(t.Context(), memory, name+" in 1.0", selector.V1, false)
			must(t, err)
			compare(t, "conversation "+name+" in edition 1.0", moved, calls, traj.Elems)
		}
		coresBeforeCalls(t, "conversation "+name, tree.Of(made.Working()))
		for entry := range sure.All(tree.Of(made.Working()).All()) {
			n := entry.Node()
			refs[n.Kind] += len(n.Refs)
		}
		about := tree.Of(made.Working()).Root().Node().Header("tau-bench:conversation").Any()
		for _, field := range []string{"task_id", "reward", "info", "trial"} {
			want, _ := doc.Elems[i].Get(field)
			if got, _ := about.Get(field); got.Value() != want.Value() {
				t.Errorf("conversation %d: %s is not kept", i, field)
			}
		}
	}
	t.Logf("%d contexts, %d messages, %d snapshots compared", len(conversations), messages, snapshots)
	if messages != 5308 || refs["call"] != 1164 || refs["result"] != 1164 {
		t.Errorf("%d messages, references of %v", messages, refs)
	}
}

// TestSWESmith holds every list of every run against the lists in the file:
// what step i-1 left is what call i was sent.
func TestSWESmith(t *testing.T) {
	testrun.OneGoroutine(t)
	for _, path := range testrun.Shared(t, "data", "*.traj") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := load(t, path)
			list, err := Read(data)
			must(t, err)
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "run", list[0], nil)
			must(t, err)
			calls, final := sentBySteps(t, data)
			n := compare(t, "run", made, calls, final)
			if list[0].Calls() != len(calls) || list[0].Messages() != len(final) {
				t.Errorf("%d calls and %d messages, want %d and %d", list[0].Calls(), list[0].Messages(), len(calls), len(final))
			}
			coresBeforeCalls(t, "run", tree.Of(made.Working()))
			t.Logf("%d messages, %d snapshots compared", len(final), n)
		})
	}
}

// sentBySteps reads from a trajectory what each call was sent, and the list
// that the last step left.
func sentBySteps(t *testing.T, data []byte) (calls [][]canon.Any, final []canon.Any) {
	t.Helper()
	doc, err := canon.ParseAny(data)
	must(t, err)
	trajectory, _ := doc.Get("trajectory")
	for i, step := range trajectory.Elems {
		list, _ := step.Get("messages")
		if i == 0 {
			final = list.Elems
			for n, m := range list.Elems {
				if role, _ := m.Get("role"); role.Text == "assistant" {
					final = list.Elems[:n]
					break
				}
			}
		}
		calls = append(calls, final)
		final = list.Elems
	}
	return calls, final
}

// compare holds each snapshot and the working state of a context, as OpenAI
// messages, against the lists they are to be, and checks the order of calls
// and results. It returns the number of states compared.
func compare(t *testing.T, what string, c *pact.Context, calls [][]canon.Any, final []canon.Any) int {
	t.Helper()
	ctx := context.Background()
	first, last := c.Info().First, c.Info().Cycle
	if n := last - first + 1; n != int64(len(calls)) {
		t.Errorf("%s: %d snapshots of %d calls", what, n, len(calls))
		return 0
	}
	for i, want := range calls {
		s, err := c.At(ctx, pact.Cycle(first+int64(i)))
		must(t, err)
		compareList(t, what+", call "+strconv.Itoa(i), s, want)
	}
	compareList(t, what+", working state", c.Working(), final)
	return len(calls) + 1
}

func compareList(t *testing.T, what string, s *pact.Snapshot, want []canon.Any) {
	t.Helper()
	text, err := OpenAI(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got, err := canon.ParseAny(text)
	if err != nil {
		t.Fatalf("%s: %v in %s", what, err, text)
	}
	if string(text) != string(got.Value()) {
		t.Errorf("%s: not in canonical form: %s", what, text)
	}
	if len(got.Elems) != len(want) {
		t.Errorf("%s: %d messages, want %d", what, len(got.Elems), len(want))
		return
	}
	for i := range want {
		if got, want := got.Elems[i].Value(), want[i].Value(); got != want {
			t.Errorf("%s, message %d:\n got %s\nwant %s", what, i, got, want)
			return
		}
	}
	resultsFollowCalls(t, what, s)
	sameAsModel(t, what, tree.Of(s))
}

// resultsFollowCalls checks that whatever a result refers to stands before it
// and is a call, and that a call refers to results after it.
func resultsFollowCalls(t *testing.T, what string, s *pact.Snapshot) {
	t.Helper()
	at, n := map[string]int{}, 0
	for entry := range sure.All(tree.Of(s).All()) {
		node := entry.Node()
		at[node.ID] = n
		n++
	}
	for entry := range sure.All(tree.Of(s).All()) {
		node := entry.Node()
		for _, ref := range node.Refs {
			place, there := at[ref]
			if !there {
				continue
			}
			other := sure.Get(tree.Of(s).Node(ref))
			forward := node.Kind == "call" && other.Kind == "result" && place > at[node.ID]
			backward := node.Kind == "result" && other.Kind == "call" && place < at[node.ID]
			if !forward && !backward {
				t.Errorf("%s: %s (%s) refers to %s (%s)", what, node.ID, node.Kind, ref, other.Kind)
			}
		}
	}
}
