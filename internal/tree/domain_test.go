package tree

import "testing"

// Nothing has the digest of something else that is made of the same digests: no entry that of a list, no list with runs
// that of one without, and no node that of either.
func TestDigestsSayWhatTheyAreOf(t *testing.T) {
	leaf := func(id string) *Entry {
		return newEntry(NewNode(Node{ID: id, Type: "block", Expiry: Never}, nil), Block, nil)
	}
	standsFor := func(d Digest) *Entry { return &Entry{node: leaf("x").node, digest: d} }
	kids := newList(0, []*Entry{leaf("b"), leaf("c")}, nil)
	of := newEntry(leaf("a").node, Container, kids)
	if list := newList(0, []*Entry{leaf("a"), standsFor(kids.digest)}, nil); list.digest == of.digest {
		t.Error("a list of two has the digest of an entry with children")
	}
	runs := newList(1, []*Entry{leaf("a")}, []*List{kids, kids})
	if flat := newList(0, []*Entry{standsFor(kids.digest), leaf("a"), standsFor(kids.digest)}, nil); flat.digest == runs.digest {
		t.Error("a list of three has the digest of a list of one between runs")
	}
}
