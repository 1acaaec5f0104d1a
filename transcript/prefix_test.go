package transcript

import (
	"path/filepath"
	"strconv"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

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
		c, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "run", list[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		breaks, cycles := prefixes(t, path, c)
		if len(breaks) != 0 || cycles != list[0].Calls() {
			t.Errorf("%s: %d cycles, broken in %v", path, cycles, breaks)
		}
		header := ""
		for e := range sure.All(tree.Of(c.Working()).Region(tree.Sys).Children().All()) {
			header = e.Node().ID
			break
		}
		if header == "" {
			t.Fatalf("%s: no system header", path)
		}
		for i := range 3 {
			if err := c.Edit(t.Context(), func(b *pact.Batch) error {
				if i == 1 {
					b.Update(header, func(s *pact.Spec) { s.Content = "You are somebody else." })
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
	testrun.OneGoroutine(t)
	conversations, err := Read(load(t, filepath.Join(sharedData(t), "tau-bench-gpt-4o-airline.json")))
	if err != nil {
		t.Fatal(err)
	}
	cycles := 0
	for i, conversation := range conversations {
		c, err := Import(t.Context(), pact.NewDB(store.NewMemory()), strconv.Itoa(i), conversation, nil)
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
