package tree_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// An update changes what its function changed and nothing else; the zero value takes a header away, and what the
// function gets is a copy. The headers that came with another tool's document keep their form.
func TestUpdateChangesWhatTheFunctionChanged(t *testing.T) {
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c", &pact.CreateOptions{Edition: selector.V01})
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "n", Role: "user", Kind: "text", Key: "k", Tags: []string{"a", "b"}, TTL: new(int64(5)),
			Pinned: true, Content: map[string]any{"n": json.Number("12345678901234567890")},
			Attrs: map[string]any{"data_x": 1, "data_y": "y"}})
		return nil
	}, nil))
	before := c.Working().Digest()
	update := func(f func(*pact.Spec)) error {
		return c.Edit(background, func(b *pact.Batch) error { b.Update("n", f); return nil }, nil)
	}
	must(t, update(func(s *pact.Spec) {
		if s.ID != "n" || s.Role != "user" || *s.TTL != 5 || !s.Pinned || s.Attrs["data_y"] != "y" {
			t.Errorf("the description is %+v", s)
		}
		if raw, ok := s.Content.(json.RawMessage); !ok || string(raw) != `{"n":12345678901234567890}` {
			t.Errorf("the content is %v", s.Content)
		}
	}))
	if c.Working().Digest() != before {
		t.Error("an update that changed nothing changed the node")
	}
	for name, f := range map[string]func(*pact.Spec){
		"the id":                 func(s *pact.Spec) { s.ID = "m" },
		"the type":               func(s *pact.Spec) { s.NodeType = "mc" },
		"an unknown role":        func(s *pact.Spec) { s.Role = "nobody" },
		"a name that is not one": func(s *pact.Spec) { s.Attrs["role"] = "tool" },
		"a content without JSON": func(s *pact.Spec) { s.Content = func() {} },
		"a list in place": func(s *pact.Spec) {
			s.Tags[0], s.Attrs["data_x"], s.TTL = "changed", "changed", new(int64(9))
			s.NodeType = "mc"
		},
	} {
		if err := update(f); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Edit(background, func(b *pact.Batch) error { b.Update("m", func(*pact.Spec) {}); return nil },
		nil); !errors.Is(err, fault.NodeNotFound) {
		t.Errorf("a node that is not there: %v", err)
	}
	if c.Working().Digest() != before {
		t.Error("an update that was refused left something behind")
	}
	must(t, update(func(s *pact.Spec) {
		s.Kind, s.Key, s.Tags, s.TTL, s.Pinned, s.Content = "", "", nil, nil, false, nil
		delete(s.Attrs, "data_x")
		s.Attrs["data_z"] = []int{3}
	}))
	n, err := c.Working().Node("n")
	must(t, err)
	content, err := n.JSON(background)
	must(t, err)
	if n.Role != "user" || n.Kind+n.Key != "" || n.Tags != nil || n.TTL != nil || n.Pinned || content != nil ||
		!reflect.DeepEqual(n.Attrs, map[string]any{"data_y": "y", "data_z": []any{json.Number("3")}}) {
		t.Errorf("the node is %+v", n)
	}
}
