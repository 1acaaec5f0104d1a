// Package bring has the commands that make contexts of files: what other programs wrote,
// and what pact exported.
package bring

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Commands returns the commands of the family.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{openCommand(a), importCommand(a)}
}
