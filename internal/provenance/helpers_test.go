package provenance_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

var (
	background = context.Background()

	create = dbtest.Create
	say    = dbtest.Say
	steps  = dbtest.Steps
	must   = testrun.Must
)

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

// choose draws one of a list.
func choose[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// without are those of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return slices.Contains(b, id) })
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
