// Package listen has the commands that listen: for calls of a model, which they record, and for
// programs that use the store over HTTP.
package listen

import (
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// Commands returns the commands of the family.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{runCommand(a), proxyCommand(a), doctorCommand(a), serveCommand(a), tokenCommand(a), mcpCommand(a)}
}
