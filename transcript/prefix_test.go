package transcript

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// objects splits a canonical thread into what it consists of.
func objects(t *testing.T, s *pact.Snapshot) []string {
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
	for p, err := range c.Prefixes(t.Context(), pact.Cycle(1), pact.Latest) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s, err := c.At(t.Context(), pact.Cycle(p.Cycle))
		if err != nil {
			t.Fatal(err)
		}
		now := objects(t, s)
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

// Nothing earlier changes in the runs of a coding agent: every call repeats the
// whole of the one before. An edit of the system header breaks that once, and
// the report names the cycle, the node and the cause.
func TestPrefixOfSWESmith(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedData(t), "*.traj"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectories: %v", err)
	}
	for _, path := range files {
		list, err := Read(load(t, path))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Import(t.Context(), store.NewMemory(), "run", list[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		breaks, cycles := prefixes(t, path, c)
		if len(breaks) != 0 || cycles != list[0].Calls() {
			t.Errorf("%s: %d cycles, broken in %v", path, cycles, breaks)
		}
		header := ""
		for e := range c.Working().Tree().Region(tree.Sys).Children().All() {
			header = e.Node().ID
			break
		}
		if header == "" {
			t.Fatalf("%s: no system header", path)
		}
		for i := range 3 {
			if err := c.Edit(t.Context(), func(b *pact.Batch) error {
				if i == 1 {
					b.Update(header, map[string]any{"content": "You are somebody else."})
					return nil
				}
				b.Add("^ah", pact.Spec{Role: "user", Content: "go on"})
				return nil
			}, &pact.Note{Actor: "editor", Message: "try " + strconv.Itoa(i)}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Commit(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		breaks, _ = prefixes(t, path, c)
		broken := breaks[int64(cycles)+2]
		if len(breaks) != 1 || broken == nil || broken.Node != header || broken.Cause.Kind != diff.ByEdit ||
			broken.Cause.Actor != "editor" || broken.Cause.Message != "try 1" {
			t.Errorf("%s: after an edit of %s: %+v", path, header, breaks)
		}
	}
}

func TestPrefixOfTauBench(t *testing.T) {
	conversations, err := Read(load(t, filepath.Join(sharedData(t), "tau-bench-gpt-4o-airline.json")))
	if err != nil {
		t.Fatal(err)
	}
	cycles := 0
	for i, conversation := range conversations {
		c, err := Import(t.Context(), store.NewMemory(), strconv.Itoa(i), conversation, nil)
		if err != nil {
			t.Fatal(err)
		}
		breaks, n := prefixes(t, "conversation "+strconv.Itoa(i), c)
		if len(breaks) > 0 {
			t.Errorf("conversation %d: broken in %v", i, breaks)
		}
		cycles += n
	}
	if cycles == 0 {
		t.Error("no cycles")
	}
}
