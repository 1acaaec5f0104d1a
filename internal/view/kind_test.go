package view_test

import (
	"testing"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
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
		got := view.KindOf(c.role, c.kind)
		if got.String() != c.want {
			t.Errorf("role %q, kind %q: %s, want %s", c.role, c.kind, got, c.want)
		}
		if again, ok := view.ParseKind(c.want); !ok || again != got {
			t.Errorf("%s reads back as %s, %v", c.want, again, ok)
		}
	}
	for name, n := range map[string]*tree.Node{
		"result": {Kind: "result"},
		"erased": {Kind: "result", Headers: []tree.Header{{Name: tree.ErasedName, Value: `"mark"`}}},
	} {
		if got := view.KindOfNode(n, "tool"); got.String() != name {
			t.Errorf("%+v: %s, want %s", n, got, name)
		}
	}
	if _, ok := view.ParseKind("block"); ok {
		t.Error("a kind has the name block")
	}
	if names := view.KindNames(); len(names) != view.Kinds {
		t.Errorf("%d kinds have %d names", view.Kinds, len(names))
	}
}
