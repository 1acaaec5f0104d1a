package answer

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// growing is a message of a chat completion that arrives in pieces: it
// concatenates texts and merges objects and lists. Time is linear in the
// pieces.
type growing struct {
	value   canon.Any // a value of any other kind
	text    []byte
	members map[string]*growing
	elems   map[int64]*growing
	last    int64 // index of the last element that a piece added to
}

// add merges a piece. Null changes nothing.
func (g *growing) add(piece canon.Any) {
	switch piece.Kind {
	case canon.KindAbsent:
	case canon.KindString:
		g.value = canon.Any{Kind: canon.KindString}
		g.text = append(g.text, piece.Text...)
	case canon.KindObject:
		g.value = canon.Any{Kind: canon.KindObject}
		for _, m := range piece.Members {
			g.member(m.Name).addMember(m.Name, m.Value)
		}
	case canon.KindArray:
		g.value = canon.Any{Kind: canon.KindArray}
		for _, e := range piece.Elems {
			elem := g.elem(e)
			if get(e, "function").Kind == canon.KindObject || get(e, "custom").Kind == canon.KindObject {
				e = without(e, "index") // it says where a piece of a call belongs; the message has none
			}
			elem.add(e)
		}
	case canon.KindNull:
		if g.value.Kind == canon.KindAbsent {
			g.value = piece
		}
	default:
		g.value = piece
	}
}

// addMember merges a member. Some members, such as ids and names, arrive whole,
// and some servers repeat them in each piece.
func (g *growing) addMember(name string, piece canon.Any) {
	if piece.Kind == canon.KindString && slices.Contains([]string{"id", "type", "role", "name"}, name) {
		if piece.Text == "" || string(g.text) == piece.Text {
			piece = canon.Any{}
			if g.value.Kind == canon.KindAbsent {
				g.value = canon.Any{Kind: canon.KindString}
			}
		} else if name != "name" {
			g.text = nil
		}
	}
	g.add(piece)
}

func (g *growing) member(name string) *growing {
	if g.members == nil {
		g.members = make(map[string]*growing)
	}
	m := g.members[name]
	if m == nil {
		m = &growing{}
		g.members[name] = m
	}
	return m
}

// elem finds the element that a piece belongs to: the one with its index.
// Without an index, a piece of a call that has no id, or the id of the last
// call, continues that call.
func (g *growing) elem(piece canon.Any) *growing {
	at, ok := get(piece, "index").Value().Int64()
	if last := g.elems[g.last]; !ok && last != nil {
		at = g.last + 1
		id := text(piece, "id")
		if get(piece, "function").Kind == canon.KindObject && (id == "" || id == string(last.member("id").text)) {
			at = g.last
		}
	}
	if g.elems == nil {
		g.elems = make(map[int64]*growing)
	}
	if g.elems[at] == nil {
		g.elems[at] = &growing{}
	}
	g.last = at
	return g.elems[at]
}

// whole returns what has arrived; absent if nothing has.
func (g *growing) whole() canon.Any {
	switch g.value.Kind {
	case canon.KindString:
		return canon.Any{Kind: canon.KindString, Text: string(g.text)}
	case canon.KindObject:
		members := make([]canon.Member, 0, len(g.members))
		for name, m := range g.members {
			members = append(members, canon.Member{Name: name, Value: m.whole()})
		}
		return canon.Object(members...)
	case canon.KindArray:
		list := canon.Any{Kind: canon.KindArray}
		for _, i := range slices.Sorted(maps.Keys(g.elems)) {
			list.Elems = append(list.Elems, g.elems[i].whole())
		}
		return list
	}
	return g.value
}
