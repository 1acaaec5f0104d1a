package commit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// 03 §5.1, §8.3: the active head becomes a turn, and the next one is empty.
func TestSealMakesATurnOfTheHead(t *testing.T) {
	for _, c := range []struct {
		rule  string
		nodes []node
		want  string // ^seq and ^ah after one commit
	}{
		{"an empty head is a turn with an empty core", nil, "^seq[turn[container]] ^ah"},
		{"the example of the specification", []node{
			{id: "core", into: "^ah", group: true, ttl: forever}, {id: "user", into: "core", ttl: forever},
			{id: "tool", into: "^ah", offset: 1, ttl: forever},
		}, "^seq[turn[core[user] tool]] ^ah"},
		{"an elided core becomes a container", []node{
			{id: "post", into: "^ah", offset: 2, ttl: forever}, {id: "one", into: "^ah", ttl: forever},
			{id: "pre", into: "^ah", offset: -1, ttl: forever}, {id: "two", into: "^ah", ttl: forever},
		}, "^seq[turn[pre container[one two] post]] ^ah"},
		{"a head without a core gets an empty one in its place", []node{
			{id: "pre", into: "^ah", offset: -1, ttl: forever}, {id: "post", into: "^ah", offset: 1, ttl: forever},
		}, "^seq[turn[pre container post]] ^ah"},
		{"an explicit core stays what it is", []node{
			{id: "core", into: "^ah", group: true, ttl: forever}, {id: "one", into: "^ah", ttl: forever},
			{id: "group", into: "^ah", offset: 1, group: true, ttl: forever}, {id: "two", into: "group", ttl: forever},
		}, "^seq[turn[core[one] group[two]]] ^ah"},
		{"a core emptied by expiry is still one", []node{{id: "one", into: "^ah", ttl: 0}}, "^seq[turn[container]] ^ah"},
		{"groups cascade before the head is sealed", []node{
			{id: "group", into: "^ah", offset: 1, group: true, removable: true, ttl: forever}, {id: "one", into: "group",
				ttl: 0},
		}, "^seq[turn[container]] ^ah"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := beginCycles(t)
			s.commit(s.add(c.nodes), commit.Input{})
			equal(t, "outline", s.outline(s.tree.Region(tree.Seq))+" "+s.outline(s.tree.Region(tree.Head)), c.want)
		})
	}
}

// Stamps of a seal come in this order: turn, core where it has none yet, next
// head; after those of the cycle's edits and before those of the next cycle.
func TestStampsOfASeal(t *testing.T) {
	for _, c := range []struct {
		rule  string
		nodes []node
		want  string // created_at_ns and creation_index of what cycle 1 made
	}{
		{"empty", nil, "seg:1-0 1004 0, cont:1-1 1005 1, ah:1-2 1006 2"},
		{"elided core", []node{{id: "x", into: "^ah", ttl: forever}},
			"x 1004 0, seg:1-1 1005 1, cont:1-2 1006 2, ah:1-3 1007 3"},
		{"explicit core", []node{{id: "c", into: "^ah", group: true, ttl: forever}},
			"c 1004 0, seg:1-1 1005 1, ah:1-2 1006 2"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := beginCycles(t)
			s.commit(s.add(c.nodes), commit.Input{})
			made := make([]string, s.stamps.LastNS-1003)
			for e := range sure.All(s.tree.All()) {
				if n := e.Node(); n.Cycle == 1 {
					made[n.CreatedNS-1004] = fmt.Sprint(n.ID, " ", n.CreatedNS, " ", n.Index)
				}
			}
			equal(t, "made in cycle 1", strings.Join(made, ", "), c.want)
			equal(t, "stamps of cycle 2", []int64{s.stamps.Cycle, s.stamps.Next}, []int64{2, 0})
			equal(t, "cycle of the snapshot", s.tree.Cycle(), 1)
		})
	}
}

// Every commit makes exactly one turn, the newest last.
func TestEveryCommitMakesATurn(t *testing.T) {
	s := beginCycles(t)
	for cycle := 1; cycle <= 5; cycle++ {
		before := s.tree
		s.commit(s.tree.WithCycle(s.stamps.Cycle), commit.Input{})
		turns := s.tree.Region(tree.Seq).Children()
		equal(t, "turns", turns.Len(), cycle)
		last := sure.Get(turns.At(cycle - 1))
		equal(t, "the newest", last.Node().Cycle, cycle)
		equal(t, "its class and core", []any{last.Class(), last.Core().Node().Offset}, []any{tree.Turn, 0})
		equal(t, "turns of the snapshot before", before.Region(tree.Seq).Children().Len(), cycle-1)
	}
}
