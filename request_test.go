package pact_test

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

func TestRepeatedRequestIsRecognised(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "short", TTL: pact.Unsent, Content: "expires"})
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
	if a.Digest() != b.Digest() || again.Revision() != c.Revision() {
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
	if second.Revision() != first.Revision() || second.Working().Digest() != first.Working().Digest() {
		t.Error("the second process does not see what the request did")
	}
	must(t, second.Edit(background, say("more"), nil))
}
