package tree_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// What the model prints: threads, canonical JSON, hashes, nodes.

// render is 02 §12.5: id, role, kind, content.
func render(r *modelNode, fallback string) string {
	role, has := r.headers["role"]
	if !has {
		role = fallback
	}
	s := `{"id":` + dump(r.id) + `,"role":` + dump(role)
	if kind, has := r.headers["kind"]; has {
		s += `,"kind":` + dump(kind)
	}
	content := r.content
	if content == nil {
		content = ""
	}
	return s + `,"content":` + dump(content) + `}`
}

func (w *modelTree) thread() []string {
	var list []string
	for _, r := range w.blocks(w.root()) {
		fallback := "user"
		if w.regionOf(r.id) == "^sys" {
			fallback = "system"
		}
		list = append(list, render(r, fallback))
	}
	return list
}

// dump is json.dumps(v, sort_keys=True, separators=(',', ':')).
func dump(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	var s strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case r < 0x7f:
			s.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&s, `\u%04x`, r)
		default:
			fmt.Fprintf(&s, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	return s.String()
}

// contentHash is 08 §2.1.
func contentHash(r *modelNode) string {
	o := map[string]any{"content": r.content, "role": r.headers["role"], "kind": r.headers["kind"]}
	for name, v := range o {
		if v == nil {
			o[name] = ""
		}
	}
	for name, v := range r.headers {
		if strings.HasPrefix(name, "data_") || strings.HasPrefix(name, "content_") {
			o[name] = v
		}
	}
	sum := sha256.Sum256([]byte(dump(o)))
	return hex.EncodeToString(sum[:])
}

// node is the node as the package's own type.
func (r *modelNode) node() *tree.Node {
	n := tree.Node{ID: r.id, Type: r.typ, Offset: r.offset, Priority: r.priority, Cycle: r.cycle, CreatedNS: r.ns,
		Index: r.index, Expiry: r.expiry}
	for name, v := range r.headers {
		n.Headers = append(n.Headers, tree.Header{Name: name, Value: canon.Value(dump(v))})
	}
	if r.content != nil {
		n.Content = tree.InMemory(canon.Value(dump(r.content)))
	}
	return tree.NewNode(n, nil)
}
