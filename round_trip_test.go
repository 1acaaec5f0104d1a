package pact_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store/memory"
)

func TestBackupAndHistoryComeBackTheSame(t *testing.T) {
	ctx := context.Background()
	for _, edition := range []selector.Edition{selector.V01, selector.Depth, selector.Canonical} {
		c := shortConversation(t, edition)
		for name, write := range map[string]func(*bytes.Buffer) error{
			"snapshots": func(b *bytes.Buffer) error { return c.ExportHistory(ctx, b, pact.Cycle(1), pact.Latest()) },
			"compact":   func(b *bytes.Buffer) error { return c.Backup(ctx, b) },
		} {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(name, err)
			}
			again, findings, err := pact.ImportHistory(ctx, memory.New(), "again", bytes.NewReader(out.Bytes()), nil)
			if err != nil || len(findings) > 0 {
				t.Fatal(name, err, findings)
			}
			first, last := c.Cycles()
			for cycle := first; cycle <= last; cycle++ {
				equal(t, name, snapshotAt(t, c, pact.Cycle(cycle)), snapshotAt(t, again, pact.Cycle(cycle)))
			}
			var twice bytes.Buffer
			c = again
			if name == "compact" {
				equal(t, name+" working", c.Working(), again.Working())
			}
			if err := write(&twice); err != nil || !bytes.Equal(out.Bytes(), twice.Bytes()) {
				t.Fatalf("%s: written again: %v\n%s\n%s", name, err, out.Bytes(), twice.Bytes())
			}
			c = shortConversation(t, edition)
		}
	}
}
