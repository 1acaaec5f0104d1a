package dbtest

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
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/selector"
)

// Create makes the context c in a store: of edition v0.1 and with a clock that
// counts, unless the options say otherwise.
func Create(t testing.TB, s *pact.DB, opts ...pact.CreateOptions) *pact.Context {
	t.Helper()
	var o pact.CreateOptions
	for _, given := range opts {
		o = given
	}
	o.Edition = cmp.Or(o.Edition, selector.V01)
	if o.Clock == nil {
		o.Clock = Steps()
	}
	c, err := pact.Create(context.Background(), s, "c", &o)
	testrun.Must(t, err)
	return c
}

// Published makes a context of edition 1.0 with some commits, each of which seals a block with a ttl of 3.
func Published(t testing.TB, db *pact.DB, commits int) *pact.Context {
	t.Helper()
	ctx, now := context.Background(), int64(0)
	clock := func() int64 { now++; return now }
	c, err := pact.Create(ctx, db, "c",
		&pact.CreateOptions{Edition: selector.V1, OpenOptions: pact.OpenOptions{Clock: clock}})
	testrun.Must(t, err)
	for range commits {
		testrun.Must(t, c.Edit(ctx, func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Content: "hello", Role: "user", TTL: new(int64(3))})
			return nil
		}, nil))
		_, err := c.Commit(ctx, nil)
		testrun.Must(t, err)
	}
	return c
}

// Steps returns a clock that counts.
func Steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

// Say adds a text of the user to the active head.
func Say(text string) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
		return nil
	}
}

// Turns commits a turn for every text.
func Turns(t testing.TB, c *pact.Context, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, err := c.Commit(context.Background(), &pact.CommitOptions{Edit: Say(text)})
		testrun.Must(t, err)
	}
}

// Start starts an attempt of a model of openai, and returns it with what was sent.
func Start(t testing.TB, c *pact.Context) (*history.Attempt, string) {
	t.Helper()
	var sent bytes.Buffer
	a, err := c.StartAttempt(context.Background(), pact.ProviderCall{Provider: "openai", Model: "gpt-5"}, &sent, nil)
	testrun.Must(t, err)
	return a, sent.String()
}

// Erasure is that of some nodes, with a receipt that is always the same.
func Erasure(ids ...string) pact.Erasure {
	return pact.Erasure{IDs: ids, Reason: "asked for", Actor: "officer", Random: Chance()}
}

// Chance gives the same bytes in every test: what is random is not tested.
func Chance() io.Reader { return rand.NewChaCha8([32]byte{7}) }

// LogOf collects the log of a context.
func LogOf(c *pact.Context) (list []history.Entry, err error) {
	for e, failed := range c.Log(context.Background(), 0) {
		if failed != nil {
			return nil, failed
		}
		list = append(list, e)
	}
	return list, nil
}

// IDs are those that a selector finds.
func IDs(t testing.TB, c *pact.Context, text string) []string {
	t.Helper()
	got, err := c.Select(context.Background(), text, nil)
	testrun.Must(t, err)
	return got
}

// Document returns the canonical document of a snapshot.
func Document(ctx context.Context, s *pact.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	err := s.Export(ctx, &b)
	return b.Bytes(), err
}

// Exported is the canonical document of a snapshot as a text.
func Exported(t testing.TB, s *pact.Snapshot) string {
	t.Helper()
	b, err := Document(context.Background(), s)
	testrun.Must(t, err)
	return string(b)
}

// Verdicts verifies a whole store and returns what is wrong, nothing where all of it holds.
func Verdicts(t testing.TB, s *pact.DB) (list []string) {
	t.Helper()
	r, err := pact.VerifyAll(context.Background(), s, nil)
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
