package toolcall_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// built returns a tree whose turn has the given blocks.
func built(t *testing.T, blocks ...tree.Node) *tree.Tree {
	t.Helper()
	placed := []tree.Placed{{Node: named("root", "^root"), Parent: -1}, {Node: named("sys", "^sys")},
		{Node: named("seq", "^seq")}, {Node: named("ah", "^ah")}, {Node: named("turn", "seg"), Parent: 2}}
	for i, b := range blocks {
		b.Type, b.Offset, b.CreatedNS, b.Expiry = "block", 1, int64(i), tree.Never
		placed = append(placed, tree.Placed{Node: tree.NewNode(b, nil), Parent: 4})
	}
	made, err := tree.Build(1, placed)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func named(id, typ string) *tree.Node {
	return tree.NewNode(tree.Node{ID: id, Type: typ, Expiry: tree.Never}, nil)
}

func block(id, kind, content string, headers ...string) tree.Node {
	n := tree.Node{ID: id}
	value, err := canon.Parse([]byte(content))
	if err != nil {
		panic(err)
	}
	n.Content = tree.InMemory(value)
	list := []tree.Header{{Name: "kind", Value: canon.String(kind)}}
	for i := 0; i < len(headers); i += 2 {
		list = append(list, tree.Header{Name: headers[i], Value: canon.Value(headers[i+1])})
	}
	n.Headers = list
	return n
}

func TestNamesPairsAndFailures(t *testing.T) {
	made := built(t,
		block("c1", "call", `{"name":"ls","arguments":"{\"p\":1}"}`),
		block("c2", "call", `{"function":{"name":"cat","arguments":{"p":2}}}`, "refs", `["r2"]`),
		block("c3", "call", `{"input":{"p":3}}`, "wire:name", `"grep"`),
		block("r1", "result", `"a"`, "refs", `["c1"]`),
		block("r2", "result", `"b"`, "wire:failed", `true`),
		block("r3", "result", `"c"`, "wire:failed", `true`, "refs", `["c3"]`),
		block("r4", "result", `"alone"`, "wire:failed", `false`),
		block("x", "text", `{"name":"ls"}`, "refs", `["c1"]`))
	for id, want := range map[string]struct {
		name, partner string
		failed        bool
	}{
		"c1": {"ls", "r1", false}, "r1": {"ls", "c1", false}, "c2": {"cat", "r2", true}, "r2": {"cat", "c2", true},
		"c3": {"grep", "r3", true}, "r3": {"grep", "c3", true}, "r4": {}, "x": {}, "turn": {},
	} {
		n := sure.Get(made.Node(id))
		name, err := toolcall.Name(context.Background(), made, n)
		if err != nil || name != want.name {
			t.Errorf("the tool of %s is %q, %v, want %q", id, name, err, want.name)
		}
		partner := ""
		for _, p := range sure.Get(toolcall.Partners(made, n)) {
			partner += p.ID
		}
		if partner != want.partner || sure.Get(toolcall.Failed(made, n)) != want.failed {
			t.Errorf("%s has the partner %q, failed %v; want %+v", id, partner, sure.Get(toolcall.Failed(made, n)), want)
		}
	}
	for content, want := range map[string]string{`{"name":"ls","arguments":"{\"p\":1}"}`: `{"p":1}`,
		`{"function":{"arguments":{"p":2}}}`: `{"p":2}`, `{"input":[]}`: `[]`, `"text"`: "", `{}`: ""} {
		value, err := canon.Parse([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if got := toolcall.Arguments(value); got != want {
			t.Errorf("the arguments of %s are %q, want %q", content, got, want)
		}
	}
}

// What an API writes as the text of JSON is opened, and nothing else.
func TestOpened(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{`{"arguments":"{\"p\":[1,\"é\"]}","name":"ls"}`, `{"arguments":{"p":[1,"\u00e9"]},"name":"ls"}`},
		{`{"function":{"arguments":"[2]"},"id":"{\"p\":1}"}`, `{"function":{"arguments":[2]},"id":"{\"p\":1}"}`},
		{`{"arguments":"{\"p\":","name":"ls"}`, `{"arguments":"{\"p\":","name":"ls"}`},
		{`{"input":"ls -l"}`, `{"input":"ls -l"}`}, {`{"input":"7"}`, `{"input":"7"}`},
		{`{"args":{"p":"{}"}}`, `{"args":{"p":"{}"}}`}, {`"[1]"`, `"[1]"`}, {`[1]`, `[1]`},
	} {
		if got := string(toolcall.Opened(canon.Value(c.content))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.content, got, c.want)
		}
	}
}
