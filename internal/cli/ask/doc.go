// Package ask has the commands that look at contexts and answer selectors.
package ask

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Commands returns the commands of the family.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{contextsCommand(a), showCommand(a), selectCommand(a), grepCommand(a)}
}
