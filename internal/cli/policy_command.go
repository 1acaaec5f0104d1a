package cli

import (
	"context"

	"github.com/contexttree/pact/lifecycle"
	"github.com/spf13/cobra"
)

// readyPolicies says what each ready policy does.
var readyPolicies = map[string]string{
	lifecycle.ReadyAgent:   "old results to stubs first, then calls, then old turns; the task and four turns stay",
	lifecycle.ReadyChat:    "old results first, then the oldest turns, with stubs; the task and two turns stay",
	lifecycle.ReadyDefault: "what prune and import do with limits alone: as agent, without stubs and recent turns",
	lifecycle.ReadyStrict:  "the headers alone decide: priority, then age, then id (02 §7.1)",
}

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "List the ready pruning policies, or print one to copy",
		Long: `A pruning policy says what a commit takes when a limit is exceeded. The ready policies
have no limits of their own: add --max-tokens and the others to the command that
prunes. --print gives one as a JSON file to copy and to change.`,
		Example: `  pact policy
  pact policy --print agent > window.json
  pact prune chat --policy window.json --max-tokens 20000 --dry-run`,
		Args: exactly(),
	}
	printed := cmd.Flags().String("print", "", "print the ready policy `POLICY`: agent, chat, default or strict")
	_ = cmd.RegisterFlagCompletionFunc("print", cobra.FixedCompletions(lifecycle.ReadyNames(),
		cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = a.does(func(_ context.Context, _ *cobra.Command, _ []string) error {
		if *printed != "" {
			text, err := lifecycle.ReadyText(*printed)
			if err == nil {
				a.printf("%s", text)
			}
			return err
		}
		return a.listPolicies()
	})
	return cmd
}

// listPolicies prints the ready policies.
func (a *app) listPolicies() error {
	if a.json {
		all := map[string]lifecycle.Policy{}
		for _, name := range lifecycle.ReadyNames() {
			policy, err := lifecycle.Ready(name)
			if err != nil {
				return err
			}
			all[name] = policy
		}
		return a.printJSON(all)
	}
	var rows [][]string
	for _, name := range lifecycle.ReadyNames() {
		rows = append(rows, cells(name, readyPolicies[name]))
	}
	a.table([]string{"policy", "what goes first, and what stays"}, rows, "ll")
	return nil
}
