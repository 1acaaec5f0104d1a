package diff

import (
	"github.com/contexttree/pact/diff/content"
	"github.com/contexttree/pact/tree"
)

// Move is a removed node and an added one of equal content hash: probably the
// same thing in another place, since the move of a published node gives it a
// new id (05 §4.5).
type Move struct {
	PreviousID     string `json:"previous_id"`
	NewID          string `json:"new_id"`
	ContentHash    string `json:"content_hash"`
	PreviousParent string `json:"previous_parent_id"`
	NewParent      string `json:"new_parent_id"`
	Cause          Cause  `json:"cause"`
	Ranges
}

// Replacement is a removed node and an added one of the same key, with other
// content. The key facet of a node without a key is its id.
type Replacement struct {
	Key         string        `json:"key"`
	PreviousID  string        `json:"previous_id"`
	NewID       string        `json:"new_id"`
	ContentDiff *content.Diff `json:"content_diff,omitempty"`
	Cause       Cause         `json:"cause"`
	Ranges
}

// Twin is a node that went and one that came in its stead.
type Twin struct{ Old, New string }

// Moved infers moves: each removed node with a content hash and the first added
// one of the same hash that is left, one of the same key if there is one. The
// ids are those of nodes that only one of the trees has. Cost: their number.
func Moved(older, newer *tree.Tree, removed, added []string) []Twin {
	type mark struct {
		hash tree.Digest
		key  string
	}
	waiting := map[mark][]string{}
	for _, id := range added {
		if e := newer.Entry(id); hasHash(e) {
			m := mark{e.Node().Hash, e.Node().Key}
			waiting[m] = append(waiting[m], id)
			if m.key != "" {
				m.key = ""
				waiting[m] = append(waiting[m], id)
			}
		}
	}
	to, taken := map[string]string{}, map[string]bool{}
	take := func(id string, m mark) {
		list := waiting[m]
		for len(list) > 0 && taken[list[0]] {
			list = list[1:]
		}
		if len(list) > 0 {
			to[id], taken[list[0]] = list[0], true
			list = list[1:]
		}
		waiting[m] = list
	}
	for _, keyed := range [...]bool{true, false} {
		for _, id := range removed {
			e := older.Entry(id)
			if to[id] != "" || !hasHash(e) || keyed && e.Node().Key == "" {
				continue
			}
			m := mark{hash: e.Node().Hash}
			if keyed {
				m.key = e.Node().Key
			}
			take(id, m)
		}
	}
	return twins(removed, to)
}

func hasHash(e *tree.Entry) bool {
	return e != nil && e.Node().HashOK && hashed(e.Node(), e.Class())
}

func twins(ids []string, to map[string]string) []Twin {
	list := []Twin{}
	for _, id := range ids {
		if other, ok := to[id]; ok {
			list = append(list, Twin{id, other})
		}
	}
	return list
}

// Replaced infers replacements: each removed node and the first added one of
// the same key facet that is left. Cost: the number of ids.
func Replaced(older, newer *tree.Tree, removed, added []string) []Twin {
	waiting := map[string][]string{}
	for _, id := range added {
		if n := newer.Node(id); n != nil {
			waiting[keyOf(n)] = append(waiting[keyOf(n)], id)
		}
	}
	to := map[string]string{}
	for _, id := range removed {
		n := older.Node(id)
		if n == nil {
			continue
		}
		if list := waiting[keyOf(n)]; len(list) > 0 {
			to[id], waiting[keyOf(n)] = list[0], list[1:]
		}
	}
	return twins(removed, to)
}

func keyOf(n *tree.Node) string {
	if n.Key != "" {
		return n.Key
	}
	return n.ID
}

// pairs infers moves and replacements among nodes that only one side has. What
// moved was not replaced. The cause is that of the node that went.
func (b *richBuilder) pairs(removed, added []string) ([]Move, []Replacement, error) {
	absent := func(ids []string, from *tree.Tree) (list []string) {
		for _, id := range ids {
			if !from.Has(id) { // a selector may have left it out on one side
				list = append(list, id)
			}
		}
		return list
	}
	removed, added = absent(removed, b.To), absent(added, b.From)
	moves, replacements := []Move{}, []Replacement{}
	causes := map[string]Cause{}
	for _, c := range b.report.Removed {
		causes[c.ID] = c.Cause
	}
	gone, come := map[string]bool{}, map[string]bool{}
	for _, t := range Moved(b.From, b.To, removed, added) {
		gone[t.Old], come[t.New] = true, true
		moves = append(moves, Move{PreviousID: t.Old, NewID: t.New, ContentHash: b.To.Node(t.New).ContentHash(),
			PreviousParent: b.From.Parent(t.Old), NewParent: b.To.Parent(t.New), Cause: causes[t.Old],
			Ranges: Ranges{RangeOf(b.From, t.Old), RangeOf(b.To, t.New)}})
	}
	left := func(ids []string, paired map[string]bool) (list []string) {
		for _, id := range ids {
			if !paired[id] {
				list = append(list, id)
			}
		}
		return list
	}
	for _, t := range Replaced(b.From, b.To, left(removed, gone), left(added, come)) {
		from, to := b.From.Node(t.Old), b.To.Node(t.New)
		d, err := b.contentDiff(from, to)
		if err != nil {
			return nil, nil, err
		}
		replacements = append(replacements, Replacement{Key: keyOf(to), PreviousID: t.Old, NewID: t.New, ContentDiff: d, Cause: causes[t.Old],
			Ranges: Ranges{RangeOf(b.From, t.Old), RangeOf(b.To, t.New)}})
	}
	return moves, replacements, nil
}
