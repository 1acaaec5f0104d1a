package provider

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/splice"
)

// The provider can be asked to clear where the agent asks it for nothing of the kind, the model knows the edit, and the
// client runs all tools.
func TestWhichRequestsCanAskToClear(t *testing.T) {
	const model, said = `{"model":"claude-opus-5",`, `"messages":[{"role":"user","content":"q"}]}`
	for body, want := range map[string]bool{
		model + said: true,
		model + `"tools":[{"name":"ls"},{"type":"custom","name":"a"},{"type":"bash_20250124","name":"bash"}],` + said: true,
		`{"model":"claude-2",` + said:                                                                                             false,
		model + `"context_management":{"edits":[]},` + said:                                                                       false,
		model + `"tools":[{"type":"web_search_20250305","name":"web_search"}],` + said:                                            false,
		model + `"messages":[{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search"}]}]}`:          false,
		model + `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"s","name":"web_search","input":{"a":1}}]}]}`: true,
	} {
		for api, asked := range map[API]bool{Messages: want, Chat: false} {
			r, ok := ReadRequest(api, parsed(t, body))
			if !ok || (ClearingFor(r, 0) != nil) != asked {
				t.Errorf("%s to %s: %v, %t", body, api, ClearingFor(r, 0), ok)
			}
		}
	}
}

// A client that writes spaces gets the member with spaces, so the store need not keep the whole body.
func TestTheMemberIsWrittenAsTheClientWrites(t *testing.T) {
	for before, want := range map[string]string{
		`{"model":"m","messages":[]}`:              `{"context_management":{"edits":[{"type":"clear_tool_uses_20250919",`,
		`{"model": "m", "messages": []}`:           `{"context_management": {"edits": [{"type": "clear_tool_uses_20250919", `,
		"{\n  \"model\": \"m\", \"messages\": []}": "{\n  \"context_management\": {\"edits\": [{\"type\": ",
	} {
		root, _ := splice.Parse([]byte(before))
		var edits, back splice.Edits
		(&Clearing{}).Ask(&edits, root, 3)
		asks := edits.Apply([]byte(before))
		root, ok := splice.Parse(asks)
		if !ok || !strings.HasPrefix(string(asks), want) {
			t.Errorf("%s became %s", before, asks)
		}
		if UndoAsk(&back, root); string(back.Apply(asks)) != before {
			t.Errorf("%s came back as %s", before, back.Apply(asks))
		}
	}
}
