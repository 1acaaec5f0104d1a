package transcript

import (
	"encoding/json"
	"regexp"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Under whatever policy a real conversation is replayed, its provider takes what every snapshot sends: no call without its
// result, no result without its call. Which nodes go together is proved in internal/commit.
func TestRealConversationsUnderPressure(t *testing.T) {
	testrun.OneGoroutine(t)
	policies := []lifecycle.Policy{
		{MaxTurns: 4, Stub: "[...]"}, {MaxNodes: 30, ProtectTurns: 2}, {MaxBytes: 9_000, Orphans: lifecycle.Drop},
		{Parts: []lifecycle.Part{{Kind: "result", MaxNodes: 3}, {Kind: "call", Region: "^seq", MaxNodes: 5}}, Stub: "[...]"},
	}
	list := regexp.MustCompile(`"tool_call_ids":\[("[^"]*")\]`) // in which SWE-smith names the call of a result
	snapshots, removed, stubs := 0, 0, 0
	for i, c := range realConversations(t, 10) {
		policy := policies[i%len(policies)]
		made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "pruned", c, &ImportOptions{Policy: policy})
		must(t, err)
		for s, err := range made.History(t.Context(), pact.Cycle(1), "latest") {
			must(t, err)
			snapshots++
			body := list.ReplaceAll([]byte(`{"model":"gpt-5","messages":`+openAI(t, s)+`}`), []byte(`"tool_call_id":$1`))
			found, err := provider.Check(&provider.CheckRequest{API: provider.Chat, Body: body})
			if err != nil || len(found) > 0 {
				t.Fatalf("%s %s under %+v, snapshot %d: %+v, %v\n%s", c.Shape(), c.Name, policy, s.Cycle(), found, err, body)
			}
		}
		for e, err := range made.Log(t.Context(), 0) {
			must(t, err)
			var r lifecycle.Report
			if len(e.Report) > 0 {
				must(t, json.Unmarshal(e.Report, &r))
			}
			removed, stubs = removed+len(r.Removed), stubs+len(r.Stubs)
		}
	}
	if snapshots == 0 || removed == 0 || stubs == 0 {
		t.Errorf("%d snapshots, of which the policies took %d nodes and left %d stubs", snapshots, removed, stubs)
	}
}
