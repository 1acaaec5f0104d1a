// Package edit has the commands that make, change and commit contexts.
package edit

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Commands returns the commands of the family.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{newCommand(a), addCommand(a), updateCommand(a), removeCommand(a), moveCommand(a), commitCommand(a),
		policyCommand(a), dropCommand(a), forkCommand(a), undoCommand(a), renameCommand(a),
		deleteCommand(a), applyCommand(a)}
}
