package cli

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Root returns the command line as a tree, so that tests go through all commands and flags.
func Root() *cobra.Command { return root(command.New(Streams{})) }

// What the tests of the documents use.
var (
	OnTerminal  = onTerminal
	RecordedRun = recordedRun
)
