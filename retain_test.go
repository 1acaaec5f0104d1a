package pact_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// meddler counts a token for every text, and does something when it first does.
type meddler struct{ does func() }

func (*meddler) Name() string { return "meddler" }

func (m *meddler) Count(string) int {
	if m.does != nil {
		m.does()
		m.does = nil
	}
	return 1
}

// A commit sees the holders of one moment: what kept a node is what its report
// says, whatever was let go in the meantime.
func TestACommitSeesTheHoldersOfOneMoment(t *testing.T) {
	m := &meddler{}
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps(), Counter: m}})
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "held", Offset: 1, Content: "one"})
		return nil
	}, nil))
	release, err := c.Retain("held")
	must(t, err)
	pruning := &pact.Pruning{Policy: lifecycle.Policy{MaxTokens: 1}, IDs: []string{"held"}}
	plan, err := c.PlanPruning(background, pruning)
	must(t, err)
	if !slices.Equal(plan.Report.Retained, []string{"held"}) {
		t.Errorf("the plan says that %q were retained", plan.Report.Retained)
	}
	must(t, c.Edit(background, func(b *pact.Batch) error { // a text that was not counted yet
		b.Add("^ah", pact.Spec{Content: "two"})
		return nil
	}, nil))
	m.does = release
	s, err := c.Commit(background, &pact.CommitOptions{Pruning: pruning})
	must(t, err)
	if sure.Get(tree.Of(s).Node("held")) == nil || !slices.Equal(s.Report.Retained, []string{"held"}) {
		t.Errorf("held is there: %v; the report says that %q were retained", sure.Get(tree.Of(s).Node("held")) != nil, s.Report.Retained)
	}
}
