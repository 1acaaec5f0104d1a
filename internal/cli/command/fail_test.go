package command

import (
	"encoding/json"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// A command that loses to another writer prints what that one wrote.
func TestConflictInJSON(t *testing.T) {
	lost := &pact.Conflict{Meanwhile: []history.Entry{
		{Revision: 4, Kind: history.Edit, Cycle: 2, Report: json.RawMessage("{}")},
		{Revision: 5, Kind: history.Commit, Cycle: 2, Actor: "bea", Message: "first"},
	}}
	got, err := json.Marshal(failure(fault.Wrap(fault.Conflict, lost, "another writer was here", "repeat")))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"error":{"code":"E_CONFLICT","message":"another writer was here","details":{"remedy":"repeat",` +
		`"cause":"meanwhile revision 4, edit of cycle 2; revision 5, commit of cycle 2 by bea: \"first\"",` +
		`"meanwhile":[{"revision":4,"kind":"edit","cycle":2},{"revision":5,"kind":"commit","cycle":2,"actor":"bea","message":"first"}]}}}`
	if string(got) != want {
		t.Errorf("\n%s\n%s", got, want)
	}
}
