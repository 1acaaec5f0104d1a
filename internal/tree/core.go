package tree

// This file says where the turn and the core on the path to a node are (02 §4.1,
// §6.2). A path goes from the root down to the node.

// TurnOn returns the sealed turn on a path, which may be the node at its end; nil if there
// is none.
func TurnOn(path []*Entry) *Entry {
	if len(path) > 2 && path[2].class == Turn {
		return path[2]
	}
	return nil
}

// InCore reports whether the node at the end of a path is the core of a turn or of the
// active head, or is in one. An elided core consists of the blocks at offset 0.
func InCore(path []*Entry) bool {
	for i := 1; i+1 < len(path); i++ {
		if c := path[i].class; c == Turn || c == Head {
			return path[i+1].node.Offset == 0
		}
	}
	return false
}

// IsCore reports whether an entry is the core of the turn or active head above it: its
// container at offset 0. above is the class of the parent.
func IsCore(e *Entry, above Class) bool {
	return e.class == Container && e.node.Offset == 0 && (above == Turn || above == Head)
}
