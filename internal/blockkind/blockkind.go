// Package blockkind sorts the blocks of a thread into the few kinds that pictures and
// sentences tell apart, such as the result of a tool or a summary. It reads what importers and
// recorders wrote into role and kind.
package blockkind

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// Kind is one of the kinds, an index into [Names].
type Kind uint8

// The kinds, in the order in which a legend lists them.
const (
	System Kind = iota
	ToolDefinition
	User
	Assistant
	Reasoning
	Call
	Result
	Image
	Summary
	Stub
	Other
	Erased
)

// Count is how many kinds there are.
const Count = int(Erased) + 1

// names are the names of the kinds for programs.
var names = [Count]string{"system", "tool_definition", "user", "assistant", "reasoning", "call", "result", "image",
	"summary", "stub", "other", "erased"}

// Names returns the names of all kinds, in their order.
func Names() []string { return slices.Clone(names[:]) }

// String returns the name of a kind.
func (k Kind) String() string { return names[k] }

// Parse returns the kind with a name, false if there is none.
func Parse(name string) (Kind, bool) {
	i := slices.Index(names[:], name)
	return Kind(max(0, i)), i >= 0
}

// byHeader are the kinds that the header kind of a block alone decides.
var byHeader = map[string]Kind{
	"tool": ToolDefinition, "thinking": Reasoning, "reasoning": Reasoning, "call": Call, "result": Result,
	"image": Image, "summary": Summary, "stub": Stub,
}

// byRole are the kinds of other blocks, by the role with which the thread shows them.
var byRole = map[string]Kind{
	"system": System, "developer": System, "user": User, "assistant": Assistant, "model": Assistant,
	"tool": Result, "function": Result,
}

// Of returns the kind of a block from the role with which the thread shows it and from its
// header kind, "" without one.
func Of(role, kind string) Kind {
	if k, ok := byHeader[kind]; ok {
		return k
	}
	if k, ok := byRole[role]; ok {
		return k
	}
	return Other
}

// OfNode is Of for a node with the role with which the thread shows it. A node whose content was
// erased has a kind of its own: whatever it was, only its place remains.
func OfNode(n *tree.Node, role string) Kind {
	if n.Erased() {
		return Erased
	}
	return Of(role, n.Kind)
}
