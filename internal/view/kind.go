package view

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// Kind is one of the few kinds into which pictures and sentences sort the blocks of a thread, such as
// the result of a tool or a summary: an index into [KindNames]. It is read from what importers and
// recorders wrote into role and kind.
type Kind uint8

// The kinds, in the order in which a legend lists them.
const (
	KindSystem Kind = iota
	KindToolDefinition
	KindUser
	KindAssistant
	KindReasoning
	KindCall
	KindResult
	KindImage
	KindSummary
	KindStub
	KindOther
	KindErased
)

// Kinds is how many kinds there are.
const Kinds = int(KindErased) + 1

// kindNames are the names of the kinds for programs.
var kindNames = [Kinds]string{"system", "tool_definition", "user", "assistant", "reasoning", "call", "result", "image",
	"summary", "stub", "other", "erased"}

// KindNames returns the names of all kinds, in their order.
func KindNames() []string { return slices.Clone(kindNames[:]) }

// String returns the name of a kind.
func (k Kind) String() string { return kindNames[k] }

// InWords returns the kind as a sentence has it: "user message", "tool definition".
func (k Kind) InWords() string {
	switch k {
	case KindToolDefinition:
		return "tool definition"
	case KindSystem:
		return "system block"
	case KindUser, KindAssistant:
		return k.String() + " message"
	case KindOther:
		return "block"
	}
	return k.String()
}

// ParseKind returns the kind with a name, false if there is none.
func ParseKind(name string) (Kind, bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(max(0, i)), i >= 0
}

// byHeader are the kinds that the header kind of a block alone decides.
var byHeader = map[string]Kind{
	"tool": KindToolDefinition, "thinking": KindReasoning, "reasoning": KindReasoning, "call": KindCall, "result": KindResult,
	"image": KindImage, "summary": KindSummary, "stub": KindStub,
}

// byRole are the kinds of other blocks, by the role with which the thread shows them.
var byRole = map[string]Kind{
	"system": KindSystem, "developer": KindSystem, "user": KindUser, "assistant": KindAssistant, "model": KindAssistant,
	"tool": KindResult, "function": KindResult,
}

// KindOf returns the kind of a block from the role with which the thread shows it and from its
// header kind, "" without one.
func KindOf(role, kind string) Kind {
	if k, ok := byHeader[kind]; ok {
		return k
	}
	if k, ok := byRole[role]; ok {
		return k
	}
	return KindOther
}

// KindOfNode is KindOf for a node with the role with which the thread shows it. A node whose content was
// erased has a kind of its own, because only its place remains.
func KindOfNode(n *tree.Node, role string) Kind {
	return kindOf(n.Erased(), role, n.Kind)
}

func kindOf(erased bool, role, kind string) Kind {
	if erased {
		return KindErased
	}
	return KindOf(role, kind)
}
