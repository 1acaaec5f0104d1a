package pact_test

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
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

// What this process remembers of a context does not hide that another process deleted it.
func TestARequestToADeletedContextFindsNoContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	here, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	defer here.Close()
	there, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	defer there.Close()
	c := create(t, here)
	info, err := here.Find(background, c.Name())
	must(t, err)
	if e, err := here.Request(background, info.Key, "token"); e != nil || err != nil {
		t.Fatalf("of a request that nobody made: %+v, %v", e, err)
	}
	must(t, pact.Delete(background, there, c.Name()))
	for _, token := range []string{"", "token"} {
		if e, err := here.Request(background, info.Key, token); e != nil || fault.CodeOf(err) != fault.ContextNotFound {
			t.Errorf("%q of a deleted context: %+v, %v", token, e, err)
		}
	}
}
