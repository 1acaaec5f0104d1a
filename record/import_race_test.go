package record_test

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// Processes that import one log at the same time into one file record each call once: its contexts are those of one import,
// and have the same calls.
func TestProcessesThatImportOneLogRecordEachCallOnce(t *testing.T) {
	for _, sample := range []string{"claude-code.jsonl", "anthropic-requests.jsonl", "conversations.json", "codex-rollout.jsonl", "atif.json"} {
		calls := past(t, logOfCalls(t, filepath.Join(logs, sample)))
		whole := pact.NewDB(store.NewMemory())
		want, _ := addAll(t, whole, calls)
		for range testrun.Size(t, 2, 6, 40) {
			path := filepath.Join(t.TempDir(), "pact.db")
			var wait sync.WaitGroup
			added := make([]int, 3)
			for n := range added {
				s, err := dbtest.Open(sqlite.Open(t.Context(), path))
				must(t, err)
				defer s.Close()
				i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run", First: calls[0].ID})
				must(t, err)
				wait.Go(func() {
					for at, p := range calls {
						isNew, err := i.Add(t.Context(), p)
						if err != nil {
							t.Errorf("%s: process %d, call %d: %v", sample, n, at, err)
							return
						}
						if isNew {
							added[n]++
						}
					}
				})
			}
			wait.Wait()
			if added[0]+added[1]+added[2] != len(calls) {
				t.Errorf("%s: of %d calls the processes added %d", sample, len(calls), added)
			}
			s, err := dbtest.Open(sqlite.Open(t.Context(), path))
			must(t, err)
			defer s.Close()
			i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
			must(t, err)
			if got := i.Contexts(); !slices.Equal(got, want) {
				t.Errorf("%s: the contexts are %q, want %q", sample, got, want)
				continue
			}
			for _, name := range want {
				if got, want := callsOf(t, s, name), callsOf(t, whole, name); !slices.Equal(got, want) {
					t.Errorf("%s: %s has %d calls, want %d: \n%q, want\n%q", sample, name, len(got), len(want), got, want)
				}
			}
		}
	}
}
