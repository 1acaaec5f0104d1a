package transcript

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// outline lists the blocks of a tree in thread order: where each is, its role,
// kind, content and custom attributes without the message numbers.
func outline(t *testing.T, of *tree.Tree) []string {
	t.Helper()
	var list []string
	for e := range sure.All(of.All()) {
		n := e.Node()
		if e.Class() != tree.Block {
			continue
		}
		path := sure.Get(of.Path(n.ID))
		place := strings.TrimPrefix(path[1].Node().Type, "^")
		if path[1].Class() == tree.Seq {
			rank := slices.Index(slices.Collect(sure.All(of.Region(tree.Seq).Children().All())), path[2])
			place = "turn " + strconv.Itoa(rank+1)
		}
		if path[1].Class() != tree.Sys {
			if path[len(path)-2].Class() == tree.Container || n.Offset == 0 {
				place += " core"
			} else {
				place += " +" + strconv.FormatInt(n.Offset, 10)
			}
		}
		content, err := n.Content.Value(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		line := place + " | " + n.Role + " " + n.Kind + " | " + string(content)
		for _, h := range n.Headers {
			value := string(h.Value)
			if h.Name == attrMessage {
				var f fields
				f.setAll(without(canon.Value(h.Value).Any(), "n"))
				if value = string(f.object()); value == "{}" {
					continue
				}
			}
			if strings.HasPrefix(h.Name, "openai:") {
				line += " | " + strings.TrimPrefix(h.Name, "openai:") + " " + value
			}
		}
		list = append(list, line)
	}
	return list
}

// TestMessagesBecomeNodes shows what becomes of messages. Every case is rendered back too.
func TestMessagesBecomeNodes(t *testing.T) {
	call := `{"id":"c","type":"function","function":{"arguments":"{}","name":"f"}}`
	tests := []struct {
		name string
		file string
		want []string
	}{
		{"leading system messages", `[{"role":"system","content":"a"},{"role":"developer","content":"b"},{"role":"user","content":"c"},{"role":"system","content":"d"}]`, []string{
			`sys | system text | "a"`,
			`sys | system text | "b" | role "developer"`,
			`ah core | user text | "c"`,
			`ah core | system text | "d"`,
		}},
		{"a turn for each call", `[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"assistant","content":"c"},{"role":"user","content":"d"}]`, []string{
			`turn 1 core | user text | "a"`,
			`ah core | assistant text | "b"`, // no request separates the two: they are one answer
			`ah core | assistant text | "c"`,
			`ah core | user text | "d"`,
		}},
		{"core up to the first call", `[{"role":"assistant","content":"x","tool_calls":[` + call +
			`]},{"role":"tool","tool_call_id":"c","content":"r"},{"role":"user","content":"u"}]`, []string{
			`ah core | assistant text | "x"`,
			`ah +1 | assistant call | {"arguments":"{}","name":"f"} | call {"id":"c","type":"function"}`,
			`ah +1 | tool result | "r" | message {"rest":{"tool_call_id":"c"}}`,
			`ah +1 | user text | "u"`,
		}},
		{"a late result stays outside the core",
			`[{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"r"}],"name":"f"}]`, []string{
				`ah +1 | tool result | [{"text":"r","type":"text"}] | message {"rest":{"name":"f","tool_call_id":"c"}}`,
			}},
		{"content null, absent, empty",
			`[{"role":"user","content":null},{"role":"user"},{"role":"user","content":""},{"role":"user","content":[]},{"role":"tool","content":null},{"role":"tool"},{"role":"tool","content":[]}]`, []string{
				`ah core | user text |  | message {"content":"null"}`,
				`ah core | user text |  | message {"content":"absent"}`,
				`ah core | user text | ""`,
				`ah core | user text |  | message {"content":"empty"}`,
				`ah +1 | tool result |  | message {"content":"null"}`,
				`ah +1 | tool result |  | message {"content":"absent"}`,
				`ah +1 | tool result | []`,
			}},
		{"calls without text", `[{"role":"assistant","content":null,"tool_calls":[` + call + `,` + call +
			`]},{"role":"assistant","content":"","tool_calls":[` + call + `]},{"role":"assistant","tool_calls":[` + call + `]}]`,
			[]string{
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | call {"id":"c","type":"function"} | message {"content":"null"}`,
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | call {"id":"c","type":"function"} | message {"content":"null"}`,
				`ah +1 | assistant text | ""`,
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | call {"id":"c","type":"function"}`,
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | call {"id":"c","type":"function"} | message {"content":"absent"}`,
			}},
		{"parts", `[{"role":"user","name":"n","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"u"}},{"type":"image_url","image_url":"v","x":1.0},{"type":"input_audio","input_audio":{}},{"type":"a b"},{"type":"call"},"s",null,{"type":"text","text":null}]}]`, []string{
			`ah core | user text | "a" | message {"content":"list","rest":{"name":"n"}} | part {"cache_control":{"type":"ephemeral"}}`,
			`ah core | user image | {"url":"u"} | message {"content":"list"}`,
			`ah core | user image | "v" | message {"content":"list"} | part {"x":1.0}`,
			`ah core | user input_audio | {"input_audio":{},"type":"input_audio"} | form "part" | message {"content":"list"}`,
			`ah core | user part | {"type":"a b"} | form "part" | message {"content":"list"}`,
			`ah core | user part | {"type":"call"} | form "part" | message {"content":"list"}`,
			`ah core | user part | "s" | form "part" | message {"content":"list"}`,
			`ah core | user part |  | form "part" | message {"content":"list"}`,
			`ah core | user text | {"text":null,"type":"text"} | form "part" | message {"content":"list"}`,
		}},
		{"odd calls", `[{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"custom","custom":{}},null,{"function":"f"}],"function_call":{"name":"g"}},{"role":"function","name":"g","content":"r"},{"role":"user","content":1.0,"tool_calls":[1]},{"role":"user","content":{"a":1},"tool_calls":[],"function_call":"auto"}]`, []string{
			`ah core | assistant text | "a"`,
			`ah +1 | assistant call | {"name":"g"} | form "function_call"`,
			`ah +1 | assistant call | {"custom":{},"id":"c","type":"custom"} | form "call"`,
			`ah +1 | assistant call |  | form "call"`,
			`ah +1 | assistant call | {"function":"f"} | form "call"`,
			`ah +1 | tool result | "r" | message {"rest":{"name":"g"}} | role "function"`,
			`ah +1 | user text | 1.0 | message {"rest":{"tool_calls":[1]}}`,
			`ah +1 | user text | {"a":1} | message {"rest":{"function_call":"auto","tool_calls":[]}}`,
		}},
		{"roles", `[{"role":"other","content":"a"},{"role":"critic","content":"b"},{"role":"a:b","content":"c"},{"role":"","content":"d"}]`, []string{
			`ah core | other text | "a"`,
			`ah core | other text | "b" | role "critic"`,
			`ah core | other text | "c" | role "a:b"`,
			`ah core | other text | "d" | role ""`,
		}},
		{"lone surrogates and large numbers",
			`[{"role":"user","content":"\ud800","x":[1,1.0,123456789012345678901234567890]}]`, []string{
				`ah core | user text | "\ud800" | message {"rest":{"x":[1,1.0,123456789012345678901234567890]}}`,
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := Read([]byte(test.file))
			if err != nil {
				t.Fatal(err)
			}
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "test", list[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			got := outline(t, tree.Of(made.Working()))
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			compareConversation(t, test.name, made, list[0])
		})
	}
}

// TestCallsAndResultsReferToEachOther: calls and results refer to each other, whatever their ids.
func TestCallsAndResultsReferToEachOther(t *testing.T) {
	call := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, `{"id":"`+id+`","function":{"name":"`+id+`"}}`)
		}
		return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]},`
	}
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"},` }
	answer := `{"role":"assistant","content":"done"},`
	legacy := `{"role":"assistant","content":null,"function_call":{"name":"f"}},{"role":"function","name":"f","content":"r"},`
	tests := []struct{ name, messages, want string }{
		{"one", call("a") + result("a"), "0>1 1>0"},
		{"in any order", call("a", "b") + result("b") + result("a"), "0>3 1>2 2>1 3>0"},
		{"missing", call("a", "b") + result("b"), "1>2 2>1"},
		{"for nothing", result("a") + call("b"), ""},
		{"before its call", result("a") + call("a"), ""},
		{"cycles later", call("a") + `{"role":"user","content":"go on"},` + answer + result("a"), "3>0"},
		{"two for one", call("a") + result("a") + result("a"), "0>1,2 1>0 2>0"},
		{"an id twice in a message", call("a", "a") + result("a") + result("a"), "0>2 1>3 2>0 3>1"},
		{"an id used again", call("a") + result("a") + call("a") + result("a"), "0>1 1>0 2>3 3>2"},
		{"an id used again before a result", call("a") + call("a") + result("a"), "1>2 2>1"},
		{"several ids", call("a", "b") + `{"role":"tool","tool_call_ids":["a","b"],"content":"r"},`, "0>2 1>2 2>0,1"},
		{"an id named twice", call("a") + `{"role":"tool","tool_call_ids":["a","a"],"tool_call_id":"a","content":"r"},`,
			"0>1 1>0"},
		{"no id", call("") + result(""), ""},
		{"legacy", legacy + legacy, "0>1 1>0 2>3 3>2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made := importText(t, "["+test.messages+`{"role":"user","content":"end"}]`)
			if got := references(made.Working()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// references says which block refers to which, by their places in the thread.
func references(s *pact.Snapshot) string {
	place, refs := map[string]string{}, []string{}
	for entry := range sure.All(tree.Of(s).All()) {
		n := entry.Node()
		if n.Kind != "" {
			place[n.ID] = strconv.Itoa(len(place))
		}
	}
	for entry := range sure.All(tree.Of(s).All()) {
		n := entry.Node()
		var to []string
		for _, ref := range n.Refs {
			to = append(to, place[ref])
		}
		if to != nil {
			refs = append(refs, place[n.ID]+">"+strings.Join(to, ","))
		}
	}
	return strings.Join(refs, " ")
}
