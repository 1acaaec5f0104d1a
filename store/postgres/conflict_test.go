package postgres_test

import (
	"errors"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
)

// The loser of a commit is told by whom, and makes it again upon what is there.
func TestLoserIsTold(t *testing.T) {
	address := postgrestest.Database(t)
	say := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Content: "hello"})
		return nil
	}
	a, err := pact.Create(t.Context(), dbtest.Of(open(t, address)), "c", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := pact.Open(t.Context(), dbtest.Of(open(t, address)), "c", &pact.OpenOptions{Actor: "bea"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Commit(t.Context(), &pact.CommitOptions{Edit: say, Note: pact.Note{Message: "first"}}); err != nil {
		t.Fatal(err)
	}
	_, err = a.Commit(t.Context(), &pact.CommitOptions{Edit: say})
	var lost *pact.Conflict
	if !errors.As(err, &lost) || len(lost.Meanwhile) != 1 {
		t.Fatalf("%v", err)
	}
	if e := lost.Meanwhile[0]; e.Revision != 2 || e.Kind != history.Commit || e.Cycle != 1 || e.Actor != "bea" ||
		e.Message != "first" {
		t.Errorf("%+v", e)
	}
	if s, err := lost.Rebase(t.Context()); err != nil || s.Cycle() != 2 {
		t.Errorf("%v, %v", s, err)
	}
}
