package runs_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

func familyOf(t *testing.T, db *pact.DB) (*runs.Family, error) {
	t.Helper()
	return runs.FamilyOf(t.Context(), db, relations(t, db), opened(t, db, "run"))
}

func relations(t *testing.T, db *pact.DB) *view.Relations {
	t.Helper()
	r, err := view.RelationsOf(t.Context(), db)
	must(t, err)
	return r
}

// A sub-agent has another tool behind one that is the same; another has another model; a fork leaves the second call.
func TestWhatTheFirstCallsOfAFamilyRepeat(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	parent := growing([]object{user("q")}, called("1", "ls", ".", "a"))
	parent[0].tools, parent[1].tools = []string{"ls", "cat"}, []string{"ls", "cat"}
	recordedIn(t, db, record.ImportOptions{Context: "run"}, parent...)
	begun := func(name string, c asked) {
		recordedIn(t, db, record.ImportOptions{Context: name, BegunBy: map[string]any{"context": "run", "call": "1"}}, c)
	}
	begun("tools", asked{tools: []string{"ls", "rm"}, messages: []object{user("sub")}})
	begun("model", asked{tools: []string{"ls", "cat"}, model: "claude-sonnet-4-5", messages: []object{user("sub")}})
	begun("block", asked{tools: []string{"ls", "cat"}, messages: []object{user("sub")}, in: 9, cached: 4})
	f, err := familyOf(t, db)
	must(t, err)
	want := map[string]struct {
		blocks int
		cause  string
	}{"tools": {1, "tools"}, "model": {0, "model"}, "block": {2, "block"}}
	var same, of int64
	for _, k := range f.Kin {
		same, of = same+k.Shared.Bytes, of+k.Shared.OfBytes
		w := want[k.Run]
		if k.How != "sub-agent" || k.Of != 1 || k.Known != "seen" || k.Shared == nil || k.Shared.Blocks != w.blocks ||
			k.Shared.OfBlocks != 3 || k.Cause != w.cause {
			t.Errorf("got %+v with %+v, want %+v", k, k.Shared, w)
		}
	}
	apart, err := view.OverlapOf(t.Context(), db, opened(t, db, "run"))
	if err != nil || strings.Join(apart.Beside, " ") != "block model tools" || apart.Inherited != 0 ||
		apart.InWords() != "sub-agents and asides count for themselves: block, model, tools" {
		t.Errorf("got %+v, %q, %v", apart, apart.InWords(), err)
	}
	sum := "sub-agents and forks compared: 3; their first calls repeat 3 of 9 blocks, " + view.Size(same) + " of " + view.Size(of) +
		" (seen); the provider read 4 tokens from its cache for 1 of them (counted); ended by model in 1, tools in 1, block in 1"
	if got := f.InWords(); got != sum || len(f.Kin) != 3 || same < 2 || same >= of {
		t.Errorf("got %q, want %q", got, sum)
	}
}

// A fork that nobody recorded repeats all bytes of the call that it left, whether it says more behind them or nothing, and
// so does a recorded call that says the same once more.
func TestAForkThatWasNotRecordedRepeatsTheWholeOfItsOrigin(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	say := func(c *pact.Context, text string) {
		t.Helper()
		if text != "" {
			err := c.Edit(t.Context(), func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
				return nil
			}, nil)
			must(t, err)
		}
		_, err := c.Commit(t.Context(), nil)
		must(t, err)
	}
	c, err := pact.Create(t.Context(), db, "run", nil)
	must(t, err)
	say(c, "one")
	for name, text := range map[string]string{"more": "two", "nothing": ""} {
		fork, err := c.Fork(t.Context(), pact.Cycle(1), name, nil)
		must(t, err)
		say(fork, text)
	}
	f, err := familyOf(t, db)
	if err != nil || len(f.Kin) != 2 || f.Bytes != f.OfBytes || f.Blocks != f.OfBlocks || f.OfBytes < 10 || len(f.Ended) > 0 {
		t.Errorf("got %+v, %v", f, err)
	}
	same := recorded(t, "same", asked{messages: []object{user("q")}}, asked{messages: []object{user("q")}})
	for p, err := range record.Prefixes(t.Context(), same, 2, 2, "", nil) {
		if err != nil || p.Shared == nil || p.Shared.Bytes != p.Shared.OfBytes {
			t.Errorf("got %+v, %v", p.Shared, err)
		}
	}
}

// After undoing, a context has the forks of the calls that it still has, and none of a call that was taken back; so too
// once the line that was taken back is deleted.
func TestForksOfEarlierCallsStayAfterUndoing(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	recordedIn(t, db, record.ImportOptions{Context: "run"}, growing([]object{user("q")}, called("1", "ls", ".", "a"),
		called("2", "ls", "b", "c"), called("3", "ls", "d", "e"))...)
	c := opened(t, db, "run")
	fork := func(at int64, name string) {
		t.Helper()
		f, err := c.Fork(t.Context(), pact.Cycle(at), name, nil)
		if err == nil {
			_, err = f.Commit(t.Context(), nil)
		}
		must(t, err)
	}
	fork(1, "first")
	fork(3, "last")
	for _, name := range []string{"second", ""} {
		_, err := c.Undo(t.Context(), nil)
		must(t, err)
		if name != "" {
			fork(2, name)
		}
	}
	for _, deleted := range []string{"", "run~c3", "run~c4"} {
		if deleted != "" {
			must(t, pact.Delete(t.Context(), db, deleted))
		}
		for name, want := range map[string][]string{"run": {"first@1", "second@2"}, "second": nil} {
			f, err := runs.FamilyOf(t.Context(), db, relations(t, db), opened(t, db, name))
			must(t, err)
			var got []string
			for _, k := range f.Kin {
				got = append(got, fmt.Sprintf("%s@%d", k.Run, k.Of))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s without %q has %v, want %v", name, deleted, got, want)
			}
		}
	}
}

// The sub-agent of a real session repeats as many tools of its parent as their bodies do, read here without a recorder.
func TestTheSubAgentOfARealSessionRepeatsWhatItsBodyDoes(t *testing.T) {
	db, text := shared(t, "agents/wire/claude-code-subagent-compact.jsonl")
	var tools [][]any
	for line := range strings.Lines(string(text)) {
		var l struct{ Body struct{ Tools []any } }
		must(t, json.Unmarshal([]byte(line), &l))
		tools = append(tools, l.Body.Tools)
	}
	same := 0
	for same < len(tools[1]) && reflect.DeepEqual(tools[0][same], tools[1][same]) {
		same++
	}
	f, err := familyOf(t, db)
	must(t, err)
	for _, k := range f.Kin {
		if k.How == "sub-agent" && (k.Shared == nil || k.Shared.Blocks != same || k.Cause != "tools") {
			t.Errorf("got %+v with %+v; the bodies begin with %d equal tools", k, k.Shared, same)
		}
	}
	if len(f.Kin) != 2 {
		t.Errorf("got %+v", f.Kin)
	}
}
