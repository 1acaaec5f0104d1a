package provenance_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

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

// try makes an edit that may be refused, and reports whether it was made. The
// context is as before where it was not.
func try(t testing.TB, c *pact.Context, n *pact.Note, f func(*pact.Batch)) bool {
	t.Helper()
	err := c.Edit(background, func(b *pact.Batch) error { f(b); return nil }, n)
	if err != nil && fault.CodeOf(err) == "" {
		t.Fatal(err)
	}
	return err == nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// choose draws one of a list.
func choose[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// without are those of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return slices.Contains(b, id) })
}

// steps is a clock that counts.
func steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

// vowels counts a token for each, and one for the text.
type vowels struct{}

func (vowels) Name() string { return "vowels" }

func (vowels) Count(text string) int {
	return 1 + strings.Count(text, "e") + strings.Count(text, "u")
}

// spy says how often it was asked.
type spy struct{ asked *atomic.Int64 }

func (spy) Name() string { return "spy" }

func (s spy) Count(string) int { s.asked.Add(1); return 1 }
