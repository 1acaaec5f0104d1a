package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

var (
	background = context.Background()

	create     = dbtest.Create
	say        = dbtest.Say
	must       = testrun.Must
	documentOf = dbtest.Document
	verdicts   = dbtest.Verdicts
	logOf      = dbtest.LogOf
	erasure    = dbtest.Erasure
	turnsOf    = dbtest.Turns
	start      = dbtest.Start
)

// fillEveryColumn fills a store with contexts in which every column of every table is in
// use: updates, expiry, pruning, groups, given ids, drafts, a fork, an import
// with a time of its own, content that JSON cannot express, sent bytes, and
// attempts.
func fillEveryColumn(t testing.TB, s *pact.DB) {
	t.Helper()
	c := create(t, s, pact.CreateOptions{OpenOptions: pact.OpenOptions{Actor: "ann"},
		Attrs: map[string]any{"data_root": 1}})
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "Be brief", Tags: []string{"a", "b"}})
		group := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 1, Removable: true})
		b.Add(group, pact.Spec{Content: map[string]any{"n": []int{1, 2}}, TTL: new(int64(2)), Priority: 3})
		b.Add("^ah", pact.Spec{Role: "user", Content: "Where is my parcel? é"})
		return nil
	}, nil))
	a, _ := start(t, c)
	_, err := c.EndAttempt(background, pact.Outcome{ID: a.ID, Status: history.Completed, TokenIn: new(int64(31)),
		TokenOut: new(int64(7)), Err: errors.New("cut off")})
	must(t, err)
	start(t, c) // it is never ended
	_, err = c.Send(background, &bytes.Buffer{}, nil)
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Note: pact.Note{Message: "first", Request: "r1"}})
	must(t, err)
	for i := range 3 {
		_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Content: i})
			b.Update("rule", func(s *pact.Spec) { s.Content = fmt.Sprint("Be brief, ", i) })
			return nil
		}})
		must(t, err)
	}
	f, err := c.Fork(background, pact.Cycle(3), "fork", nil)
	must(t, err)
	start(t, f)
	must(t, f.Edit(background, say("in the fork"), nil))
	_, err = f.Commit(background, nil)
	must(t, err)
	must(t, c.Edit(background, say("a draft"), nil))
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Update("rule", func(s *pact.Spec) { s.Priority = 7 })
		return nil
	}, nil))
	_, _, err = pact.Import(background, s, "imported", []byte(`{"cycle":4,"root":{"id":"r","children":[
		{"nodeType":"^seq","children":[{"id":"t","children":[{"id":"x","content":"x","created_at_ns":5,"created_at_iso":"long ago","ttl":3}]}]},
		{"nodeType":"^ah","children":[{"id":"nan","content":NaN,"data_x":1.5}]}]}}`), nil)
	must(t, err)
}
