// Package follow has the commands that tell how a context came about: what each call sent,
// what changed from one to the next, who did it and why.
package follow

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Commands returns the commands of the family.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{logCommand(a), requestCommand(a), diffCommand(a), lifeCommand(a), simulateCommand(a),
		findingsCommand(a)}
}
