package tree_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// TestJSONReadsValues reads values as somebody does who writes a store outside of this
// module.
func TestJSONReadsValues(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  canon.Value
		said  string
		isOne bool
		list  []string
	}{
		{` "gr\u00fcn" `, `"gr\u00fcn"`, "grün", true, nil},
		{`"a\"b"`, `"a\"b"`, `a"b`, true, nil},
		{`{"b": 1, "a": [true]}`, `{"a":[true],"b":1}`, "", false, nil},
		{`["x", "y"]`, `["x","y"]`, "", false, []string{"x", "y"}},
		{`["x", 1]`, `["x",1]`, "", false, nil},
		{`null`, `null`, "", false, nil},
	} {
		v, err := canon.Parse([]byte(c.text))
		if err != nil || v != c.want {
			t.Errorf("%s is read as %s, %v", c.text, v, err)
		}
		if said, isOne := v.Text(); said != c.said || isOne != c.isOne {
			t.Errorf("%s: the text is %q, %v", c.text, said, isOne)
		}
		if list := v.Texts(); !slices.Equal(list, c.list) {
			t.Errorf("%s: the list is %q", c.text, list)
		}
	}
	if said, isOne := canon.Value("").Text(); said != "" || isOne || canon.Value("").Texts() != nil {
		t.Error("no value is a text or a list")
	}
	for _, text := range []string{"", "{", "1 2", "\"\xff\""} {
		if v, err := canon.Parse([]byte(text)); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%q is read as %s, %v", text, v, err)
		}
	}
}

// TestSpecTakesJSON gives values of nodes to other nodes: as contents, as
// attributes, and inside of them.
func TestSpecTakesJSON(t *testing.T) {
	const value canon.Value = `{"a":["<&>",1.0]}`
	base, stamps, err := tree.New(threadEnv, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := tree.Edit(context.Background(), base, base, stamps, threadEnv)
	for _, c := range []struct {
		given any
		want  canon.Value
	}{
		{value, value},
		{[]any{value, canon.Value("")}, `[{"a":["<&>",1.0]},null]`},
		{map[string]canon.Value{"x": value}, `{"x":{"a":["<&>",1.0]}}`},
		{canon.Value("NaN"), "NaN"},
	} {
		id, err := x.Add("^sys", tree.Spec{Content: c.given, Attrs: map[string]any{"data_x": c.given}})
		if err != nil {
			t.Errorf("%v: %v", c.given, err)
			continue
		}
		n := sure.Get(x.Tree().Node(id))
		if content, err := n.Content.Value(context.Background()); content != c.want || n.Header("data_x") != c.want ||
			err != nil {
			t.Errorf("%v becomes %s and %s, %v", c.given, content, n.Header("data_x"), err)
		}
	}
}
