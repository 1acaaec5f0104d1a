package librarytest

import (
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

func TestRepeatedRequestIsRecognised(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "short", TTL: new(int64(0)), Content: "expires"})
		return nil
	}, nil))
	commit := func(c *pact.Context) *pact.Sealed {
		snapshot, err := c.Commit(background, &pact.CommitOptions{Note: pact.Note{Request: "r1", Actor: "me", Message: "why"},
			Edit: say("once")})
		must(t, err)
		return snapshot
	}
	a := commit(c)
	again, err := pact.Open(background, s, "c", nil)
	must(t, err)
	b := commit(again)
	if a.Digest() != b.Digest() || again.Info().Revision != c.Info().Revision {
		t.Error("the repeated request did something")
	}
	if a.Repeated || !b.Repeated || len(a.Report.Removed) != 1 || jsonText(t, a.Report) != jsonText(t, b.Report) {
		t.Errorf("the report of the commit is %s, of the repeated one %s", jsonText(t, a.Report), jsonText(t, b.Report))
	}
	log, err := logOf(c)
	must(t, err)
	if last := log[len(log)-1]; last.Actor != "me" || last.Message != "why" || last.Request != "r1" ||
		last.Kind != history.Commit {
		t.Errorf("the log says %+v", last)
	}
}

// A token belongs to one call.
func TestRequestOfAnEditDoesNotAnswerForACommit(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("x"), &pact.Note{Request: "r"}))
	if _, err := c.Commit(background,
		&pact.CommitOptions{Note: pact.Note{Request: "r"}}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("got %v, want E_CONFLICT", err)
	}
}

// A request that another process carried out is answered, and what that
// process did is taken up.
func TestRequestOfAnotherProcessIsTakenUp(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	first := create(t, s)
	second, err := pact.Open(background, s, "c", &pact.OpenOptions{Clock: steps()})
	must(t, err)
	must(t, first.Edit(background, say("once"), &pact.Note{Request: "r"}))
	must(t, second.Edit(background, say("once"), &pact.Note{Request: "r"}))
	if second.Info().Revision != first.Info().Revision || second.Working().Digest() != first.Working().Digest() {
		t.Error("the second process does not see what the request did")
	}
	must(t, second.Edit(background, say("more"), nil))
}

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
	plan, err := c.PlanPruning(background, "working", pruning)
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
