package cli

import (
	"context"
	"runtime/debug"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// released is the version of a released binary, which the linker sets.
var released string

// version returns the version of the release or of the module, with the commit if
// the program was built from a checkout.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// versionFlag adds --version, and returns what pact does without a command: it prints the version or the help.
func versionFlag(a *command.App, root *cobra.Command) func(*cobra.Command, []string) error {
	asked := root.Flags().BoolP("version", "v", false, "print the version of the program and of the specification that it follows")
	return a.Does(func(_ context.Context, cmd *cobra.Command, _ []string) error {
		if !*asked {
			return cmd.Help()
		}
		spec := selector.Canonical.Traits().SpecVersion
		return a.Answer("pact "+version()+", "+spec, map[string]any{"version": version(), "spec_version": spec})
	})
}
