package transcript

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
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
	if err != nil {
		t.Fatal(err)
	}
	known := len(doc.Elems) == 0
	for _, m := range doc.Elems {
		role, _ := m.Get("role")
		known = known || slices.Contains(roleNames, role.Text)
	}
	list, err := Read([]byte(file))
	if !known && err != nil && strings.Contains(err.Error(), "a role that no provider knows") {
		return
	}
	if err != nil || !known {
		t.Fatalf("%s: %v in\n%s", what, err, file)
	}
	c := list[0]
	if len(list) != 1 || c.Name != "" || c.Shape != ShapeOpenAI || Detect([]byte(file)) != ShapeOpenAI ||
		c.Messages() != len(messages) {
		t.Fatalf("%s: %d conversations, %+v", what, len(list), c)
	}
	made, err := Import(t.Context(), store.NewMemory(), "odd", c, nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var calls [][]canon.Any
	for i, m := range doc.Elems {
		if role, _ := m.Get("role"); role.Text == "assistant" {
			calls = append(calls, doc.Elems[:i])
		}
	}
	compare(t, what, made, calls, doc.Elems)
	coresBeforeCalls(t, what, made.Working().Tree())
}

// TestOddRuns is TestOddConversations for runs that rewrite their history.
func TestOddRuns(t *testing.T) {
	runs, rewritten := testrun.Size(t, 100, 600, 6000), 0
	for seed := range uint64(runs) {
		what := "seed " + strconv.FormatUint(seed, 10)
		o := genOdd{rand.New(rand.NewPCG(seed, 2))}
		file := []byte(o.run(o.IntN(8)))
		list, err := Read(file)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", what, err, file)
		}
		made, err := Import(t.Context(), store.NewMemory(), "odd", list[0], nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		calls, final := sentBySteps(t, file)
		compare(t, what, made, calls, final)
		if seed%10 == 0 && len(calls) > 0 {
			exportAndBack(t, made)
		}
		if list[0].droppedFrom() < len(final) {
			rewritten++
		}
		if t.Failed() {
			return
		}
	}
	if rewritten < runs/12 {
		t.Errorf("only %d of %d runs rewrite their end: the generator is too tame", rewritten, runs)
	}
}

// coresBeforeCalls checks that in every turn and in ^ah the core holds no call
// and no result, and that everything outside it is at offset 1 and starts with
// one.
func coresBeforeCalls(t *testing.T, what string, of *tree.Tree) {
	t.Helper()
	check := func(turn *tree.Entry) {
		var core, post []*tree.Entry
		for k := range turn.Children().All() {
			switch {
			case k.Class() == tree.Container:
				core = slices.Collect(k.Children().All())
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
	for turn := range of.Region(tree.Seq).Children().All() {
		check(turn)
	}
	check(of.Region(tree.Head))
}
