package transcript

import (
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// TestRenderAdded renders blocks that no import made.
func TestRenderAdded(t *testing.T) {
	type spec = pact.Spec
	call := func(name string) spec {
		return spec{Role: "assistant", Kind: "call", Content: map[string]any{"name": name, "arguments": "{}"}}
	}
	part := func(n int) map[string]any { return map[string]any{attrPart: []any{n, "first", "@"}} }
	result := func(call string) spec { return spec{Role: "tool", Kind: "result", Refs: []string{call}, Content: "r"} }
	said := func(call string) string { return `{"content":"r","role":"tool","tool_call_id":"` + call + `"}` }
	tests := []struct {
		name  string
		specs []spec
		want  string
	}{
		{"nothing", nil, `[]`},
		{"texts", []spec{{Content: "a"}, {Role: "assistant", Kind: "text", Content: "b"}, {Role: "assistant", Content: "c"},
			{Role: "other", Content: "d"}, {Role: "a:b", Content: nil}},
			`[{"content":"a","role":"user"},{"content":"b","role":"assistant"},{"content":"c","role":"assistant"},{"content":"d","role":"user"},{"content":"","role":"user"}]`},
		{"text and calls", []spec{{Role: "assistant", Content: "a"}, call("f"), call("g"), result("block:1-1"),
			result("block:1-2")},
			`[{"content":"a","role":"assistant","tool_calls":[` +
				`{"function":{"arguments":"{}","name":"f"},"id":"block:1-1","type":"function"},` +
				`{"function":{"arguments":"{}","name":"g"},"id":"block:1-2","type":"function"}]},` +
				said("block:1-1") + "," + said("block:1-2") + `]`},
		{"calls only", []spec{call("f"), result("block:1-0"), {Content: "u"}, call("g"), result("block:1-3")},
			`[{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"block:1-0","type":"function"}]},` +
				said("block:1-0") + `,{"content":"u","role":"user"},` +
				`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"g"},"id":"block:1-3","type":"function"}]},` + said("block:1-3") + `]`},
		{"texts around a call", []spec{{Role: "assistant", Content: "a"}, call("f"), {Role: "assistant", Content: 7},
			result("block:1-1")},
			`[{"content":[{"text":"a","type":"text"},{"text":"7","type":"text"}],"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"block:1-1","type":"function"}]},` + said("block:1-1") + `]`},
		{"a call by key and one without a role", []spec{{Kind: "call", Key: "look", Content: "up"},
			{Kind: "call", Content: map[string]any{"name": "f", "arguments": map[string]any{"a": 1}}},
			result("block:1-0"), result("block:1-1")},
			`[{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"up","name":"look"},"id":"block:1-0","type":"function"},` +
				`{"function":{"arguments":"{\"a\":1}","name":"f"},"id":"block:1-1","type":"function"}]},` + said("block:1-0") + "," + said("block:1-1") + `]`},
		{"a call with an id of its own",
			[]spec{{Kind: "call", Attrs: map[string]any{attrCall: "c9"}},
				{Kind: "result", Refs: []string{"gone", "block:1-0"}, Content: []any{map[string]any{"type": "text", "text": "x"}}}},
			`[{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"","name":"call"},"id":"c9","type":"function"}]},` +
				`{"content":[{"text":"x","type":"text"}],"role":"tool","tool_call_id":"c9"}]`},
		{"a call without a result after it", []spec{{Content: "u"}, result("block:1-2"), call("f"), call("g"),
			result("block:1-3")}, `[{"content":"u","role":"user"},{"content":null,"role":"assistant","tool_calls":` +
			`[{"function":{"arguments":"{}","name":"g"},"id":"block:1-3","type":"function"}]},` + said("block:1-3") + `]`},
		{"results without a call", []spec{{Role: "tool", Kind: "result", Content: []any{1}}, {Role: "tool", Kind: "result",
			Refs: []string{"gone"}}, {Role: "tool", Content: "t"}},
			`[{"content":"t","role":"tool","tool_call_id":"block:1-2"}]`},
		{"images", []spec{{Kind: "image", Content: "u"}, {Kind: "image", Content: map[string]any{"url": "v"}},
			{Kind: "image", Content: map[string]any{"type": "image"}}},
			`[{"content":[{"image_url":{"url":"u"},"type":"image_url"}],"role":"user"},{"content":[{"image_url":{"url":"v"},"type":"image_url"}],"role":"user"},{"content":[{"type":"image"}],"role":"user"}]`},
		{"other kinds", []spec{{Kind: "note", Content: map[string]any{"a": 1}},
			{Kind: "audio", Content: map[string]any{"type": "audio"}}, {Kind: "note", Content: []any{}}},
			`[{"content":"{\"a\":1}","role":"user"},{"content":[{"type":"audio"}],"role":"user"},{"content":"[]","role":"user"}]`},
		{"attributes that no import writes", []spec{{Content: "a", Attrs: map[string]any{attrFrame: "x"}},
			{Content: "b", Attrs: map[string]any{attrFrame: map[string]any{"frame": "@"}}},
			{Content: "c", Attrs: map[string]any{attrPart: []any{"1", "first"}}},
			{Content: "d", Attrs: map[string]any{attrPart: []any{1}}}, {Content: "e", Attrs: map[string]any{attrPart: []any{0, "first"}}},
			{Content: "f", Provenance: "anthropic.messages", Attrs: map[string]any{attrFrame: map[string]any{"frame": map[string]any{}}}}},
			`[{"content":"a","role":"user"},{"content":"b","role":"user"},{"content":"c","role":"user"},{"content":"d","role":"user"},{"content":"e","role":"user"},{"content":"f","role":"user"}]`},
		{"a frame with more holes, and one with fewer", []spec{
			{Content: "a", Attrs: map[string]any{attrFrame: map[string]any{"parts": 1e9, "frame": map[string]any{
				"role": "critic", "content": []any{"@", "@"}, "tool_calls": []any{map[string]any{"function": "@"}}, "x": []any{1, "@"}}}}},
			{Content: "b", Attrs: map[string]any{attrFrame: map[string]any{"frame": map[string]any{"role": "user"}}}}},
			`[{"content":["a"],"role":"critic","x":[1]},{"content":"b","role":"user"}]`},
		{"parts whose first is gone", []spec{{Content: "a", Attrs: part(1)}, {Kind: "image", Content: map[string]any{"type": "image"}, Attrs: part(2)},
			{Kind: "call", Content: map[string]any{"id": "c"}, Attrs: part(3)},
			{Role: "assistant", Kind: "text", Content: "t", Attrs: map[string]any{attrPart: []any{7, "other"}}},
			{Role: "assistant", Kind: "call", Content: map[string]any{"name": "f", "arguments": "{}"},
				Attrs: map[string]any{attrPart: []any{8, "other"}, attrCall: "c8"}},
			{Role: "assistant", Kind: "call", Content: map[string]any{"name": "g"},
				Attrs: map[string]any{attrPart: []any{9, "other", map[string]any{"function_call": "@"}}}}},
			`[{"content":["a",{"type":"image"}],"role":"user","tool_calls":[{"id":"c"}]},` +
				`{"content":[{"text":"t","type":"text"}],"function_call":{"name":"g"},"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c8","type":"function"}]}]`},
		{"parts of one message under several roles", []spec{
			{Role: "user", Content: "a", Attrs: part(1)}, {Role: "system", Content: "b", Attrs: part(2)},
			{Role: "tool", Kind: "result", Content: "c", Attrs: part(3)}, {Role: "tool", Kind: "result", Content: "d",
				Attrs: part(4)}},
			`[{"content":["a"],"role":"user"},{"content":["b"],"role":"system"},{"content":["c"],"role":"tool"},{"content":["d"],"role":"tool"}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "test",
				&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: counter()}})
			must(t, err)
			must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
				for _, s := range test.specs {
					b.Add("^ah", s)
				}
				return nil
			}, nil))
			if got := openAI(t, c.Working()); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestRenderTurns: what the assistant said in two cycles is two messages, and
// blocks without a role in ^sys are the system's.
func TestRenderTurns(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "test", nil)
	must(t, err)
	say := func(parent string, list ...pact.Spec) {
		t.Helper()
		_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			for _, s := range list {
				b.Add(parent, s)
			}
			return nil
		}})
		must(t, err)
	}
	say("^sys", pact.Spec{Content: "s"})
	say("^ah", pact.Spec{Role: "assistant", Content: "a"})
	say("^ah", pact.Spec{Kind: "call", Key: "f", Content: "x"},
		pact.Spec{Role: "tool", Kind: "result", Refs: []string{"block:3-0"}, Content: "r"})
	want := `[{"content":"s","role":"system"},{"content":"a","role":"assistant"},` +
		`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"x","name":"f"},"id":"block:3-0","type":"function"}]},` +
		`{"content":"r","role":"tool","tool_call_id":"block:3-0"}]`
	if got := openAI(t, c.Working()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRenderRemoved: what is left of an imported message is a message.
func TestRenderRemoved(t *testing.T) {
	call := func(id string) string {
		return `{"function":{"arguments":"{}","name":"` + id + `"},"id":"` + id + `","type":"function"}`
	}
	user := `{"content":"u","role":"user"}`
	end := `,{"content":"end","role":"user"}]`
	tests := []struct{ name, message, remove, want string }{
		{"one call of two", `{"role":"assistant","content":"t","x":1,"tool_calls":[` + call("a") + `,` + call("b") + `]}`,
			"1",
			`{"content":"t","role":"assistant","tool_calls":[` + call("b") + `],"x":1}`},
		{"all calls", `{"role":"assistant","content":"t","tool_calls":[` + call("a") + `,` + call("b") + `]}`, "12",
			`{"content":"t","role":"assistant"}`},
		{"the text", `{"role":"assistant","content":"t","tool_calls":[` + call("a") + `]}`, "0",
			`{"content":null,"role":"assistant","tool_calls":[` + call("a") + `]}`},
		{"all parts", `{"role":"assistant","content":[{"type":"text","text":"t"}],"tool_calls":[` + call("a") + `]}`, "0",
			`{"content":null,"role":"assistant","tool_calls":[` + call("a") + `]}`},
		{"one part of two", `{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"text","text":"s"}]}`, "0",
			`{"content":[{"text":"s","type":"text"}],"role":"assistant"}`},
		{"everything", `{"role":"assistant","content":"t","tool_calls":[` + call("a") + `]}`, "01", ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made := importText(t, "["+user+","+test.message+end)
			var nodes []string
			for entry := range sure.All(tree.Of(made.Working()).All()) {
				n := entry.Node()
				if n.Role == "assistant" {
					nodes = append(nodes, n.ID)
				}
			}
			must(t, made.Edit(t.Context(), func(b *pact.Batch) error {
				for _, i := range test.remove {
					b.Remove(nodes[i-'0'])
				}
				return nil
			}, nil))
			want := "[" + user
			if test.want != "" {
				want += "," + test.want
			}
			if got := openAI(t, made.Working()); got != want+end {
				t.Errorf("got  %s\nwant %s", got, want+end)
			}
		})
	}
}

// TestRenderUpdated: blocks that were updated are rendered as they are now.
func TestRenderUpdated(t *testing.T) {
	made := importText(t, `[{"role":"user"},{"role":"user","content":[{"type":"text","text":"t"}]},{"role":"user","content":"x"},{"role":"user","content":"y"}]`)
	must(t, made.Edit(t.Context(), func(b *pact.Batch) error {
		contents := []any{"now", []string{"part"}, nil, 1.5}
		for entry := range sure.All(tree.Of(made.Working()).All()) {
			n := entry.Node()
			if n.Kind == "" {
				continue
			}
			b.Update(n.ID, func(s *pact.Spec) { s.Content = contents[0] })
			contents = contents[1:]
		}
		return nil
	}, nil))
	want := `[{"content":"now","role":"user"},{"content":[{"text":["part"],"type":"text"}],"role":"user"},{"content":"","role":"user"},{"content":1.5,"role":"user"}]`
	if got := openAI(t, made.Working()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
