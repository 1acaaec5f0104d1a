package tree

import "strings"

// Summary says what is at and below a place of the tree. Every list and every entry
// carries one, so that expiry, selection, budgets and reports can skip what does not
// concern them.
type Summary struct {
	Marks      Marks // first, to be near the fields of an entry that are read with them
	Nodes      int   // all nodes
	Blocks     int   // blocks
	Containers int   // containers, cores included
	Bytes      int64 // rendered bytes of the blocks, a missing role counted as "user"
	Roleless   int   // blocks without a role
	Finite     int   // nodes that will expire
	Expiry     int64 // the earliest of their expiry cycles, else Never
}

// Marks are small sets of what occurs: one bit a value, by a hash, so that a
// clear bit proves absence and a set bit proves nothing.
type Marks struct{ Roles, Kinds, Types, Keys uint64 }

// Mark returns the set that holds one value.
func Mark(value string) uint64 { return 1 << (stableHash(value) >> 58) }

// May reports whether everything in want may occur where m was taken.
func (m Marks) May(want Marks) bool {
	return m.Roles&want.Roles == want.Roles && m.Kinds&want.Kinds == want.Kinds &&
		m.Types&want.Types == want.Types && m.Keys&want.Keys == want.Keys
}

// summaryOf is the summary of a node alone.
func summaryOf(n *Node, c Class) Summary {
	s := Summary{Nodes: 1, Expiry: n.Expiry, Marks: Marks{Types: Mark(n.Type) | Mark(c.String())}}
	if n.Expiry != Never {
		s.Finite = 1
	}
	if n.Role != "" {
		s.Marks.Roles = Mark(n.Role)
	}
	if _, inType, ok := strings.Cut(n.Type, ":"); ok { // the kind facet of a node without the header
		s.Marks.Kinds = Mark(inType)
	}
	if n.Kind != "" {
		s.Marks.Kinds |= Mark(n.Kind)
	}
	s.Marks.Keys = Mark(n.Key) | Mark(n.ID)
	for _, t := range n.Tags {
		s.Marks.Keys |= Mark(t)
	}
	switch c {
	case Block:
		s.Blocks, s.Bytes = 1, int64(n.rendered)
		if n.roleless {
			s.Roleless = 1
		}
	case Container:
		s.Containers = 1
	}
	return s
}

// add adds o to s.
func (s *Summary) add(o *Summary) {
	s.Nodes += o.Nodes
	s.Blocks += o.Blocks
	s.Containers += o.Containers
	s.Bytes += o.Bytes
	s.Roleless += o.Roleless
	s.Finite += o.Finite
	s.Expiry = min(s.Expiry, o.Expiry)
	s.Marks.Roles |= o.Marks.Roles
	s.Marks.Kinds |= o.Marks.Kinds
	s.Marks.Types |= o.Marks.Types
	s.Marks.Keys |= o.Marks.Keys
}

// stableHash is FNV-1a with a final mix: the same on every machine, because the
// shape of lists and with it every digest depends on it.
func stableHash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
