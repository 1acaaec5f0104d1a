package provider

import (
	"bytes"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/splice"
)

// Whatever the bytes are, a check ends without a panic, and what Mend returns is JSON that it would not mend again.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{"model":"claude-fable-5-1","max_tokens":1e1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a b"}]},
			{"role":"user","content":"x"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a b"}]}]}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a"}]},{"role":"user"},{"role":"tool","tool_call_id":"a"}]}`,
		`{"model":"gpt-6.2","store":false,"input":[{"type":"reasoning","id":"r"},{"type":"function_call","call_id":"c"}]}`,
		`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"model","parts":[{"functionCall":{}},{}]}]}`,
		`{"contents":[{"parts":[]}],"messages":{},"input":"","tools":[1,null,{"functionDeclarations":[[]]}]}`, `[]`, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, body, after []byte) {
		for _, name := range []API{Chat, Responses, Messages, Gemini} {
			for _, model := range []string{"", "gemini-3", "claude-fable-5-1", "gpt-6.2"} {
				q := &CheckRequest{API: name, Model: model, Body: body, After: after}
				found, err := Check(q)
				if err != nil {
					if fault.CodeOf(err) != fault.DocumentInvalid {
						t.Fatal(err)
					}
					continue
				}
				mended, did, err := Mend(q)
				if err != nil {
					t.Fatalf("%s: %v: %s", name, err, mended)
				}
				if _, ok := splice.Parse(mended); !ok || len(found) == 0 && !bytes.Equal(mended, body) {
					t.Fatalf("%s: %q became %q", name, body, mended)
				}
				again, more, err := Mend(&CheckRequest{API: name, Model: model, Body: mended, After: after})
				if err != nil || !bytes.Equal(again, mended) {
					t.Fatalf("%s: %q became %q by %+v and then %q by %+v: %v", name, body, mended, did, again, more, err)
				}
			}
		}
	})
}
