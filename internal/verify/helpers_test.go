package verify_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/selector"
)

var providerCall = pact.ProviderCall{Provider: "openai", Model: "gpt-5"}

// start starts an attempt and returns it with what was sent.
func start(t testing.TB, c *pact.Context) (*history.Attempt, string) {
	t.Helper()
	var sent bytes.Buffer
	a, err := c.StartAttempt(background, providerCall, &sent, nil)
	must(t, err)
	return a, sent.String()
}

var background = context.Background()

// create makes the context c in a store: of edition v0.1 and with a clock that
// counts, unless the options say otherwise.
func create(t testing.TB, s *pact.DB, opts ...pact.CreateOptions) *pact.Context {
	t.Helper()
	var o pact.CreateOptions
	for _, given := range opts {
		o = given
	}
	o.Edition = cmp.Or(o.Edition, selector.V01)
	if o.Clock == nil {
		o.Clock = steps()
	}
	c, err := pact.Create(background, s, "c", &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say adds a text of the user to the active head.
func say(text string) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
		return nil
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logOf collects the log of a context.
func logOf(c *pact.Context) (list []history.Entry, err error) {
	for e, failed := range c.Log(background, 0) {
		if failed != nil {
			return nil, failed
		}
		list = append(list, e)
	}
	return list, nil
}

// chance gives the same bytes in every test: what is random is not tested here.
func chance() io.Reader { return rand.NewChaCha8([32]byte{7}) }

// erasure is that of some nodes, with a receipt that is always the same.
func erasure(ids ...string) pact.Erasure {
	return pact.Erasure{IDs: ids, Reason: "asked for", Actor: "officer", Random: chance()}
}

// documentOf returns the canonical document of a snapshot.
func documentOf(ctx context.Context, s *pact.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	err := s.Export(ctx, &b)
	return b.Bytes(), err
}

// turnsOf commits a turn for every text.
func turnsOf(t testing.TB, c *pact.Context, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: say(text)})
		must(t, err)
	}
}

// steps is a clock that counts.
func steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

// verdicts verifies a whole store and returns what is wrong, nothing where all of
// it holds.
func verdicts(t testing.TB, s *pact.DB) (list []string) {
	t.Helper()
	r, err := pact.VerifyAll(background, s, nil)
	if err != nil {
		if !errors.Is(err, fault.Store) {
			t.Fatal(err)
		}
		return []string{err.Error()}
	}
	if r.Defect != nil {
		list = append(list, fmt.Sprintf("%+v", *r.Defect))
	}
	for _, c := range r.Contexts {
		if c.Defect != nil {
			list = append(list, fmt.Sprintf("%+v", *c.Defect))
		}
	}
	return list
}

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

func reopened(t *testing.T, s *pact.DB, name string) *pact.Context {
	t.Helper()
	c, err := pact.Open(background, s, name, nil)
	must(t, err)
	return c
}
