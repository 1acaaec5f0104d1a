package transcript

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// compareConversation is compare for what Read made of a file.
func compareConversation(t *testing.T, what string, made *pact.Context, c *Conversation) int {
	t.Helper()
	lists, final := c.lists()
	var calls [][]canon.Any
	for _, list := range lists {
		calls = append(calls, valuesOf(list))
	}
	return compare(t, what, made, calls, valuesOf(final))
}

func TestExampleFilesAreImportedAndRenderedBack(t *testing.T) {
	tests := []struct {
		file            string
		calls, messages int
	}{{"weather.json", 6, 13}, {"support.jsonl", 4, 12}, {"images.json", 2, 5}}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			list, err := Read(load(t, filepath.Join("../examples/conversations", test.file)))
			must(t, err)
			c := list[0]
			if len(list) != 1 || c.Calls() != test.calls || c.Messages() != test.messages {
				t.Errorf("%d conversations, %d calls, %d messages", len(list), c.Calls(), c.Messages())
			}
			var progress []int
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "x", c,
				&ImportOptions{Progress: func(done, total int) { progress = append(progress, done, total) }})
			must(t, err)
			compareConversation(t, test.file, made, c)
			if n := len(progress); n != 2*test.calls || progress[n-2] != test.calls || progress[n-1] != test.calls {
				t.Errorf("progress %v", progress)
			}
			exportAndBack(t, made)
		})
	}
}

// exportAndBack: the attributes survive a document.
func exportAndBack(t *testing.T, made *pact.Context) {
	t.Helper()
	last, err := made.At(t.Context(), "latest")
	must(t, err)
	var document bytes.Buffer
	err = last.Export(t.Context(), &document)
	must(t, err)
	again, _, err := pact.Import(t.Context(), pact.NewDB(store.NewMemory()), "again", document.Bytes(), nil)
	must(t, err)
	if got, want := openAI(t, again.Working()), openAI(t, last); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestImportOptions(t *testing.T) {
	file := string(load(t, "../examples/conversations/images.json"))
	made := importText(t, file, pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { return 1e18 },
		Actor: "me"}, Edition: selector.V01})
	if made.Info().Edition != selector.V01 {
		t.Errorf("edition %s", made.Info().Edition)
	}
	for entry := range sure.All(tree.Of(made.Working()).All()) {
		n := entry.Node()
		if n.CreatedNS < 1e18 {
			t.Errorf("%s was made at %d", n.ID, n.CreatedNS)
		}
		if n.Kind != "" && (n.Type != "cb" || n.Header("provenance") != `"openai"`) {
			t.Errorf("%s is a %s of provenance %s", n.ID, n.Type, n.Header("provenance"))
		}
	}
	about := tree.Of(made.Working()).Root().Node().Header("openai:conversation")
	if about != `{"model":"an-example-model","temperature":0.2}` {
		t.Errorf("the root keeps %s", about)
	}
}

// TestConversationWithoutACallHasNoSnapshot: a conversation without a call has no snapshot, only a working
// state.
func TestConversationWithoutACallHasNoSnapshot(t *testing.T) {
	for _, file := range []string{`[]`, `[{"role":"system","content":"s"},{"role":"user","content":"u"}]`,
		`{"trajectory":[]}`} {
		made := importText(t, file)
		if first, last := made.Info().First, made.Info().Cycle; first <= last {
			t.Errorf("%s: snapshots %d to %d", file, first, last)
		}
	}
	list, err := Read([]byte(`[{"role":"system","content":"s"},{"role":"user","content":"u"}]`))
	must(t, err)
	memory := pact.NewDB(store.NewMemory())
	for _, want := range []fault.Code{"", fault.Conflict} {
		if _, err := Import(t.Context(), memory, "x", list[0], nil); fault.CodeOf(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestCanceledImportLeavesNothing: an import that is given up leaves nothing in the store.
func TestCanceledImportLeavesNothing(t *testing.T) {
	list, err := Read([]byte(`[{"role":"assistant"},{"role":"assistant"},{"role":"assistant"}]`))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	memory := pact.NewDB(store.NewMemory())
	if _, err := Import(ctx, memory, "x", list[0], &ImportOptions{Progress: func(int, int) { cancel() }}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
	if kept, err := pact.List(t.Context(), memory); err != nil || len(kept) > 0 {
		t.Errorf("the store holds %v, %v", kept, err)
	}
}

// TestRewrittenRun shows what a run does to the tree when it rewrites history.
func TestRewrittenRun(t *testing.T) {
	step := func(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
	m := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }
	run := func(steps ...string) string { return `{"trajectory":[` + strings.Join(steps, ",") + `]}` }
	tests := []struct {
		name, file    string
		latest, after []string // outline of the last snapshot and of the working state
	}{
		{"the system message changes in place",
			run(step(m("system", "s1"), m("user", "u"), m("assistant", "a")), step(m("system", "s2"), m("user", "u"),
				m("assistant", "a"), m("user", "v")), step(m("system", "s2"), m("user", "u"), m("assistant", "a"), m("user", "v"))),
			[]string{`sys | system text | "s2"`, `turn 1 core | user text | "u"`, `turn 2 core | assistant text | "a"`,
				`turn 3 core | user text | "v"`},
			[]string{`sys | system text | "s2"`, `turn 1 core | user text | "u"`, `turn 2 core | assistant text | "a"`,
				`turn 3 core | user text | "v"`}},
		{"turns from the change on are pruned",
			run(step(m("user", "u"), m("assistant", "a")), step(m("user", "u"), m("assistant", "a"), m("assistant", "b")),
				step(m("user", "u"), m("assistant", "A"), m("assistant", "b"), m("user", "c")),
				step(m("user", "u"), m("assistant", "A"), m("assistant", "b"), m("user", "c"))),
			[]string{`turn 1 core | user text | "u"`, `turn 2 core | assistant text | "A"`, `turn 2 core | assistant text | "b"`,
				`turn 2 core | user text | "c"`},
			[]string{`turn 1 core | user text | "u"`, `turn 2 core | assistant text | "A"`, `turn 2 core | assistant text | "b"`,
				`turn 2 core | user text | "c"`}},
		{"what comes before the change in its core comes again",
			run(step(m("user", "u"), m("user", "v"), m("assistant", "a")), step(m("user", "u"), m("user", "V")),
				step(m("user", "u"), m("user", "V"))),
			[]string{`turn 1 core | user text | "u"`, `turn 1 core | user text | "V"`},
			[]string{`turn 1 core | user text | "u"`, `turn 1 core | user text | "V"`}},
		{"outside a core it stays",
			run(step(m("user", "u")), step(m("user", "u"), m("assistant", "a"), m("tool", "r"), m("user", "v")),
				step(m("user", "u"), m("assistant", "a"), m("tool", "r"), m("user", "v"), m("assistant", "b")),
				step(m("user", "u"), m("assistant", "a"), m("tool", "r"), m("user", "V")), step(m("user", "u"), m("assistant", "a"),
					m("tool", "r"), m("user", "V"))),
			[]string{`turn 1 core | user text | "u"`, `turn 3 core | assistant text | "a"`, `turn 3 +1 | tool result | "r"`,
				`turn 4 core | user text | "V"`},
			[]string{`turn 1 core | user text | "u"`, `turn 3 core | assistant text | "a"`, `turn 3 +1 | tool result | "r"`,
				`turn 4 core | user text | "V"`}},
		{"the end drops what the last call was sent",
			run(step(m("user", "u"), m("user", "v"), m("assistant", "a")), step(m("user", "u"), m("assistant", "b"))),
			[]string{`turn 1 core | user text | "u"`, `turn 1 +1 | user text | "v"`, `turn 2 +1 | assistant text | "a"`},
			[]string{`turn 1 core | user text | "u"`, `ah core | assistant text | "b"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := Read([]byte(test.file))
			must(t, err)
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "x", list[0], nil)
			must(t, err)
			compareConversation(t, test.name, made, list[0])
			latest, err := made.At(t.Context(), "latest")
			must(t, err)
			for i, want := range [][]string{test.latest, test.after} {
				s := []*pact.Snapshot{latest, made.Working()}[i]
				if got := strings.Join(outline(t, tree.Of(s)), "\n"); got != strings.Join(want, "\n") {
					t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
				}
			}
		})
	}
}

// TestRewrittenResult: a result that comes in the place of another one answers
// the call that the other one answered.
func TestRewrittenResult(t *testing.T) {
	calls := `{"role":"assistant","tool_calls":[{"id":"a"},{"id":"a"}]}`
	result := func(text string) string { return `{"role":"tool","tool_call_id":"a","content":"` + text + `"}` }
	made := importText(t, `{"trajectory":[{"messages":[`+calls+`]},{"messages":[`+calls+`,`+result("r")+`]},{"messages":[`+
		calls+`,`+result("s")+`]},{"messages":[`+calls+`,`+result("s")+`]}]}`)
	for cycle, want := range []string{"", "", "2>0", "2>0"} {
		s, err := made.At(t.Context(), pact.Cycle(int64(cycle)+1))
		must(t, err)
		if got := references(s); got != want {
			t.Errorf("cycle %d: got %s, want %s", cycle+1, got, want)
		}
	}
}

// TestMovingMarker: a run that marks the last two results anew at every step,
// for the provider's cache, keeps small turns.
func TestMovingMarker(t *testing.T) {
	const steps = 20
	var list []string
	for i := range steps {
		var messages []string
		for j := range i + 1 {
			id, marker := strconv.Itoa(j), ""
			if j >= i-1 {
				marker = `,"cache_control":{"type":"ephemeral"}`
			}
			messages = append(messages,
				`{"role":"assistant","content":"t","tool_calls":[{"id":"`+id+
					`","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
				`{"role":"tool","content":"r","tool_call_ids":["`+id+`"]`+marker+`}`)
		}
		list = append(list, `{"messages":[`+strings.Join(messages, ",")+`]}`)
	}
	made := importText(t, `{"trajectory":[`+strings.Join(list, ",")+`]}`)
	calls, final := sentBySteps(t, []byte(`{"trajectory":[`+strings.Join(list, ",")+`]}`))
	compare(t, "marker", made, calls, final)
	turns := 0
	for turn := range sure.All(tree.Of(made.Working()).Region(tree.Seq).Children().All()) {
		turns++
		if n := turn.Summary().Blocks; n > 4 {
			t.Errorf("turn %d holds %d blocks", turns, n)
		}
	}
	if turns < steps-1 {
		t.Errorf("%d turns of %d calls", turns, steps)
	}
}

// TestSmallFieldsOfARunAreKept: the fields of a run are kept while they are small.
func TestSmallFieldsOfARunAreKept(t *testing.T) {
	for _, size := range []int{10, 64 << 10} {
		made := importText(t, `{"trajectory":[],"history":[{"role":"user","content":"Fix it."}],"environment":"e","info":"`+strings.Repeat("x", size)+`"}`)
		about := tree.Of(made.Working()).Root().Node().Header("swe-smith:conversation")
		if kept := about == canon.Value(`{"environment":"e","info":"`+strings.Repeat("x", size)+
			`"}`); kept != (size < 64<<10) || !kept && about != "" {
			t.Errorf("of %d bytes %.80s", size, about)
		}
	}
}
