package transcript

import (
	"fmt"
	"math/rand"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// The same conversations, added message by message as a program would, each with
// a ttl of its own or none: calls by Add, their results by Answer. Commits refuse
// orphans; none comes about, by expiry or by pruning.
func TestRealConversationsThatExpire(t *testing.T) {
	testrun.OneGoroutine(t)
	done := map[string]int{}
	for i, c := range realConversations(t, 10) {
		rng := rand.New(rand.NewSource(int64(i)))
		whole, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "whole", c, nil)
		if err != nil {
			t.Fatal(err)
		}
		policy := genPolicy(rng, whole)
		policy.Orphans = ""
		p := pressure{t, fmt.Sprintf("%s %s under %+v", c.Shape(), c.Name, policy), policy, wordCounter{}, done, false}
		made, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "c",
			&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: counter(), Counter: p.counter}})
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, list := range sentLists(c) {
			if err := made.Edit(t.Context(), func(b *pact.Batch) error { return tell(b, rng, list[said:]) }, nil); err != nil {
				t.Fatalf("%s: %v", p.what, err)
			}
			said = len(list)
			if _, err := made.Commit(t.Context(), &pact.CommitOptions{Pruning: &pact.Pruning{Policy: policy}}); err != nil {
				t.Fatalf("%s: %v", p.what, err)
			}
		}
		p.expires = true
		p.context(made)
	}
	t.Logf("what was seen, how often: %v", done)
	if done["expired"] == 0 || done["pruned"] == 0 || done["stubs"] == 0 {
		t.Error("not everything happened")
	}
}

// tell adds messages to the active head: to the core what comes before the first
// call, behind it everything from there on.
func tell(b *pact.Batch, rng *rand.Rand, list []*message) error {
	offset, calls := int64(0), map[string]string{}
	for _, m := range list {
		s := pact.Spec{Role: m.role, Kind: "text", Offset: offset}
		if ttl := rng.Intn(8); ttl > 2 {
			s.TTL = int64(ttl)
		}
		if content, ok := m.Get("content"); ok && content.Kind != canon.KindNull {
			s.Content = content.Value()
		}
		into := "^ah"
		if m.role == "system" {
			into, s.TTL = "^sys", 0
		}
		if m.role == "tool" {
			id, _ := m.Get("tool_call_id")
			if ids, ok := m.Get("tool_call_ids"); ok && len(ids.Elems) == 1 {
				id = ids.Elems[0]
			}
			s.Role, s.Kind, s.Offset = "", "", 0
			b.AddResult(calls[id.Text], s)
			continue
		}
		made, _ := m.Get("tool_calls")
		if s.Content != nil || len(made.Elems) == 0 {
			b.Add(into, s)
		}
		for _, call := range made.Elems {
			offset = 1
			id, _ := call.Get("id")
			function, _ := call.Get("function")
			node := b.Add("^ah", pact.Spec{
				Role: "assistant", Kind: "call", Offset: 1, TTL: s.TTL, Content: function.Value(),
				Attrs: map[string]any{attrCall: id.Text},
			})
			calls[id.Text] = node
		}
	}
	return nil
}
