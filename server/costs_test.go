package server_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// operationCosts has the operations, and the tools for agents, by how the bytes that they allocate may grow from a run
// of some calls to one of four times as many: hardly, or as the run does.
var operationCosts = map[float64]string{
	2 * 1.5: `create-session delete-context delete-session events list-contexts log rename-context mcp-note mcp-pin`,
	4 * 1.15: `commit create-context diff edit erase export fork-context get-content get-context get-node
		get-thread grep import life list-attempts list-blocks list-calls list-findings list-forms list-names
		list-policies list-tree plan-pruning select simulate strata undo-commit verify mcp-show mcp-changes mcp-recall`,
}

// toolArguments are those of a call of each tool for agents.
var toolArguments = map[string]map[string]any{
	"show": {}, "changes": {}, "recall": {"search": "question-8-"}, "note": {"text": "a", "context": "kept"},
	"pin": {"id": "said", "context": "kept"},
}

// No operation costs more than its bound says, so that one whose cost grows faster than the run is seen when it comes.
func TestCostsOfOperationsGrowAsTheirWorkDoes(t *testing.T) {
	testrun.CountsAllocations(t)
	most := map[string]float64{}
	for bound, names := range operationCosts {
		for name := range strings.FieldsSeq(names) {
			most[name] = bound
		}
	}
	defer func(e, c string) { exported, calls = e, c }(exported, calls)
	size := testrun.Size(t, 25, 40, 250)
	costsOfOperations(t, 10) // what a process reads once is no cost of a run
	few, many := costsOfOperations(t, size), costsOfOperations(t, 4*size)
	for _, name := range slices.Sorted(maps.Keys(many)) {
		ratio := float64(many[name]) / float64(max(few[name], 1<<19)) // below that the server's own work counts
		t.Logf("%-16s %8.3f MB at %d calls, %8.3f MB at %d: %.1f times", name, float64(few[name])/1e6, size, float64(many[name])/1e6, 4*size, ratio)
		if ratio > most[name] {
			t.Errorf("%s allocates %.1f times as much for 4 times the calls, at most %.1f is right", name, ratio, most[name])
		}
	}
	for name := range most {
		if many[name] == 0 {
			t.Errorf("%s was not measured", name)
		}
	}
}

// costsOfOperations returns the bytes that each operation allocates, and each tool for agents, as the first one that a
// server of a session of some calls is asked for.
func costsOfOperations(t *testing.T, size int) map[string]uint64 {
	path, costs := filepath.Join(t.TempDir(), "pact.db"), map[string]uint64{}
	var operations map[string]bool
	var run struct {
		Last int `json:"last_cycle"`
	}
	on := func(name, path string, do func(r *running)) {
		t.Run(fmt.Sprint(name, " of ", size), func(t *testing.T) {
			before := runtime.NumGoroutine()
			s, err := dbtest.Open(sqlite.Open(t.Context(), path))
			must(t, err)
			do(serve(t, s, server.Options{Counter: counted}, before))
		})
	}
	binary := []string{"Content-Type", "application/octet-stream"}
	on("session", path, func(r *running) {
		calls = string(dbtest.Session(size))
		if got := r.call("POST", "/v1/import?form=log&name=run", calls, binary...); got.StatusCode >= 300 {
			r.t.Fatalf("%s %s", got.Status, got.body)
		}
		exported = string(r.must(nil, "GET", "/v1/contexts/run/export", "").body)
		operations = r.operations(t)
		r.must(&run, "GET", "/v1/contexts/run", "")
		r.must(nil, "POST", "/v1/contexts", `{"name":"kept"}`) // no recorder says what is sent of it
		r.must(nil, "POST", "/v1/contexts/kept/edits", `{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"id":"said"}}`+
			strings.Repeat(","+hello, size)+`]}`)
	})
	stored, err := os.ReadFile(path)
	must(t, err)
	measured := func(name string, do func(r *running) (ask func())) {
		copied := filepath.Join(t.TempDir(), "pact.db")
		if err := os.WriteFile(copied, stored, 0o600); err != nil {
			t.Fatal(err)
		}
		on(name, copied, func(r *running) {
			var before, after runtime.MemStats
			ask := do(r)
			runtime.GC() // twice, for pools: what is in them would cost nothing
			runtime.GC()
			runtime.ReadMemStats(&before)
			ask()
			runtime.ReadMemStats(&after)
			costs[name] = after.TotalAlloc - before.TotalAlloc
		})
	}
	for id := range operations {
		measured(id, func(r *running) func() {
			list := triedOf(id, "run")
			if list == nil {
				list = []tried{{map[string]string{"create-session": "POST", "delete-session": "DELETE"}[id], "/v1/session",
					`{"token":"` + r.Token() + `"}`, nil}}
			}
			ask, header := list[0], []string(nil)
			if id == "import" {
				ask = list[len(list)-1] // of a log
			}
			if id == "import" {
				header = binary
			} else {
				ask.body = strings.ReplaceAll(ask.body, `"cycle":2`, fmt.Sprintf(`"cycle":%d`, run.Last))
			}
			said := strings.NewReplacer("/said", "/block:2-0", `"said"`, `"block:2-0"`)
			ask.path, ask.body = said.Replace(ask.path), said.Replace(ask.body)
			return func() {
				if got := r.try(ask, header); got.StatusCode >= 300 {
					r.t.Errorf("%s: %s %s\n%s", id, got.Status, got.body, r.log)
				}
			}
		})
	}
	for name, arguments := range toolArguments {
		measured("mcp-"+name, func(r *running) func() {
			s, err := r.agent([]string{"Authorization", "Bearer " + r.Token()})
			must(r.t, err)
			r.t.Cleanup(func() { s.Close() })
			list, err := s.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != len(toolArguments) {
				r.t.Errorf("%v: %d tools, and %d are measured", err, len(list.Tools), len(toolArguments))
			}
			arguments := maps.Clone(arguments)
			if arguments["context"] == nil {
				arguments["context"] = "run"
			}
			return func() {
				got, err := s.CallTool(r.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
				if err != nil || got.IsError {
					r.t.Errorf("%v %v", err, got.Content[0])
				}
			}
		})
	}
	return costs
}
