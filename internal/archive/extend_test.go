package archive_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/transcript"
)

// said returns the messages of a conversation with calls of tools, in parallel too.
func said(random *rand.Rand) (list []map[string]any) {
	if random.IntN(2) == 0 {
		list = append(list, map[string]any{"role": "system", "content": "Be kind."})
	}
	for turn := range 2 + random.IntN(4) {
		list = append(list, map[string]any{"role": "user", "content": fmt.Sprint("question ", turn)})
		if calls := random.IntN(3); calls > 0 {
			made := make([]any, calls)
			for i := range made {
				made[i] = map[string]any{"id": fmt.Sprint("call_", turn, "_", i), "type": "function",
					"function": map[string]any{"name": "look", "arguments": `{"at":1}`}}
			}
			list = append(list, map[string]any{"role": "assistant", "content": nil, "tool_calls": made})
			for i := range made {
				list = append(list, map[string]any{"role": "tool", "tool_call_id": fmt.Sprint("call_", turn, "_", i),
					"content": fmt.Sprint("result ", turn)})
			}
		}
		list = append(list, map[string]any{"role": "assistant", "content": fmt.Sprint("answer ", turn)})
	}
	return list
}

func importedFrom(t *testing.T, s *pact.DB, list []map[string]any, policy lifecycle.Policy) *pact.Context {
	t.Helper()
	data, err := json.Marshal(list)
	must(t, err)
	found, err := transcript.Read(data)
	must(t, err)
	c, err := transcript.Import(t.Context(), s, "chat", found[0], &transcript.ImportOptions{Policy: policy})
	must(t, err)
	return c
}

// historyOf returns the exported history of a context.
func historyOf(t *testing.T, c *pact.Context) string {
	t.Helper()
	var b bytes.Buffer
	must(t, c.Export(t.Context(), &b))
	return b.String()
}

// A conversation that is imported in pieces, each time from its beginning, becomes the
// context that one import makes, byte for byte, also under limits and when it is read back.
func TestExtensionsMakeWhatOneImportMakes(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 2))
	extended := 0
	for round := range 40 {
		list := said(random)
		policy := lifecycle.Policy{}
		if round%3 == 0 {
			policy.MaxTurns = 2
		}
		whole := importedFrom(t, pact.NewDB(store.NewMemory()), list, policy)
		var s *pact.DB = pact.NewDB(store.NewMemory())
		if round%8 == 0 {
			file, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chat.db")))
			must(t, err)
			defer file.Close()
			s = file
		}
		n := 1 + random.IntN(len(list))
		c := importedFrom(t, s, list[:n], policy)
		for n < len(list) {
			n += 1 + random.IntN(len(list)-n)
			before := c.Info().Cycle
			longer := importedFrom(t, pact.NewDB(store.NewMemory()), list[:n], policy)
			cycles, add, err := c.Extension(t.Context(), strings.NewReader(historyOf(t, longer)), nil)
			if err != nil {
				t.Fatalf("round %d: %d messages: %v", round, n, err)
			}
			must(t, add(t.Context()))
			if last := c.Info().Cycle; last != before+cycles {
				t.Fatalf("the latest cycle is %d, not %d + %d", last, before, cycles)
			}
			extended += int(cycles)
		}
		reopened, err := pact.Open(t.Context(), s, "chat", nil)
		must(t, err)
		for _, c := range []*pact.Context{c, reopened} {
			if last := c.Info().Cycle; last > 0 && historyOf(t, c) != historyOf(t, whole) {
				t.Fatalf("round %d: %s\nwant\n%s", round, historyOf(t, c), historyOf(t, whole))
			}
			if c.Working().Digest() != whole.Working().Digest() {
				t.Fatalf("round %d: another working state", round)
			}
		}
		cycles, _, err := c.Extension(t.Context(), strings.NewReader(historyOf(t, whole)), nil)
		if err != nil || cycles != 0 {
			t.Fatalf("the same again adds %v; %v", cycles, err)
		}
		if _, err := c.Commit(t.Context(), nil); err != nil {
			t.Fatalf("the next commit: %v", err)
		}
	}
	if extended < 40 {
		t.Errorf("only %d snapshots were added", extended)
	}
}

// What a context has and the longer one lacks is never lost: the extension is refused, and
// nothing changes.
func TestExtensionsLoseNothing(t *testing.T) {
	list := said(rand.New(rand.NewPCG(14, 3)))
	whole := importedFrom(t, pact.NewDB(store.NewMemory()), list, lifecycle.Policy{})
	other := append([]map[string]any{}, list...)
	other[1] = map[string]any{"role": "user", "content": "another question"}
	pending := "" // a message of the last call, which has no snapshot in the shorter context
	for name, change := range map[string]func(e *pact.Batch){
		"another block":     func(e *pact.Batch) { e.Add("^ah", pact.Spec{Role: "user", Content: "mine"}) },
		"a block elsewhere": func(e *pact.Batch) { e.Add("^sys", pact.Spec{Role: "system", Content: "mine"}) },
		"an attribute":      func(e *pact.Batch) { e.Update(pending, func(s *pact.Spec) { s.Attrs["data_note"] = "kept" }) },
		"a priority":        func(e *pact.Batch) { e.Update(pending, func(s *pact.Spec) { s.Priority = 7 }) },
		"a policy":          func(e *pact.Batch) { e.KeepPolicy(&lifecycle.Policy{MaxTurns: 3}) },
	} {
		c := importedFrom(t, pact.NewDB(store.NewMemory()), list[:len(list)-1], lifecycle.Policy{})
		found, err := c.Working().Select(t.Context(), "^ah .cb", nil)
		if err != nil || len(found) == 0 {
			t.Fatal("no message waits for its call", err)
		}
		pending = found[0]
		if err := c.Edit(t.Context(), func(e *pact.Batch) error { change(e); return nil }, nil); err != nil {
			t.Fatal(name, err)
		}
		before := historyOf(t, c)
		if _, _, err := c.Extension(t.Context(), strings.NewReader(historyOf(t, whole)), nil); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%s: got %v", name, err)
		}
		if historyOf(t, c) != before {
			t.Errorf("%s: the context has changed", name)
		}
	}
	c := importedFrom(t, pact.NewDB(store.NewMemory()), list[:len(list)-1], lifecycle.Policy{})
	parted := importedFrom(t, pact.NewDB(store.NewMemory()), other, lifecycle.Policy{})
	if _, _, err := c.Extension(t.Context(), strings.NewReader(historyOf(t, parted)), nil); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("another beginning: got %v", err)
	}
	if _, _, err := parted.Extension(t.Context(), strings.NewReader(historyOf(t, c)), nil); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a shorter one with another beginning: got %v", err)
	}
	before := historyOf(t, whole)
	if cycles, add, err := whole.Extension(t.Context(), strings.NewReader(historyOf(t, c)), nil); err != nil || cycles != 0 || add(t.Context()) != nil ||
		historyOf(t, whole) != before {
		t.Errorf("a shorter one adds %v; %v", cycles, err)
	}
	edited := importedFrom(t, pact.NewDB(store.NewMemory()), list, lifecycle.Policy{})
	must(t, edited.Edit(t.Context(), func(e *pact.Batch) error {
		e.Add("^ah", pact.Spec{Role: "user", Content: "mine"})
		return nil
	}, nil))
	before = historyOf(t, edited)
	if cycles, add, err := edited.Extension(t.Context(), strings.NewReader(historyOf(t, whole)), nil); err != nil || cycles != 0 || add(t.Context()) != nil ||
		historyOf(t, edited) != before {
		t.Errorf("the same one adds %v to an edited one; %v", cycles, err)
	}
	_, add, err := c.Extension(t.Context(), strings.NewReader(historyOf(t, whole)), nil)
	must(t, err)
	must(t, c.Edit(t.Context(), func(e *pact.Batch) error {
		e.Add("^ah", pact.Spec{Role: "user", Content: "meanwhile"})
		return nil
	}, nil))
	if err := add(t.Context()); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("somebody wrote meanwhile: got %v", err)
	}
}
