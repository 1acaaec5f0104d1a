package intake

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/testrun"
)

// TestASmallFileOfManyValuesIsRefusedBeforeItIsParsed: what a few kilobytes of gzip stand for is
// counted before it is made, as text and as values.
func TestASmallFileOfManyValuesIsRefusedBeforeItIsParsed(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	messages := "[" + strings.Repeat(`{"role":"user","content":"a"},`, 200_000) + "{}]"
	inspect := archived(t, member{"header.json", `{"version":2}`, 8}, member{"samples/a.json", messages, 8})
	for name, text := range map[string][]byte{"messages": []byte(messages), "one text": make([]byte, 40<<20),
		"archive": inspect} {
		zipped, packed := compressed(t, text)
		for _, file := range [][]byte{zipped.Bytes(), packed.Bytes()} {
			const most = 16 << 20
			ctx, memory := budget.WithMemory(t.Context(), most, "do this")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := Open(bytes.NewReader(file), MaxText)
			must(t, err)
			_, err = Text(ctx, r, MaxText)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; fault.CodeOf(err) != fault.Limit ||
				!strings.Contains(fmt.Sprint(err), "16 MiB") || took > 3*most {
				t.Errorf("%s: %v after %d bytes", name, err, took)
			}
			if memory.Close(); memory.Reserved() != 0 {
				t.Errorf("%s: %d bytes are held", name, memory.Reserved())
			}
		}
	}
}

// TestNodesAndBlocksAreHeldBeforeTheyAreMade: a document of many nodes, and a request of many messages, are
// refused although their texts fit.
func TestNodesAndBlocksAreHeldBeforeTheyAreMade(t *testing.T) {
	testrun.OneGoroutine(t)
	const most = 64 << 20
	many := strings.Repeat(`{"role":"user","content":"a"},`, 50_000) + `{"role":"user","content":"a"}`
	document := `{"cycle":1,"root":{"children":[` + many + `]}}`
	ctx, _ := budget.WithMemory(t.Context(), most, "")
	if text, err := textIn(ctx, document); err != nil || fault.CodeOf(holdNodes(ctx, text)) != fault.Limit {
		t.Errorf("the document is not refused; its text: %v", err)
	}
	request := `{"model":"m","messages":[` + many + `]}`
	answer := `{"type":"ai","data":{"content":"x"}},{"type":"human","data":{"content":"y"}},`
	rebuilt := strings.Repeat(`{"type":"human","data":{"content":"y"}},`, 50_000)
	for name, log := range map[string]string{"a request": request,
		"a rebuilt one": "[" + rebuilt + strings.TrimSuffix(answer, ",") + "]"} {
		ctx, _ := budget.WithMemory(t.Context(), most, "")
		text, err := textIn(ctx, log)
		must(t, err)
		read, err := calllog.Read(text)
		must(t, err)
		if _, err := sessionsOf(ctx, read, "a"); fault.CodeOf(err) != fault.Limit {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := sessionsOf(t.Context(), read, "a"); err != nil {
			t.Errorf("%s without a budget: %v", name, err)
		}
	}
}

func textIn(ctx context.Context, text string) ([]byte, error) {
	r, err := Open(strings.NewReader(text), MaxText)
	if err != nil {
		return nil, err
	}
	return Text(ctx, r, MaxText)
}
