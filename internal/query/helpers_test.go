package query_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// plant makes a tree of a listing: a node a line, indented by one space below
// its parent, as type, id and headers. Siblings of one offset keep their order.
func plant(tb testing.TB, cycle int64, listing string) *tree.Tree {
	tb.Helper()
	var nodes []tree.Placed
	var above []int
	for line := range strings.Lines(strings.Trim(listing, "\n")) {
		level := len(line) - len(strings.TrimLeft(line, " "))
		word := strings.Fields(line)
		n := tree.Node{Type: word[0], ID: word[1], CreatedNS: int64(len(nodes)), Expiry: tree.Never}
		for _, header := range word[2:] {
			name, v, _ := strings.Cut(header, "=")
			number, _ := strconv.ParseInt(v, 10, 64)
			switch name {
			case "offset":
				n.Offset = number
			case "cycle":
				n.Cycle = number
			case "priority":
				n.Priority = number
			case "content":
				n.Content = tree.InMemory(canon.String(strings.ReplaceAll(v, "_", " ")))
			case "wire:failed":
				n.Headers = append(n.Headers, tree.Header{Name: name, Value: canon.True})
			case "tags", "refs":
				n.Headers = append(n.Headers, tree.Header{Name: name, Value: canon.Strings(strings.Split(v, ","))})
			default:
				n.Headers = append(n.Headers, tree.Header{Name: name, Value: canon.String(v)})
			}
		}
		parent := -1
		if level > 0 {
			parent = above[level-1]
		}
		above = append(above[:level], len(nodes))
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
	}
	t, err := tree.Build(cycle, nodes)
	must(tb, err)
	return t
}

// garden is a conversation of two turns: the older with an elided core, a
// group behind it and a block ahead of it, the newer with an explicit core.
func garden(tb testing.TB) *tree.Tree {
	return plant(tb, 7, `
^root root
 ^sys sys
  block policy role=system cycle=1
  cont group cycle=1
   block rule role=system kind=note cycle=3
 ^seq seq
  seg old cycle=4
   block before offset=-1 role=tool cycle=4
   block ask role=user cycle=4 tags=x
   block reply role=assistant cycle=4
   cont extra offset=1 cycle=5
    block note kind=note offset=2 cycle=5 tags=x,y
  seg new cycle=6
   cont core cycle=6
    block call role=assistant kind=call cycle=6
    block result role=tool kind=note offset=2 cycle=6 tags=y
   block after offset=1 role=user cycle=7 tags=x,y
 ^ah ah cycle=6
  block draft role=user cycle=7
`)
}

// answers are selectors with the ids that engine and model find in a tree, in one word each.
type answers []struct {
	edition selector.Edition
	text    string
	want    string
}

func (list answers) check(t *testing.T, tr *tree.Tree) {
	t.Helper()
	for _, c := range list {
		got := compare(t, tr, flatten(tr, c.edition), selector.MustParse(c.text, c.edition))
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s, %s: got %v, want %s", c.edition, c.text, got, c.want)
		}
	}
}

var must = testrun.Must
