// Package care has the commands that check, copy, export and erase.
package care

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Commands returns the commands of the family.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{verifyCommand(a), checkRequestCommand(a), assertCommand(a), exportCommand(a), copyCommand(a), eraseCommand(a),
		conformanceCommand(a)}
}
