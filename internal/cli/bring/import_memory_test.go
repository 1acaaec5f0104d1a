package bring

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/spf13/cobra"
)

// A person is asked whether a compressed file may take more memory, and not where more memory does not help.
func TestAPersonIsAskedForMemoryAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chat.json.gz")
	must(t, os.WriteFile(path, []byte("\x1f\x8b\x08\x00"), 0o600))
	for name, c := range map[string]struct {
		run   func(ctx context.Context) error
		times int
	}{
		"memory": {func(ctx context.Context) error { _, err := budget.Reserve(ctx, importMemory+1); return err }, 2},
		"text":   {func(context.Context) error { return fault.New(fault.Limit, "the text is too long", "divide it") }, 1},
	} {
		var out, problems bytes.Buffer
		a := &command.App{In: strings.NewReader("y\n"), InTerminal: true, Screen: *screen.New(&out, &problems, nil)}
		times := 0
		run := withMemory(a, func(ctx context.Context, _ *cobra.Command, _ []string) error {
			times++
			return c.run(ctx)
		})
		err := run(t.Context(), nil, []string{path})
		if times != c.times || (err == nil) != (c.times == 2) {
			t.Errorf("%s: %d runs, %v\n%s%s", name, times, err, &out, &problems)
		}
	}
}
