package tree

import "strings"

// Class says how placement and selectors treat a node, whatever its
// nodeType says (02 §3.3, 02 §3.4): user types fall back to a canonical class.
//
// Specification: 01 §1, 01 §1.1, 01 §1.2, 02 §2, 02 §2.1.
type Class uint8

// The classes. The regions come first, in their fixed order.
const (
	Root Class = iota
	Sys
	Seq
	Head // ^ah, the active head
	Turn
	Container
	Block
)

var classNames = [...]string{"^root", "^sys", "^seq", "^ah", "turn", "container", "block"}

// String names the class: ^root, ^sys, ^seq, ^ah, turn, container or block.
func (c Class) String() string { return classNames[c] }

// Region reports whether c is the root or one of its three regions.
func (c Class) Region() bool { return c <= Head }

// Shape holds what a list of children knows of each of them: the class and whether
// it has children of its own.
type Shape uint8

const inner Shape = 8

// Class returns the class.
func (s Shape) Class() Class { return Class(s &^ inner) }

// Leaf reports whether there are no children.
func (s Shape) Leaf() bool { return s&inner == 0 }

// Vocabulary names the canonical types that a context gives to its new nodes: mt, mc, cb
// in the older editions, seg, cont, block in the canonical one.
type Vocabulary struct {
	Turn, Container, Block string // nodeTypes
}

// ClassOfType returns the class that a nodeType names: a region, or the part
// before the first colon where that is a canonical name of either vocabulary.
//
// Specification: 01 §2, 02 §3.3, 07 §3.1.
func ClassOfType(nodeType string) (Class, bool) {
	base, _, _ := strings.Cut(nodeType, ":")
	switch base {
	case "^root":
		return Root, true
	case "^sys":
		return Sys, true
	case "^seq":
		return Seq, true
	case "^ah":
		return Head, true
	case "mt", "seg":
		return Turn, true
	case "mc", "cont":
		return Container, true
	case "cb", "block":
		return Block, true
	}
	return Block, false
}

// ClassOf returns the class of a node. Its type decides if it names a class; otherwise its
// place does: a child of ^seq is a turn, another node with children a container, any other
// a block.
func ClassOf(nodeType string, parent Class, hasChildren bool) Class {
	if c, named := ClassOfType(nodeType); named {
		return c
	}
	switch {
	case parent == Seq:
		return Turn
	case hasChildren:
		return Container
	}
	return Block
}
