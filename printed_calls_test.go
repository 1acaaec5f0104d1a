package pact_test

import (
	"os"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// TestPrintedCallsGoAsTheyStand gives every selector that the documents print to Select, as chapter 04 writes
// ctx.select, in a context of the edition that prints it: nothing else is needed.
func TestPrintedCallsGoAsTheyStand(t *testing.T) {
	printed, err := os.ReadFile("selector/testdata/printed.tsv")
	must(t, err)
	contexts := map[selector.Edition]*pact.Context{}
	asked := 0
	for line := range strings.Lines(string(printed)) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(row) != 3 {
			continue // the two lines that say what the columns are
		}
		edition, text := selector.Edition(row[0]), row[2]
		c := contexts[edition]
		if c == nil {
			c = create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: edition})
			for range 42 { // §2.1 prints @c42
				must(t, c.Edit(background, func(b *pact.Batch) error {
					b.Add("^ah", pact.Spec{Role: "user", Content: "x", TTL: 3})
					return nil
				}, nil))
				_, err := c.Commit(background, nil)
				must(t, err)
			}
			contexts[edition] = c
		}
		found, err := c.Select(background, text, nil)
		q := selector.MustParse(text, edition)
		_, mode := q.Control(selector.ControlMode)
		ranged := q.Time != nil && q.Time.Kind == selector.Range && !mode
		if err != nil || (found.Changes != nil) != ranged || !ranged && found.IDs == nil {
			t.Errorf("%s, %s: %+v, %v", row[1], text, found, err)
		}
		asked++
	}
	if asked < 300 {
		t.Errorf("only %d selectors are there", asked)
	}
}
