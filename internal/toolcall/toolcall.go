// Package toolcall says what a tree holds about the calls of tools: the name of
// the tool, which result belongs to which call, and which call failed. It reads
// what importers and recorders wrote, so it knows only what the log says.
package toolcall

import (
	"context"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// The kinds of nodes that importers and recorders give to tools.
const (
	Definition = "tool"
	Call       = "call"
	Result     = "result"
)

// Partners returns the results of a call or the calls of a result, in document
// order: the nodes that it refers to or that refer to it. Other nodes have none.
// Cost: O(log n) for each of them.
func Partners(t *tree.Tree, n *tree.Node) (list []*tree.Node, err error) {
	other := map[string]string{Call: Result, Result: Call}[n.Kind]
	if other == "" {
		return nil, nil
	}
	linked, err := t.Linked(n)
	for _, p := range linked {
		if p.Kind == other && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	if err != nil {
		return nil, err
	}
	return list, tree.Sort(t, list, func(n *tree.Node) string { return n.ID })
}

// Name returns the name of the tool that a node defines, calls or answers for,
// "" if the tree does not say. It fails if a content cannot be read. Cost: that
// of Partners, and reading the content of a call that has no attribute wire:name.
func Name(ctx context.Context, t *tree.Tree, n *tree.Node) (string, error) {
	switch n.Kind {
	case Definition, Call:
		return ownName(ctx, n)
	case Result:
		partners, err := Partners(t, n)
		if err != nil {
			return "", err
		}
		for _, call := range partners {
			if name, err := ownName(ctx, call); name != "" || err != nil {
				return name, err
			}
		}
	}
	return "", nil
}

func ownName(ctx context.Context, n *tree.Node) (string, error) {
	if name, ok := n.Header("wire:name").Text(); ok {
		return name, nil
	}
	content, err := n.Content.Value(ctx)
	if err != nil {
		return "", err
	}
	name, _ := body(canon.Value(content).Any()).Get("name")
	if name.Kind != canon.KindString {
		return "", nil
	}
	return name.Text, nil
}

// ID returns the id of a call, of a result that of its call: the one that it came with, else that of the node. kind is what
// the node is taken for; others have none. Cost: that of Partners.
func ID(t *tree.Tree, n *tree.Node, kind string) (string, error) {
	if id, is := n.Header("wire:call").Text(); is || kind != Call && kind != Result {
		return id, nil
	}
	if kind == Call {
		return n.ID, nil
	}
	linked, err := t.Linked(n)
	for _, call := range linked {
		if call.Kind == Call {
			return ID(t, call, Call)
		}
	}
	return append(slices.Clone(n.Refs), n.ID)[0], err // of a call that is gone
}

// Arguments returns what a call passes to its tool: the text of the arguments
// or, if they are not a text, their JSON; "" if the content is not a call.
func Arguments(content canon.Value) string {
	call := body(content.Any())
	for _, name := range argumentNames {
		if v, ok := call.Get(name); ok {
			if v.Kind == canon.KindString {
				return v.Text
			}
			return string(v.Value())
		}
	}
	return ""
}

// argumentNames are the members that hold the arguments, by API.
var argumentNames = []string{"arguments", "input", "args"}

// Opened returns the content of a call for people to read: where the arguments are a text
// that is a JSON object or array, as some APIs write them, it has that in place of the text.
func Opened(content canon.Value) canon.Value {
	call := content.Any()
	inner := body(call)
	for i := range inner.Members {
		m := &inner.Members[i]
		if m.Value.Kind != canon.KindString || !slices.Contains(argumentNames, m.Name) {
			continue
		}
		if v, err := canon.ParseAny([]byte(m.Value.Text)); err == nil && len(v.Members)+len(v.Elems) > 0 {
			m.Value = v
		}
	}
	return call.Value()
}

// body returns the object that has name and arguments. Chat completions put it
// into a member named after the type of the call.
func body(call canon.Any) canon.Any {
	if call.Kind != canon.KindObject {
		return canon.Any{}
	}
	for _, name := range []string{"function", "custom", "functionCall"} {
		if v, ok := call.Get(name); ok && v.Kind == canon.KindObject {
			return v
		}
	}
	return call
}

// Failed reports whether the log marks a result as that of a failed call, or
// whether a call has such a result.
func Failed(t *tree.Tree, n *tree.Node) (bool, error) {
	switch n.Kind {
	case Result:
		return marked(n), nil
	case Call:
		partners, err := Partners(t, n)
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(partners, marked), nil
	}
	return false, nil
}

// marked reports whether a result carries the mark of a recorder or an importer.
func marked(result *tree.Node) bool { return canon.True == result.Header("wire:failed") }
