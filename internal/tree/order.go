package tree

// Less is the canonical order of siblings: offset, created_at_ns,
// creation_index, id, all ascending (02 §4.3).
//
// Specification: 01 §4, 02 §4.3, 08 §5, 08 §5.1.
func Less(a, b *Node) bool {
	switch {
	case a.Offset != b.Offset:
		return a.Offset < b.Offset
	case a.CreatedNS != b.CreatedNS:
		return a.CreatedNS < b.CreatedNS
	case a.Index != b.Index:
		return a.Index < b.Index
	}
	return a.ID < b.ID
}
