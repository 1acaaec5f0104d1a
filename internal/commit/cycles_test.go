package commit_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// node is a node to be added, as a line of a table.
type node struct {
	id, into string
	offset   int64
	group    bool // a container instead of a block
	ttl      int  // forever for none
	refs     string
}

const forever = -1

// cycles is a context that lives through cycles.
type cycles struct {
	t      *testing.T
	tree   *tree.Tree
	stamps tree.Stamps
	env    tree.Env
	ids    []string // those of the tables, in the order they came
}

func beginCycles(t *testing.T) *cycles {
	t.Helper()
	s := &cycles{t: t, env: env(1000)}
	var err error
	if s.tree, s.stamps, err = tree.New(s.env, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *cycles) edit(do func(*tree.Editor) error) *tree.Tree {
	s.t.Helper()
	x := tree.Edit(context.Background(), s.tree.WithCycle(s.stamps.Cycle), s.tree, s.stamps, s.env)
	if err := do(x); err != nil {
		s.t.Fatal(err)
	}
	s.stamps = x.Stamps
	return x.Tree()
}

func (s *cycles) add(nodes []node) *tree.Tree {
	s.t.Helper()
	return s.edit(func(x *tree.Editor) error {
		for _, n := range nodes {
			spec := tree.Spec{ID: n.id, Offset: n.offset}
			if n.group {
				spec.NodeType = "cont"
			}
			if n.ttl != forever {
				spec.TTL = new(int64(n.ttl))
			}
			s.ids = append(s.ids, n.id)
			if _, err := x.Add(n.into, spec); err != nil {
				return err
			}
		}
		return nil
	})
}

// commit commits a working state and returns which of the tables' nodes are in
// the snapshot.
func (s *cycles) commit(working *tree.Tree, in commit.Input) (left string, report lifecycle.Report) {
	s.t.Helper()
	in.Working, in.Stamps, in.Env = working, s.stamps, s.env
	tr, stamps, report, err := commit.Run(context.Background(), in)
	if err != nil {
		s.t.Fatal(err)
	}
	s.tree, s.stamps = tr, stamps
	return s.left(), report
}

func (s *cycles) left() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(s.ids), func(id string) bool { return !sure.Get(s.tree.Has(id)) }), " ")
}

// name puts the id of a turn in place of t1, t2, t3.
func (s *cycles) name(id string) string {
	if strings.HasPrefix(id, "t") && len(id) == 2 {
		return sure.Get(s.tree.Parent(sure.Get(s.tree.Parent("ask" + id[1:]))))
	}
	return id
}
