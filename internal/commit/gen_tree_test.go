package commit_test

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// now is the cycle of the commits over drawn trees.
const now = 20

// genTree is a tree being drawn.
type genTree struct {
	*rand.Rand
	nodes  []tree.Node
	parent []int
	calls  []int // nodes of that kind
	answer []int // results
	finite int   // how many more nodes may expire: the model tries every subset
	groups int   // and how many more groups may be removable
}

func (s *genTree) put(parent int, typ string, offset int64) int {
	n := tree.Node{ID: fmt.Sprint(strings.TrimPrefix(typ, "^"), len(s.nodes)), Type: typ, Offset: offset,
		Expiry: tree.Never, Index: int64(len(s.nodes))}
	n.Priority = int64(s.Intn(3))
	if n.CreatedNS = int64(len(s.nodes)); typ == "block" {
		n.CreatedNS = int64(s.Intn(6)) // ties on purpose
	}
	if s.Intn(5) == 0 && s.finite > 0 && typ != "^ah" {
		n.Expiry = now - 3 + int64(s.Intn(6))
		s.finite--
	}
	s.nodes, s.parent = append(s.nodes, n), append(s.parent, parent)
	if typ == "block" {
		s.say(len(s.nodes) - 1)
	}
	return len(s.nodes) - 1
}

// say gives a block a role, a kind, tags and words, or none of them.
func (s *genTree) say(i int) {
	switch role := s.Intn(6); role {
	case 0:
	default:
		s.set(i, "role", canon.String([]string{"user", "assistant", "tool", "system", "other"}[role-1]))
	}
	switch s.Intn(8) {
	case 0:
	case 1, 2:
		s.calls = append(s.calls, i)
		s.set(i, "kind", `"call"`)
	case 3, 4:
		s.answer = append(s.answer, i)
		s.set(i, "kind", `"result"`)
	case 5:
		s.set(i, "kind", `"stub"`)
	default:
		s.set(i, "kind", `"text"`)
	}
	if s.Intn(3) == 0 {
		s.set(i, "tags", canon.Strings([]string{"x", "y"}[s.Intn(2):]))
	}
	if n := s.Intn(16); n > 0 {
		s.nodes[i].Content = tree.InMemory(canon.String(strings.Repeat(" word", n)))
	}
}

func (s *genTree) set(i int, name string, v canon.Value) {
	s.nodes[i].Headers = append(s.nodes[i].Headers, tree.Header{Name: name, Value: v})
}

func (s *genTree) group(parent int, offset int64, depth int) {
	g := s.put(parent, "cont", offset)
	if s.Intn(3) > 0 && s.groups > 0 {
		s.set(g, "removable", canon.True)
		s.groups--
	}
	if s.Intn(6) == 0 { // no group is a call or a result, whatever it says
		s.set(g, "kind", canon.String([]string{"call", "result"}[s.Intn(2)]))
		s.calls = append(s.calls, g)
	}
	for range s.Intn(3) {
		s.put(g, "block", int64(s.Intn(2)))
	}
	if depth > 0 && s.Intn(3) == 0 {
		s.group(g, 0, depth-1)
	}
}

func (s *genTree) exchange(turn int) {
	if s.Intn(3) > 0 {
		core := s.put(turn, "cont", 0)
		for range s.Intn(3) {
			s.put(core, "block", 0)
		}
	} else if s.Intn(2) == 0 {
		s.put(turn, "block", 0) // an elided core
	}
	for range s.Intn(3) {
		s.put(turn, "block", int64(s.Intn(2)*2-1))
	}
	if s.Intn(2) == 0 {
		s.group(turn, 1, 2)
	}
}

// refer draws references, one in two answered, and of calls and results too.
func (s *genTree) refer() {
	refs := make([][]string, len(s.nodes))
	for _, a := range s.answer {
		if len(s.calls) == 0 || s.Intn(6) == 0 {
			continue
		}
		c, way := s.calls[s.Intn(len(s.calls))], s.Intn(3)
		if way != 0 {
			refs[a] = append(refs[a], s.nodes[c].ID)
		}
		if way != 1 {
			refs[c] = append(refs[c], s.nodes[a].ID)
		}
	}
	for range s.Intn(len(s.nodes)/3 + 1) {
		a, b := s.Intn(len(s.nodes)), s.Intn(len(s.nodes))
		refs[a] = append(refs[a], s.nodes[b].ID)
		if s.Intn(2) == 0 {
			refs[b] = append(refs[b], s.nodes[a].ID)
		}
	}
	for i, list := range refs {
		if len(list) > 0 {
			s.set(i, "refs", canon.Strings(list))
		}
	}
}
