package record_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// drawnCalls makes up the calls of an agent to Anthropic that thinks, calls tools, changes its tools, its instructions and
// its model, compacts, and repeats an answer in other words.
func drawnCalls(t *testing.T, random *rand.Rand, n int) (list []record.PastCall) {
	type object = map[string]any
	var messages []any
	say := func(role string, parts ...object) {
		messages = append(messages, object{"role": role, "content": parts})
	}
	text := func(what string, i int) object { return object{"type": "text", "text": fmt.Sprint(what, " ", i)} }
	tools, system, model := []string{"ls", "cat", "web"}, 0, "claude-sonnet-4-5"
	say("user", text("question", 0))
	for i := range n {
		answer := []object{{"type": "thinking", "thinking": fmt.Sprint("thought ", i), "signature": "s"}}
		calls := random.IntN(3) > 0
		if calls {
			answer = append(answer, object{"type": "tool_use", "id": fmt.Sprint("t", i), "name": "ls", "input": object{}})
		} else {
			answer = append(answer, text("answer", i))
		}
		offered := []object{}
		for _, name := range tools {
			offered = append(offered, object{"name": name, "input_schema": object{}})
		}
		body, err := json.Marshal(object{"model": model, "max_tokens": 9, "tools": offered,
			"system": []object{{"type": "text", "text": "You help."}, text("It is day", system)}, "messages": messages})
		must(t, err)
		said, err := json.Marshal(object{"id": fmt.Sprint("m", i), "type": "message", "role": "assistant", "content": answer,
			"usage": object{"input_tokens": 1, "output_tokens": 1}})
		must(t, err)
		list = append(list, record.PastCall{ID: fmt.Sprint(i), API: "anthropic.messages", Status: 200, Body: body, Answer: said,
			Started: int64(i+1) * 1e9, Ended: int64(i+1)*1e9 + 1})
		if say("assistant", answer...); calls {
			result := []object{{"type": "tool_result", "tool_use_id": fmt.Sprint("t", i), "content": fmt.Sprint("file ", i)}}
			if random.IntN(2) == 0 {
				result = append(result, text("a reminder", i))
			}
			say("user", result...)
		} else {
			say("user", text("question", i+1))
		}
		switch random.IntN(15) {
		case 0:
			system++
		case 1:
			tools = slices.Clone(tools)
			tools[random.IntN(3)] = fmt.Sprint("tool", i)
		case 2:
			slices.Reverse(tools)
		case 3:
			model = []string{"claude-sonnet-4-5", "claude-opus-4-8"}[random.IntN(2)]
		case 6: // an earlier question in short, as the agent wrote it anew
			if len(messages) > 4 {
				messages = slices.Clone(messages)
				messages[2*random.IntN(len(messages)/2-1)] = object{"role": "user", "content": []object{text("in short", i)}}
			}
		case 4:
			messages = []any{object{"role": "user", "content": []object{text("In short: much was said until", i)}}}
		case 5:
			if last := len(messages) - 2; last > 1 { // the answer in other words
				messages[last] = object{"role": "assistant", "content": append(slices.Clone(answer), text("more of answer", i))}
			}
		}
	}
	return list
}

// A report on calls that were rebuilt from a log, which are compared by their threads, says what one on the requests
// themselves says: how much a call repeats, and what ends that.
func TestThreadsCompareAsRequestsDo(t *testing.T) {
	cuts := map[string]int{}
	for seed := range uint64(testrun.Size(t, 30, 100, 1000)) {
		calls := drawnCalls(t, rand.New(rand.NewPCG(seed, 3)), 25)
		for i := range calls {
			calls[i].Rewrites = i > 0 && len(calls[i].Body) < len(calls[i-1].Body)
		}
		var reports [2]string
		for i, source := range []map[string]any{nil, {"exact": "rebuilt"}} {
			s := pact.NewDB(store.NewMemory())
			importer, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run", Source: source})
			must(t, err)
			for _, p := range calls {
				_, err := importer.Add(t.Context(), p)
				must(t, err)
			}
			for _, name := range importer.Contexts() {
				for p, err := range prefixesOf(t.Context(), opened(t, s, name), "", nil) {
					must(t, err)
					if p.Cut != nil {
						cuts[p.Cut.Cause]++
					}
					of := inspect.CallPrefix{Cycle: p.Cycle, Blocks: p.Blocks, Shared: p.Shared, Cut: p.Cut, CacheBreak: p.CacheBreak}
					report, err := json.Marshal(of)
					must(t, err)
					reports[i] += name + " " + string(report) + "\n"
				}
			}
		}
		if reports[0] != reports[1] {
			t.Fatalf("seed %d: the requests give\n%s\nthe threads\n%s", seed, reports[0], reports[1])
		}
	}
	for _, cause := range []string{"model", "tools", "system", "thinking", "compaction", "block"} {
		if cuts[cause] == 0 {
			t.Errorf("no call was cut by %s: %v", cause, cuts)
		}
	}
}
