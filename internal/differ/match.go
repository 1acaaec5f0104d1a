package differ

import (
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/tree"
)

// Match pairs a removed node with the added node that took its place.
type Match struct {
	Removed, Added string // the id in the older tree and the id in the newer tree
}

// MatchMoves infers moves. It pairs each removed node that has a content hash with
// the first unpaired added node of the same hash, and prefers one of the same
// key. The ids are those of nodes that only one of the trees has. Cost: the number
// of ids.
func MatchMoves(older, newer *tree.Tree, removed, added []string) ([]Match, error) {
	type mark struct {
		hash tree.Digest
		key  string
	}
	waiting := map[mark][]string{}
	for _, id := range added {
		if e, err := newer.Entry(id); err != nil {
			return nil, err
		} else if hasHash(e) {
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
			e, err := older.Entry(id)
			if err != nil {
				return nil, err
			}
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
	return matches(removed, to), nil
}

func hasHash(e *tree.Entry) bool {
	return e != nil && e.Node().HashOK && hashed(e.Node(), e.Class())
}

func matches(ids []string, to map[string]string) []Match {
	list := []Match{}
	for _, id := range ids {
		if other, ok := to[id]; ok {
			list = append(list, Match{id, other})
		}
	}
	return list
}

// MatchReplacements infers replacements. It pairs each removed node with the first
// unpaired added node of the same key facet. Cost: the number of ids.
func MatchReplacements(older, newer *tree.Tree, removed, added []string) ([]Match, error) {
	waiting := map[string][]string{}
	for _, id := range added {
		if n, err := newer.Node(id); err != nil {
			return nil, err
		} else if n != nil {
			waiting[n.KeyFacet()] = append(waiting[n.KeyFacet()], id)
		}
	}
	to := map[string]string{}
	for _, id := range removed {
		n, err := older.Node(id)
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue
		}
		if list := waiting[n.KeyFacet()]; len(list) > 0 {
			to[id], waiting[n.KeyFacet()] = list[0], list[1:]
		}
	}
	return matches(removed, to), nil
}

// absent returns the ids that a tree does not have. The others a selector only left out on one side.
func absent(ids []string, from *tree.Tree) (list []string, err error) {
	for _, id := range ids {
		if has, err := from.Has(id); err != nil {
			return nil, err
		} else if !has {
			list = append(list, id)
		}
	}
	return list, nil
}

// pairs infers moves and replacements among nodes that only one side has. A node
// that moved was not replaced. Each pair has the cause of its removed node.
func (b *richBuilder) pairs(removed, added []string) ([]diff.Move, []diff.Replacement, error) {
	removed, err := absent(removed, b.To)
	if err != nil {
		return nil, nil, err
	}
	if added, err = absent(added, b.From); err != nil {
		return nil, nil, err
	}
	moves, replacements := []diff.Move{}, []diff.Replacement{}
	causes := map[string]diff.Cause{}
	for _, c := range b.report.Removed {
		causes[c.ID] = c.Cause
	}
	gone, come := map[string]bool{}, map[string]bool{}
	moved, err := MatchMoves(b.From, b.To, removed, added)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range moved {
		gone[m.Removed], come[m.Added] = true, true
		node, err := b.To.Node(m.Added)
		if err != nil {
			return nil, nil, err
		}
		parent, err := b.From.Parent(m.Removed)
		if err != nil {
			return nil, nil, err
		}
		now, err := b.To.Parent(m.Added)
		if err != nil {
			return nil, nil, err
		}
		ranges, err := RangesOf(b.From, m.Removed, b.To, m.Added)
		if err != nil {
			return nil, nil, err
		}
		moves = append(moves, diff.Move{PreviousID: m.Removed, NewID: m.Added, ContentHash: node.ContentHash(),
			PreviousParent: parent, NewParent: now, Cause: causes[m.Removed],
			Ranges: ranges})
	}
	left := func(ids []string, paired map[string]bool) (list []string) {
		for _, id := range ids {
			if !paired[id] {
				list = append(list, id)
			}
		}
		return list
	}
	replaced, err := MatchReplacements(b.From, b.To, left(removed, gone), left(added, come))
	if err != nil {
		return nil, nil, err
	}
	for _, m := range replaced {
		from, err := b.From.Node(m.Removed)
		if err != nil {
			return nil, nil, err
		}
		to, err := b.To.Node(m.Added)
		if err != nil {
			return nil, nil, err
		}
		d, err := b.contentDiff(from, to)
		if err != nil {
			return nil, nil, err
		}
		ranges, err := RangesOf(b.From, m.Removed, b.To, m.Added)
		if err != nil {
			return nil, nil, err
		}
		replacements = append(replacements, diff.Replacement{
			Key: to.KeyFacet(), PreviousID: m.Removed, NewID: m.Added, ContentDiff: d, Cause: causes[m.Removed],
			Ranges: ranges})
	}
	return moves, replacements, nil
}
