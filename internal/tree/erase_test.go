package tree_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

var salt = func() []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}()

func withHeaders(n tree.Node, headers map[string]canon.Value) *tree.Node {
	for name, v := range headers {
		n.Headers = append(n.Headers, tree.Header{Name: name, Value: v})
	}
	return tree.NewNode(n, nil)
}

// TestErasureMark compares with what Python computes:
//
//	hmac.new(bytes(range(32)), json.dumps({"id": "block:1-0", "role": "user", "kind": "text", "tags": ["a"],
//	    "data_who": "Jané", "content": {"said": "I am Jané"}}, sort_keys=True, separators=(',', ':')).encode(), 'sha256')
func TestErasureMark(t *testing.T) {
	n := withHeaders(tree.Node{ID: "block:1-0", Type: "block", Priority: 4, CreatedNS: 7, Expiry: 9,
		Content: tree.InMemory(`{"said":"I am Jan\u00e9"}`)},
		map[string]canon.Value{"role": `"user"`, "kind": `"text"`, "tags": `["a"]`, "data_who": `"Jan\u00e9"`})
	got, err := n.Mark(t.Context(), salt)
	if want := "c8f3efe85f93f49a39898001bff3b680e861ae502b076ca9f128f972f19b774b"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestErasedNodes(t *testing.T) {
	place := tree.Node{ID: "x", Type: "cb:Jane", Offset: -2, Priority: 3, Cycle: 5, CreatedNS: 77, Index: 6, Expiry: 12}
	for _, c := range []struct {
		name    string
		iso     string
		content canon.Value
		headers map[string]canon.Value
		stays   []string
		left    canon.Value
	}{
		{"plain", "", `"Jane"`, map[string]canon.Value{"role": `"user"`, "kind": `"text"`, "refs": `["a"]`, "pinned": "true",
			"removable": "false"},
			[]string{"kind", "pinned", "refs", "removable", "role"}, `"[erased]"`},
		{"free words", "long ago", `{"a":1}`, map[string]canon.Value{"role": `"x:jane"`, "kind": `"jane"`,
			"refs": `{"jane":1}`, "pinned": `"jane"`},
			nil, `"[erased]"`},
		{"everything else", "", `NaN`, map[string]canon.Value{"key": `"k"`, "tags": `["t"]`, "provenance": `"p"`,
			"mime": `"m"`, "encoding": `"e"`,
			"data_x": "1", "content_x": "2", "openai:call": `{"id":"call_1"}`, "odd": "[]"}, nil, `"[erased]"`},
		{"no content", "", "", map[string]canon.Value{"role": `"tool"`}, []string{"role"}, ""},
		{"a false mark", "", `"Jane"`, map[string]canon.Value{tree.ErasedName: `"Jane"`}, nil, `"[erased]"`},
		{"a mark beside a text", "", `"Jane"`, map[string]canon.Value{tree.ErasedName: `"` +
			canon.Value(tree.Digest{}.String()) + `"`}, nil, `"[erased]"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := place
			n.ForeignISO, n.Content = c.iso, tree.InMemory(c.content)
			was := withHeaders(n, c.headers)
			mark, err := was.Mark(t.Context(), salt)
			must(t, err)
			is, err := was.Erase(t.Context(), salt)
			must(t, err)
			names := []string{}
			for _, h := range is.Headers {
				if h.Name != tree.ErasedName {
					names = append(names, h.Name)
					if h.Value != c.headers[h.Name] {
						t.Errorf("%s became %s", h.Name, h.Value)
					}
				}
			}
			if got, _ := is.Header(tree.ErasedName).Text(); got != mark || !slices.Equal(names, c.stays) {
				t.Errorf("left are %v and the mark %s, want %v and %s", names, got, c.stays, mark)
			}
			if v, err := is.Content.Value(t.Context()); v != c.left || err != nil {
				t.Errorf("left is the content %s", v)
			}
			moved := *is
			moved.Headers, moved.Content, moved.ForeignISO = was.Headers, was.Content, was.ForeignISO
			if !tree.NewNode(moved, nil).Equal(was) {
				t.Errorf("the place became %+v", is)
			}
			if again, err := is.Erase(t.Context(), []byte("another")); again != is || err != nil {
				t.Error("erased twice, it is another one")
			}
		})
	}
}
