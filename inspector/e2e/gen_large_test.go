package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/lifecycle"

	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// openStore opens a store for the test, beside the server that may have it open too.
func openStore(t testing.TB, db string) *pact.DB {
	t.Helper()
	var s *pact.DB
	var err error
	if strings.HasPrefix(db, "postgres") {
		s, err = dbtest.Open(postgres.Open(context.Background(), db))
	} else {
		s, err = dbtest.Open(sqlite.Open(context.Background(), db))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// create makes an empty context.
func create(t testing.TB, db, name string) *pact.Context {
	t.Helper()
	c, err := pact.Create(context.Background(), openStore(t, db), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// commit ends a cycle with some edits.
func commit(t testing.TB, c *pact.Context, note pact.Note, edit func(*pact.Batch)) {
	t.Helper()
	_, err := c.Commit(context.Background(), &pact.CommitOptions{Note: note, Edit: func(b *pact.Batch) error {
		edit(b)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// grown makes a context of an agent's run with this many calls, each of which adds this
// many blocks: texts, calls of tools and their results. Every hundredth call prunes, so the
// picture has cliffs; every 250th has another system prompt.
func grown(t testing.TB, db, name string, calls, blocks int) {
	t.Helper()
	c := create(t, db, name)
	words := strings.Repeat("some words of a text that a tool printed, ", 40)
	for cycle := 1; cycle <= calls; cycle++ {
		o := &pact.CommitOptions{Note: pact.Note{Actor: "agent"}, Edit: func(b *pact.Batch) error {
			if cycle == 1 {
				b.Add("^sys", pact.Spec{ID: "rules", Role: "system", Kind: "text", Content: "You are a careful engineer."})
			} else if cycle%250 == 0 {
				b.Update("rules", func(s *pact.Spec) {
					s.Content = fmt.Sprint("You are a careful engineer. It is day ", cycle/250)
				})
			}
			for i := 0; i < blocks; i += 3 {
				at := fmt.Sprintf("%d-%d", cycle, i)
				b.Add("^ah", pact.Spec{ID: "text" + at, Role: "assistant", Kind: "text", Content: "Step " + at + " is next."})
				b.Add("^ah", pact.Spec{ID: "call" + at, Role: "assistant", Kind: "call", Offset: 1,
					Content: map[string]any{"name": "bash", "arguments": fmt.Sprintf(`{"command":"make %s"}`, at)}})
				b.Add("^ah", pact.Spec{ID: "result" + at, Role: "tool", Kind: "result", Offset: 1,
					Refs: []string{"call" + at}, Content: at + ": " + words[:40+(cycle*37+i*101)%(len(words)-40)]})
			}
			return nil
		}}
		if cycle%100 == 0 {
			o.Pruning = &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: cycle - cycle/100}}
		}
		if _, err := c.Commit(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
}
