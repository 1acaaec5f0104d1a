package manage

import (
	"testing"

	"github.com/contexttree/pact/internal/record/provider"
)

// Managing that ended with a request without calls has ended for all requests with the part.
func TestEndedWithoutACallHoldsForAll(t *testing.T) {
	q, ok := NewMemory().Read(provider.Chat, "", []byte(`{"model":"m","messages":[{"role":"tool","tool_call_id":"c1","content":"a file"}]}`), apart)
	if !ok || len(q.Parts) != 1 || q.Parts[0].Key == "" || q.NewestCall() != "" {
		t.Fatal("not one part that can be decided about, and no call")
	}
	for _, what := range []Action{Ended, Stopped, Raw} {
		l := NewList()
		l.Add(Decision{Action: what, Key: q.Parts[0].Key})
		if err := q.Follow(l); err != nil || q.Ended() != (what != Raw) {
			t.Errorf("%s: %v, %v", what, q.Ended(), err)
		}
	}
}
