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

func versionCommand(a *command.App) *cobra.Command {
	cmd := a.Command("version")
	cmd.RunE = a.Does(func(context.Context, *cobra.Command, []string) error {
		spec := selector.Canonical.Traits().SpecVersion
		return a.Answer("pact "+version()+", "+spec, map[string]any{"version": version(), "spec_version": spec})
	})
	return cmd
}
