package commit_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A cadence whose note names what no snapshot has ends, and commits go on.
func TestNotesOfCadencesThatAreWrong(t *testing.T) {
	c := published(t)
	must(t, c.Edit(context.Background(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "first", Key: "k", Cad: new(int64(3)), TTL: new(int64(1)), Content: "x"})
		return nil
	}, nil))
	for range 2 {
		_, err := c.Commit(context.Background(), nil)
		must(t, err)
	}
	var b bytes.Buffer
	must(t, c.Export(context.Background(), &b))
	for _, wrong := range [][2]string{{`\"last\":1`, `\"last\":99`}, {`\"last\":1`, `\"last\":-5`}, {`\"last\":1`, `\"last\":0`},
		{`\"id\":\"first\"`, `\"id\":\"nope\"`}, {`\"id\":\"first\"`, `\"id\":\"\"`}, {`\"key\":\"k\"`, `\"key\":\"j\"`},
		{`\"due\":4`, `\"due\":-4`}, {`\"due\":4`, `\"due\":9223372036854775807`}} {
		text := strings.ReplaceAll(b.String(), wrong[0], wrong[1])
		if text == b.String() {
			t.Fatalf("the export has no %s:\n%s", wrong[0], text)
		}
		d, _, err := pact.ImportHistory(context.Background(), pact.NewDB(store.NewMemory()), "d",
			strings.NewReader(text), nil)
		if err != nil {
			continue
		}
		for i := range 4 {
			if _, err := d.Commit(context.Background(), nil); err != nil {
				t.Errorf("%s, commit %d: %v", wrong[1], i, err)
			}
		}
	}
}

// A node of ^sys that something refers to has no other of its key beside it; the next comes when it is gone.
func TestCadenceWaitsForWhatStaysInSys(t *testing.T) {
	for name, refs := range map[string][]string{"another": nil, "itself": {"p"}} {
		c := published(t)
		must(t, c.Edit(context.Background(), func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "p", Key: "s", Cad: new(int64(1)), TTL: new(int64(1)), Content: "x", Refs: refs})
			if refs == nil {
				b.Add("^ah", pact.Spec{ID: "r", Content: "see p", Refs: []string{"p"}, TTL: new(int64(3))})
			}
			return nil
		}, nil))
		other := false
		for range 6 {
			_, err := c.Commit(context.Background(), nil)
			must(t, err)
			got, err := c.Select(context.Background(), "@t-1 ^sys #s", nil)
			must(t, err)
			if len(got) > 1 {
				t.Errorf("referred to by %s: %q stand beside each other", name, got)
			}
			other = other || len(got) == 1 && got[0] != "p"
		}
		if !other {
			t.Errorf("referred to by %s: the key did not come again", name)
		}
	}
}

// published returns a new context of edition 1.0.
func published(t *testing.T) *pact.Context {
	t.Helper()
	now := int64(0)
	c, err := pact.Create(context.Background(), pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{Edition: selector.V1, OpenOptions: pact.OpenOptions{Clock: func() int64 { now++; return now }}})
	must(t, err)
	return c
}

var must = testrun.Must
