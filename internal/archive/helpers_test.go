package archive_test

import (
	"bytes"
	"cmp"
	"context"
	"testing"

	"github.com/contexttree/pact"
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// steps is a clock that counts.
func steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

func exported(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	must(t, s.Export(context.Background(), &b))
	return b.String()
}

// sayOnce commits a turn of one text.
func sayOnce(c *pact.Context, text string) error {
	_, err := c.Commit(background, &pact.CommitOptions{Edit: say(text)})
	return err
}

// ids are those that a selector finds.
func ids(t testing.TB, c *pact.Context, text string) []string {
	t.Helper()
	got, err := c.Select(background, text, nil)
	must(t, err)
	return got
}
