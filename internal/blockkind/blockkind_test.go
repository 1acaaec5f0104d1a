package blockkind_test

import (
	"testing"

	"github.com/contexttree/pact/internal/blockkind"
	"github.com/contexttree/pact/tree"
)

func TestKindComesBeforeRole(t *testing.T) {
	for _, c := range []struct {
		role, kind, want string
	}{
		{"system", "text", "system"}, {"developer", "", "system"}, {"system", "tool", "tool_definition"},
		{"user", "", "user"}, {"user", "stub", "stub"}, {"user", "summary", "summary"}, {"user", "image", "image"},
		{"assistant", "text", "assistant"}, {"assistant", "thinking", "reasoning"}, {"model", "reasoning", "reasoning"},
		{"assistant", "call", "call"}, {"user", "result", "result"}, {"tool", "", "result"}, {"critic", "note", "other"},
		{"", "", "other"},
	} {
		got := blockkind.Of(c.role, c.kind)
		if got.String() != c.want {
			t.Errorf("role %q, kind %q: %s, want %s", c.role, c.kind, got, c.want)
		}
		if again, ok := blockkind.Parse(c.want); !ok || again != got {
			t.Errorf("%s reads back as %s, %v", c.want, again, ok)
		}
	}
	for name, n := range map[string]*tree.Node{
		"result": {Kind: "result"},
		"erased": {Kind: "result", Headers: []tree.Header{{Name: tree.ErasedName, Value: `"mark"`}}},
	} {
		if got := blockkind.OfNode(n, "tool"); got.String() != name {
			t.Errorf("%+v: %s, want %s", n, got, name)
		}
	}
	if _, ok := blockkind.Parse("block"); ok {
		t.Error("a kind has the name block")
	}
	if names := blockkind.Names(); len(names) != blockkind.Count {
		t.Errorf("%d kinds have %d names", blockkind.Count, len(names))
	}
}
