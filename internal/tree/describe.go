package tree

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"github.com/contexttree/pact/internal/canon"
)

// Attrs returns the custom attributes (02 §3.5) as encoding/json reads them, numbers as json.Number, and as text what
// that cannot read, such as NaN; nil if there are none.
func (n *Node) Attrs() (attrs map[string]any) {
	for _, h := range n.Headers {
		if !CustomName(h.Name) {
			continue
		}
		if attrs == nil {
			attrs = make(map[string]any)
		}
		attrs[h.Name] = decoded(h.Value)
	}
	return attrs
}

func decoded(value canon.Value) (v any) {
	d := json.NewDecoder(bytes.NewReader([]byte(value)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(value)
	}
	return v
}

// describe returns the description of a node as it is. A ttl counts from a base. The content is a string if it is a
// text, else a [json.RawMessage].
func (n *Node) describe(ctx context.Context, base int64) (Spec, error) {
	text := func(name string) string {
		s, _ := n.Header(name).Text()
		return s
	}
	s := Spec{ID: n.ID, NodeType: n.Type, Offset: n.Offset, Priority: n.Priority, Role: n.Role, Kind: n.Kind, Key: n.Key,
		Provenance: text("provenance"), MIME: text("mime"), Encoding: text("encoding"),
		Tags: append([]string(nil), n.Tags...), Refs: append([]string(nil), n.Refs...),
		Removable: n.Removable, Pinned: n.Pinned, Attrs: n.Attrs()}
	if ttl, ok := n.TTL(base); ok {
		s.TTL = &ttl
	}
	if n.Cad != 0 {
		s.Cad = new(n.Cad)
	}
	content, err := n.Content.Value(ctx)
	if text, ok := content.Text(); ok {
		s.Content = text
	} else if content != "" {
		s.Content = json.RawMessage(content)
	}
	return s, err
}

// Change changes headers of a node: f gets a description of the node and changes it. The zero value takes an optional
// header away. Errors are those of [Editor.Update].
func (x *Editor) Change(id string, f func(*Spec)) error {
	path, err := x.find(id)
	if err != nil {
		return err
	}
	n, base := path[len(path)-1].node, x.Tree().Open().Base() // a ttl counts from where a reader of the working state sees it
	was, err := n.describe(x.ctx, base)
	if err != nil {
		return err
	}
	now, err := n.describe(x.ctx, base) // f may change what it refers to
	if err != nil {
		return err
	}
	if now.Attrs == nil {
		now.Attrs = map[string]any{}
	}
	f(&now)
	set, err := was.changes(&now)
	if err != nil {
		return err
	}
	return x.Update(id, set)
}

// changes returns the headers that differ in another description of the node, with their new values; nil for those
// that it lacks.
func (s *Spec) changes(now *Spec) (map[string]any, error) {
	set := map[string]any{}
	put := func(name string, was, is, none any) {
		if reflect.DeepEqual(was, is) {
			return
		}
		if set[name] = is; reflect.DeepEqual(is, none) {
			set[name] = nil
		}
	}
	put("id", s.ID, now.ID, "")
	put("nodeType", s.NodeType, now.NodeType, "")
	put("removable", s.Removable, now.Removable, false)
	put("offset", s.Offset, now.Offset, nil)
	put("priority", s.Priority, now.Priority, nil)
	put("ttl", s.TTL, now.TTL, (*int64)(nil))
	put("cad", s.Cad, now.Cad, (*int64)(nil))
	put("role", s.Role, now.Role, "")
	put("kind", s.Kind, now.Kind, "")
	put("key", s.Key, now.Key, "")
	put("provenance", s.Provenance, now.Provenance, "")
	put("mime", s.MIME, now.MIME, "")
	put("encoding", s.Encoding, now.Encoding, "")
	put("pinned", s.Pinned, now.Pinned, false)
	put("content", s.Content, now.Content, nil)
	put("tags", append([]string(nil), s.Tags...), append([]string(nil), now.Tags...), []string(nil))
	put("refs", append([]string(nil), s.Refs...), append([]string(nil), now.Refs...), []string(nil))
	for name := range s.Attrs {
		if _, stays := now.Attrs[name]; !stays {
			set[name] = nil
		}
	}
	for name, v := range now.Attrs {
		if !CustomName(name) {
			return nil, NoHeader(name)
		}
		if was, had := s.Attrs[name]; !had || !reflect.DeepEqual(was, v) {
			set[name] = v
		}
	}
	return set, nil
}

// Replace gives a node another content, and the headers that the spec has, and returns its id. A sealed block stays as
// it is and is sent still, and the spec becomes a new one. Errors are those of [Editor.Update] and [Editor.Add].
func (x *Editor) Replace(id string, s Spec) (string, error) {
	if overlay, err := x.overlay(id, s); overlay != "" || err != nil {
		return overlay, err
	}
	return id, x.Change(id, func(now *Spec) { now.replace(s) })
}

// replace takes over the content of another description, and the headers that it has.
func (s *Spec) replace(by Spec) {
	content := by.Content
	to, was := reflect.ValueOf(&by).Elem(), reflect.ValueOf(*s)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(was.Field(i))
		}
	}
	by.ID, by.NodeType, by.Removable, by.Content = s.ID, s.NodeType, s.Removable, content
	*s = by
}
