package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

const paired = `[
 {"role":"system","content":"Help."},
 {"role":"user","content":[{"type":"text","text":"Look at this"},{"type":"image_url","image_url":{"url":"data:x"}}]},
 {"role":"assistant","content":"Wait.","tool_calls":[
  {"id":"call_a","type":"function","function":{"name":"find","arguments":"{\"who\":\"Jane\"}"}},
  {"id":"call_b","type":"function","function":{"name":"find","arguments":"{\"who\":\"Joan\"}"}},
  {"id":"call_c","type":"function","function":{"name":"find","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"call_a","content":"Jane is here"},
 {"role":"tool","tool_call_id":"call_b","content":"Joan is here"},
 {"role":"tool","tool_call_id":"call_c","content":"nobody"},
 {"role":"assistant","content":null,"function_call":{"name":"old","arguments":"{}"}},
 {"role":"function","name":"old","content":"done"},
 {"role":"assistant","content":"All are here."}]`

// TestErasedCallsKeepTheirResults erases every set of blocks of a conversation:
// each result still follows the message that has its call, and each call still
// has its result.
func TestErasedCallsKeepTheirResults(t *testing.T) {
	ctx := t.Context()
	list, err := Read([]byte(paired))
	must(t, err)
	for seed := range uint64(60) {
		c, err := Import(ctx, pact.NewDB(store.NewMemory()), "c", list[0], nil)
		must(t, err)
		r := rand.New(rand.NewPCG(seed, 3))
		var ids []string
		for entry := range sure.All(tree.Of(c.Working()).All()) {
			n := entry.Node()
			if n.Content.Size() > 0 && r.IntN(3) == 0 {
				ids = append(ids, n.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		_, err = c.Erase(ctx, pact.Erasure{IDs: ids, Reason: "asked for",
			Random: rand.NewChaCha8([32]byte{})})
		must(t, err)
		data, err := OpenAI(ctx, c.Working())
		must(t, err)
		if list := unpaired(t, data); len(list) > 0 {
			t.Fatalf("erased %v: %q\n%s", ids, list, data)
		}
	}
}

// unpaired says which calls and results of messages have lost each other.
func unpaired(t *testing.T, data []byte) (list []string) {
	t.Helper()
	var messages []struct {
		Role  string
		ID    string `json:"tool_call_id"`
		Calls []struct {
			ID       string
			Function struct{ Arguments string }
		} `json:"tool_calls"`
		Function *struct{ Name string } `json:"function_call"`
		Name     string
	}
	must(t, json.Unmarshal(data, &messages))
	var open []string
	for _, m := range messages {
		switch {
		case m.Role == "tool" || m.Role == "function":
			id := m.ID + m.Name
			if m.Role == "tool" {
				id = m.ID
			}
			if !slices.Contains(open, id) {
				list = append(list, "a result answers nothing: "+id)
			}
			open = slices.DeleteFunc(open, func(call string) bool { return call == id })
			continue
		case len(open) > 0:
			list = append(list, fmt.Sprint("not answered: ", open))
		}
		open = nil
		for _, call := range m.Calls {
			if !json.Valid([]byte(call.Function.Arguments)) {
				list = append(list, "the arguments are no JSON: "+call.Function.Arguments)
			}
			open = append(open, call.ID)
		}
		if m.Function != nil {
			open = append(open, m.Function.Name)
		}
	}
	if len(open) > 0 {
		list = append(list, fmt.Sprint("not answered: ", open))
	}
	return list
}
