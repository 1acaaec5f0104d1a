package bring

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/spf13/cobra"
)

// importMemory is how many bytes an import may hold of what does not say how large it is.
const importMemory = 256 << 20

// importGarbage is how many percent of what an import holds may come together as garbage. It holds a multiple of its
// file, and as much garbage again, as Go allows, would be more than it takes longer to collect.
const importGarbage = 40

// longestMark is how many bytes tell whether a file is compressed.
const longestMark = 4

// within lets an import of a plain file hold what the file needs. A compressed file may stand for any size, and a pipe
// may never end: they get importMemory; for a compressed one a person on a terminal is asked whether it may be more.
func within(a *command.App, run func(context.Context, *cobra.Command, []string) error) func(context.Context, *cobra.Command, []string) error {
	return func(ctx context.Context, cmd *cobra.Command, args []string) error {
		defer debug.SetGCPercent(debug.SetGCPercent(importGarbage))
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		packed, pipe := packedFile(name), name == "-" || safefile.ShellPipe(name)
		if !packed && !pipe {
			return run(ctx, cmd, args)
		}
		remedy := "save it in a file, and name that"
		if packed {
			remedy = "decompress " + screen.Quote(name) + ", and name the plain file"
		}
		limited, _ := budget.WithMemory(ctx, importMemory, remedy)
		err := run(limited, cmd, args)
		var refused *fault.Error // other limits stay when there is more memory, and have another remedy
		if packed && errors.As(err, &refused) && refused.Code == fault.Limit && refused.Remedy == remedy && a.InTerminal &&
			a.Confirm(name+" takes more than 256 MiB of memory when it is decompressed. Go on?") {
			return run(ctx, cmd, args)
		}
		return err
	}
}

// packedFile reports whether a file may stand for more text than it has bytes.
func packedFile(name string) bool {
	file, err := safefile.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, longestMark)
	n, _ := file.ReadAt(head, 0)
	return intake.Packed(head[:n])
}
