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
// kind, content and what its attributes say of its message and part.
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
		must(t, err)
		line := place + " | " + n.Role + " " + n.Kind + " | " + string(content)
		about := canon.Value(n.Header(attrFrame)).Any()
		if frame, ok := about.Get("frame"); ok && string(frame.Value()) != `{"content":"@","role":"`+n.Role+`"}` {
			line += " | frame " + string(frame.Value())
		}
		part, _ := about.Get("part")
		if place := canon.Value(n.Header(attrPart)).Any().Elems; len(place) > 1 {
			line += " | number " + place[0].Text
			part = append(place, canon.Any{})[2]
		}
		if part.Kind != canon.KindAbsent {
			line += " | part " + string(part.Value())
		}
		for _, name := range []string{attrCall, attrFailed} {
			if v := n.Header(name); v != "" {
				line += " | " + strings.TrimPrefix(name, "wire:") + " " + string(v)
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
			`sys | system text | "b" | frame {"content":"@","role":"developer"}`,
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
			`ah core | assistant text | "x" | frame {"content":"@","role":"assistant","tool_calls":["@"]}`,
			`ah +1 | assistant call | {"arguments":"{}","name":"f"} | number 1 | part {"function":"@","id":"c","type":"function"} | call "c"`,
			`ah +1 | tool result | "r" | frame {"content":"@","role":"tool","tool_call_id":"c"} | call "c"`,
			`ah +1 | user text | "u"`,
		}},
		{"a late result stays outside the core",
			`[{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"r"}],"name":"f"}]`, []string{
				`ah +1 | tool result | [{"text":"r","type":"text"}] | frame {"content":"@","name":"f","role":"tool","tool_call_id":"c"} | call "c"`,
			}},
		{"content null, absent, empty",
			`[{"role":"user","content":null},{"role":"user"},{"role":"user","content":""},{"role":"user","content":[]},{"role":"tool","content":null},{"role":"tool"},{"role":"tool","content":[]}]`, []string{
				`ah core | user text |  | frame {"content":null,"role":"user"}`,
				`ah core | user text |  | frame {"role":"user"}`,
				`ah core | user text | ""`,
				`ah core | user text |  | frame {"content":[],"role":"user"}`,
				`ah +1 | tool result |  | frame {"content":null,"role":"tool"}`,
				`ah +1 | tool result |  | frame {"role":"tool"}`,
				`ah +1 | tool result | []`,
			}},
		{"calls without text", `[{"role":"assistant","content":null,"tool_calls":[` + call + `,` + call +
			`]},{"role":"assistant","content":"","tool_calls":[` + call + `]},{"role":"assistant","tool_calls":[` + call + `]}]`,
			[]string{
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | frame {"content":null,"role":"assistant","tool_calls":["@","@"]} | part {"function":"@","id":"c","type":"function"} | call "c"`,
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | number 1 | part {"function":"@","id":"c","type":"function"} | call "c"`,
				`ah +1 | assistant text | "" | frame {"content":"@","role":"assistant","tool_calls":["@"]}`,
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | number 1 | part {"function":"@","id":"c","type":"function"} | call "c"`,
				`ah +1 | assistant call | {"arguments":"{}","name":"f"} | frame {"role":"assistant","tool_calls":["@"]} | part {"function":"@","id":"c","type":"function"} | call "c"`,
			}},
		{"parts", `[{"role":"user","name":"n","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"u"}},{"type":"image_url","image_url":"v","x":1.0},{"type":"input_audio","input_audio":{}},{"type":"a b"},{"type":"call"},"s",null,{"type":"text","text":null}]}]`, []string{
			`ah core | user text | "a" | frame {"content":["@","@","@","@","@","@","@","@","@"],"name":"n","role":"user"} | part {"cache_control":{"type":"ephemeral"},"text":"@","type":"text"}`,
			`ah core | user image | {"url":"u"} | number 1 | part {"image_url":"@","type":"image_url"}`,
			`ah core | user image | "v" | number 2 | part {"image_url":"@","type":"image_url","x":1.0}`,
			`ah core | user input_audio | {"input_audio":{},"type":"input_audio"} | number 3 | part "@"`,
			`ah core | user part | {"type":"a b"} | number 4 | part "@"`,
			`ah core | user part | {"type":"call"} | number 5 | part "@"`,
			`ah core | user part | "s" | number 6 | part "@"`,
			`ah core | user part |  | number 7 | part "@"`,
			`ah core | user text | {"text":null,"type":"text"} | number 8 | part "@"`,
		}},
		{"odd calls", `[{"role":"assistant","content":"a","tool_calls":[{"id":"c","type":"custom","custom":{}},null,{"function":"f"}],"function_call":{"name":"g"}},{"role":"function","name":"g","content":"r"},{"role":"user","content":1.0,"tool_calls":[1]},{"role":"user","content":{"a":1},"tool_calls":[],"function_call":"auto"}]`, []string{
			`ah core | assistant text | "a" | frame {"content":"@","function_call":"@","role":"assistant","tool_calls":["@","@","@"]}`,
			`ah +1 | assistant call | {"name":"g"} | number 1 | part {"function_call":"@"}`,
			`ah +1 | assistant call | {"custom":{},"id":"c","type":"custom"} | number 2 | part "@" | call "c"`,
			`ah +1 | assistant call |  | number 3 | part "@"`,
			`ah +1 | assistant call | {"function":"f"} | number 4 | part "@"`,
			`ah +1 | tool result | "r" | frame {"content":"@","name":"g","role":"function"}`,
			`ah +1 | user text | 1.0 | frame {"content":"@","role":"user","tool_calls":[1]}`,
			`ah +1 | user text | {"a":1} | frame {"content":"@","function_call":"auto","role":"user","tool_calls":[]}`,
		}},
		{"roles", `[{"role":"other","content":"a"},{"role":"critic","content":"b"},{"role":"a:b","content":"c"},{"role":"","content":"d"}]`, []string{
			`ah core | other text | "a"`,
			`ah core | other text | "b" | frame {"content":"@","role":"critic"}`,
			`ah core | other text | "c" | frame {"content":"@","role":"a:b"}`,
			`ah core | other text | "d" | frame {"content":"@","role":""}`,
		}},
		{"results of calls that failed, and words that look like holes",
			`[{"role":"tool","content":"@","is_error":true,"x":"@"},{"role":"tool","content":"r","status":"error"},{"role":"user","content":[{"type":"text","text":"@","x":["@@"]}]}]`, []string{
				`ah +1 | tool result | "@" | frame {"content":"@","is_error":true,"role":"tool","x":"@@"} | failed true`,
				`ah +1 | tool result | "r" | frame {"content":"@","role":"tool","status":"error"} | failed true`,
				`ah +1 | user text | "@" | frame {"content":["@"],"role":"user"} | part {"text":"@","type":"text","x":["@@@"]}`,
			}},
		{"lone surrogates and large numbers",
			`[{"role":"user","content":"\ud800","x":[1,1.0,123456789012345678901234567890]}]`, []string{
				`ah core | user text | "\ud800" | frame {"content":"@","role":"user","x":[1,1.0,123456789012345678901234567890]}`,
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := Read([]byte(test.file))
			must(t, err)
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "test", list[0], nil)
			must(t, err)
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
