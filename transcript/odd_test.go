package transcript

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// TestOddConversations: whatever a conversation is like, the working state
// renders back to all of it and snapshot k to what call k was sent.
func TestOddConversations(t *testing.T) {
	for seed := range testrun.Size[uint64](t, 100, 600, 6000) {
		o := genOdd{rand.New(rand.NewPCG(seed, 1))}
		messages := o.messages(14)
		checkFlat(t, "seed "+strconv.FormatUint(seed, 10), o.file(messages), messages)
		if t.Failed() {
			return
		}
	}
}

func checkFlat(t *testing.T, what, file string, messages []string) {
	t.Helper()
	doc, err := canon.ParseAny([]byte("[" + strings.Join(messages, ",") + "]"))
	must(t, err)
	known := len(doc.Elems) == 0
	for _, m := range doc.Elems {
		role, _ := m.Get("role")
		known = known || canonicalRoles[role.Text] != ""
	}
	list, err := Read([]byte(file))
	if !known && err != nil && strings.Contains(err.Error(), "a role that no provider knows") {
		return
	}
	if err != nil || !known {
		t.Fatalf("%s: %v in\n%s", what, err, file)
	}
	c := list[0]
	if len(list) != 1 || c.Name != "" || c.Shape() != calllog.ShapeOpenAI ||
		c.Messages() != len(messages) {
		t.Fatalf("%s: %d conversations, %+v", what, len(list), c)
	}
	made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "odd", c, nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var calls [][]canon.Any
	before := ""
	for i, m := range doc.Elems {
		role, _ := m.Get("role")
		if role.Text == "assistant" && before != "assistant" {
			calls = append(calls, doc.Elems[:i])
		}
		before = role.Text
	}
	compare(t, what, made, calls, doc.Elems)
	coresBeforeCalls(t, what, tree.Of(made.Working()))
}

// TestOddRuns is TestOddConversations for runs that rewrite their history.
func TestOddRuns(t *testing.T) {
	runs, rewritten, halved := testrun.Size(t, 100, 600, 6000), 0, 0
	for seed := range uint64(runs) {
		what := "seed " + strconv.FormatUint(seed, 10)
		o := genOdd{rand.New(rand.NewPCG(seed, 2))}
		file := []byte(o.run(o.IntN(8)))
		list, err := Read(file)
		if err != nil && strings.Contains(err.Error(), "no message has content or calls anything") {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v in\n%s", what, err, file)
		}
		made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "odd", list[0], nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		calls, final := sentBySteps(t, file)
		if leavesOut(t, made) { // the run took a result away and kept its call, which no provider takes
			if halved++; !tookResult(append(calls, final)) {
				t.Fatalf("%s: a call or a result is left out, and the run took no result away in\n%s", what, file)
			}
			continue
		}
		compare(t, what, made, calls, final)
		if seed%10 == 0 && len(calls) > 0 {
			exportAndBack(t, made)
		}
		if droppedFrom(list[0].lists()) < len(final) {
			rewritten++
		}
		if t.Failed() {
			return
		}
	}
	if halved > runs/100 {
		t.Errorf("%d of %d runs have calls whose results they took away", halved, runs)
	}
	if rewritten < runs/12 {
		t.Errorf("only %d of %d runs rewrite their end: the generator is too tame", rewritten, runs)
	}
}

// leavesOut reports whether a state of a run lacks a half of a pair.
func leavesOut(t *testing.T, c *pact.Context) bool {
	t.Helper()
	states := []*pact.Snapshot{c.Working()}
	if first, last := c.Info().First, c.Info().Cycle; first <= last {
		for s, err := range c.History(t.Context(), pact.Cycle(first), "latest") {
			must(t, err)
			states = append(states, s)
		}
	}
	return slices.ContainsFunc(states, func(s *pact.Snapshot) bool {
		left, err := LeftOut(t.Context(), s)
		must(t, err)
		return len(left) > 0
	})
}

// tookResult reports whether one of some lists lacks a result of a tool that the one before had.
func tookResult(lists [][]canon.Any) bool {
	for k := 1; k < len(lists); k++ {
		there := map[string]bool{}
		for _, m := range lists[k] {
			there[string(m.Value())] = true
		}
		for _, m := range lists[k-1] {
			if _, result := m.Get("tool_call_id"); result && !there[string(m.Value())] {
				return true
			}
		}
	}
	return false
}

// coresBeforeCalls checks that in every turn and in ^ah the core holds no call
// and no result, and that everything outside it is at offset 1 and starts with
// one.
func coresBeforeCalls(t *testing.T, what string, of *tree.Tree) {
	t.Helper()
	check := func(turn *tree.Entry) {
		var core, post []*tree.Entry
		for k := range sure.All(turn.Children().All()) {
			switch {
			case k.Class() == tree.Container:
				core = slices.Collect(sure.All(k.Children().All()))
			case k.Node().Offset == 0:
				core = append(core, k)
			default:
				post = append(post, k)
			}
		}
		for _, e := range core {
			if e.Node().Kind == "call" || e.Node().Kind == "result" {
				t.Errorf("%s: %s is in a core", what, e.Node().ID)
			}
		}
		for i, e := range post {
			first := e.Node().Kind == "call" || e.Node().Kind == "result"
			if e.Node().Offset != 1 || i == 0 && !first {
				t.Errorf("%s: %s (%s) is at offset %d", what, e.Node().ID, e.Node().Kind, e.Node().Offset)
			}
		}
	}
	for turn := range sure.All(of.Region(tree.Seq).Children().All()) {
		check(turn)
	}
	check(of.Region(tree.Head))
}

// TestMessagesInAnotherForm: messages of which nothing can be read are refused; one among others is a
// finding.
func TestMessagesInAnotherForm(t *testing.T) {
	other := `{"role":"user","blocks":[{"text":"Hi"}]}`
	for _, text := range []string{"[" + other + "]", other + "\n" + other, `{"messages":[` + other + `]}`,
		`[[` + other + `],[{"role":"user"}]]`} {
		if _, err := Read([]byte(text)); fault.CodeOf(err) != fault.DocumentInvalid ||
			!strings.Contains(err.Error(), "a form that pact does not know") {
			t.Errorf("%s: %v", text, err)
		}
	}
	list, err := Read([]byte(`[{"role":"user","content":"Hi"},` + other + `,{"role":"assistant"}]`))
	must(t, err)
	found := list[0].Findings()
	if len(found) != 1 || !strings.Contains(found[0].Message, "message 1 has no content") {
		t.Errorf("the findings are %v", found)
	}
}

// TestTotalsOfSWEAgent: what a trajectory counts of all calls together stays with the context, even if the
// rest of its fields is too long to keep.
func TestTotalsOfSWEAgent(t *testing.T) {
	for _, patch := range []string{"", strings.Repeat("x", 64<<10)} {
		text := `{"trajectory":[{"messages":[{"role":"user","content":"Fix it."},{"role":"assistant","content":"Done."}]}],` +
			`"info":{"submission":"` + patch + `","model_stats":{"instance_cost":0.25,"tokens_sent":1200,` +
			`"tokens_received":34,"api_calls":1}}}`
		list, err := Read([]byte(text))
		must(t, err)
		c, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "a", list[0], nil)
		must(t, err)
		want := Totals{Calls: 1, TokensIn: 1200, TokensOut: 34, Cost: 0.25}
		if got, ok := TotalsOf(c.Working()); got != want || !ok {
			t.Errorf("with %d bytes more: %+v, %v", len(patch), got, ok)
		}
	}
}
