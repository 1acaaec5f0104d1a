package intake

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// nested returns lists in lists, so many levels deep.
func nested(depth int) canon.Any {
	v := canon.Any{Kind: canon.KindArray}
	for range depth - 1 {
		v = canon.Any{Kind: canon.KindArray, Elems: []canon.Any{v}}
	}
	return v
}

// rebuilt returns a request with these messages to a model.
func rebuilt(model string, messages []canon.Any) calllog.Call {
	return calllog.Call{API: provider.Chat, Path: "/v1/chat/completions", Request: canon.Object(
		canon.Member{Name: "messages", Value: canon.Any{Kind: canon.KindArray, Elems: messages}},
		canon.Member{Name: "model", Value: canon.String(model).Any()})}
}

// checkEach is checkCalls as it would be if no request repeated another.
func checkEach(calls []calllog.Call) (int, error) {
	for n := range calls {
		if err := checkCall(&calls[n], nil); err != nil {
			return n, err
		}
	}
	return 0, nil
}

// TestCheckCallsAgreesWithModel: of random sessions the first refused call, and its error, are
// those of checking each call by itself. Requests grow, are cut, change model and copy messages; a
// message now and then is deeper than a body may be.
func TestCheckCallsAgreesWithModel(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 3))
	refused := 0
	for range testrun.Size(t, 100, 500, 5000) {
		var messages []canon.Any
		var calls []calllog.Call
		for range 1 + random.IntN(12) {
			model := "m"
			switch random.IntN(8) {
			case 0:
				messages = messages[:random.IntN(len(messages)+1):len(messages)]
			case 1:
				model = "another"
			case 2:
				messages = append([]canon.Any{}, messages...)
			}
			content := canon.String(fmt.Sprint("text ", random.IntN(3))).Any()
			if random.IntN(12) == 0 {
				content = nested(500 + random.IntN(30))
			}
			messages = append(messages, canon.Object(canon.Member{Name: "content", Value: content},
				canon.Member{Name: "role", Value: canon.String("user").Any()}))
			calls = append(calls, rebuilt(model, messages[:len(messages):len(messages)]))
		}
		want, wantErr := checkEach(calls)
		got, err := checkCalls(calls)
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("call %d is refused: %v; one by one it is call %d: %v", got, err, want, wantErr)
		}
		if wantErr != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no session was refused")
	}
}

// TestCheckingARebuiltSessionIsLinear: it writes and parses the longest request, so twice the calls
// allocate about twice the bytes.
func TestCheckingARebuiltSessionIsLinear(t *testing.T) {
	testrun.CountsAllocations(t)
	bytes := func(calls int) uint64 {
		var messages []canon.Any
		var list []calllog.Call
		for range calls {
			messages = append(messages, canon.Object(canon.Member{Name: "content",
				Value: canon.String(strings.Repeat("word ", 200)).Any()}))
			list = append(list, rebuilt("m", messages[:len(messages):len(messages)]))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := checkCalls(list)
		runtime.ReadMemStats(&after)
		must(t, err)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := bytes(50), bytes(100); many > 3*few {
		t.Errorf("50 calls allocate %d bytes, 100 calls %d", few, many)
	}
}
