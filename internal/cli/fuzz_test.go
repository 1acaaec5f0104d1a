package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/store"
)

// Whatever operations come in, apply ends with a history that reads back to
// the same bytes, or with exit 2 and nothing but an error.
func FuzzApply(f *testing.F) {
	for _, ops := range []string{
		`{"op":"config","edition":"v0.1","clock":{"start_ns":1000,"step_ns":1},"prune":{"max_nodes":4,"protect_turns":1}}
{"op":"add","into":"^sys","node":{"id":"s","role":"system","content":"S","tags":["t"]}}
{"op":"add","into":"^ah","node":{"role":"user","kind":"text","content":"one","ttl":2}}
{"op":"commit"}
{"op":"update","id":"s","set":{"content":{"a":[1.5,null]},"data_x":7}}
{"op":"add","at":"(d0, mc[offset=0], )","node":{"content":"two","refs":["s"]}}
{"op":"commit","message":"m"}`,
		`{"op":"add","into":"^ah","node":{"id":"g","nodeType":"cont","offset":1,"removable":true}}
{"op":"add","into":"g","node":{"id":"b","ttl":0,"pinned":true}}
{"op":"move","id":"b","into":"^ah","offset":-1}
{"op":"move","id":"b","at":"(d0, end)"}
{"op":"remove","id":"g"}
{"op":"commit","prune":["b"]}
{"op":"commit"}`,
	} {
		f.Add([]byte(ops))
	}
	f.Fuzz(func(t *testing.T, ops []byte) {
		var out, errs bytes.Buffer
		exit := cli.Run(context.Background(), []string{"apply", "-"}, cli.Streams{In: bytes.NewReader(ops), Out: &out,
			Err: &errs})
		switch {
		case exit == 2 && out.Len() == 0 && errs.Len() > 0:
			return
		case exit != 0:
			t.Fatalf("exit %d, output %q, errors %q", exit, &out, &errs)
		case out.Len() == 0:
			return // nothing was committed
		}
		c, findings, err := pact.ImportHistory(context.Background(), pact.NewDB(store.NewMemory()), "c", strings.NewReader(out.String()),
			nil)
		if err != nil {
			t.Fatalf("the history does not read: %v\n%s", err, &out)
		}
		for _, found := range findings {
			if !strings.Contains(found.Message, "JSON cannot express") {
				t.Fatalf("a finding about our own history: %+v", found)
			}
		}
		first, _ := c.Cycles()
		var again bytes.Buffer
		if err := c.ExportSnapshots(context.Background(), &again, pact.Cycle(first), pact.Latest()); err != nil {
			t.Fatal(err)
		}
		if again.String() != out.String() {
			t.Fatalf("read and written again:\n%s\n%s", &out, &again)
		}
	})
}
