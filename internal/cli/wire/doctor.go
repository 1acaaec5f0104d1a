package wire

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/agents"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func doctorCommand(a *command.App) *cobra.Command {
	cmd := a.Command("doctor")
	f := cmd.Flags()
	f.SetInterspersed(false)
	address := f.String("addr", "127.0.0.1:0", "try this loopback `ADDRESS`, as pact proxy would listen on it")
	patience := f.Duration("wait", 30*time.Second, "wait so long for a call of the program")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		list := []agents.Checkup{agents.TryStore(ctx, a.DB, a.Shown()), agents.TryAddress(*address), agents.TryEnvironment(a.Env)}
		if !list[0].Works {
			list[0].Remedy += "; --db or PACT_DB names it"
		}
		tried, err := tryProgram(ctx, a, args, *patience)
		if err != nil {
			return err
		}
		list = append(list, tried...)
		for i := range list {
			if strings.Contains(list[i].Remedy, "start a proxy") {
				list[i].Remedy += "; " + command.StartsProxy
			}
		}
		a.Failed = slices.ContainsFunc(list, func(c agents.Checkup) bool { return !c.Works })
		if a.JSON {
			return a.PrintJSON(list)
		}
		drawCheckups(a, list, args)
		return nil
	})
	return cmd
}

func drawCheckups(a *command.App, list []agents.Checkup, args []string) {
	for _, c := range list {
		word := a.Paint.Good("works")
		if !c.Works {
			word = a.Paint.Bad("fails")
		}
		a.Sentence(word + "  " + c.Tried + ": " + view.Visible(c.Says) + ".")
		if c.Remedy != "" {
			a.Sentence("       " + view.Visible(c.Remedy) + ".")
		}
	}
	switch {
	case a.Failed:
	case len(args) > 0:
		a.Printf("\nIts calls are recorded with pact run -- %s\n", screen.Quote(args[0]))
	default:
		a.Printf("\nTo see whether a program calls pact: pact doctor -- COMMAND\n")
	}
}

// tryProgram looks into the settings of the program that was named, else of all agents, and runs it.
func tryProgram(ctx context.Context, a *command.App, args []string, patience time.Duration) ([]agents.Checkup, error) {
	if len(args) == 0 {
		return agents.TrySettings(a.Env), nil
	}
	m := a.Meter("waiting for a call")
	defer m.End()
	return agents.TryProgram(ctx, args, a.Env, patience)
}
