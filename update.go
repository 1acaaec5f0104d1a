package pact

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/contexttree/pact/internal/tree"
)

// Update changes headers of a node. f gets a description of the node and changes it: content, priority, tags and
// custom attributes; for a node of this cycle also ttl, offset, role, kind, key, refs, pinned, provenance, mime
// and encoding. The zero value takes an optional header away. In the description the content is a string if it
// is a text, else a [json.RawMessage]. Errors: E_NODE_NOT_FOUND if there is no such node, E_SEALED for a header
// that a commit has fixed, E_DOCUMENT_INVALID for a header that never changes or a value that does not fit.
// Cost: as [Batch.Add], and reading the content.
func (b *Batch) Update(id string, f func(*Spec)) {
	b.change(func() error {
		id, err := b.named(id)
		if err != nil {
			return err
		}
		e, err := b.editor.Entry(id)
		if err != nil {
			return err
		}
		if e == nil {
			return tree.NoNode(id, "in the working state")
		}
		shown := b.editor.Tree().Open() // a ttl counts from where a reader of the working state sees it
		was, err := specOf(b.ctx, e, shown)
		if err != nil {
			return err
		}
		now, err := specOf(b.ctx, e, shown) // f may change what it refers to
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
		return b.editor.Update(id, set)
	})
}

// specOf describes a node of a tree as it is.
func specOf(ctx context.Context, e *tree.Entry, t *tree.Tree) (Spec, error) {
	n := nodeOf(e, t, nil)
	s := Spec{ID: n.ID, NodeType: n.NodeType, Offset: n.Offset, Priority: n.Priority, TTL: TTL(n.TTL), Cad: n.Cad, Role: n.Role, Kind: n.Kind,
		Key: n.Key, Provenance: n.Provenance, MIME: n.MIME, Encoding: n.Encoding, Tags: n.Tags, Refs: n.Refs,
		Removable: n.Removable, Pinned: n.Pinned, Attrs: n.Attrs}
	content, err := tree.NodeOf(n).Content.Value(ctx)
	if text, ok := content.Text(); ok {
		s.Content = text
	} else if content != "" {
		s.Content = json.RawMessage(content)
	}
	return s, err
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
	put("ttl", written(s.TTL), written(now.TTL), (*int64)(nil))
	put("cad", written(s.Cad), written(now.Cad), (*int64)(nil))
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
		if !tree.CustomName(name) {
			return nil, tree.NoHeader(name)
		}
		if was, had := s.Attrs[name]; !had || !reflect.DeepEqual(was, v) {
			set[name] = v
		}
	}
	return set, nil
}
