package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
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
		Use:   "policy [NAME]",
		Short: "List the ready pruning policies, or keep a policy with a context",
		Long: `A pruning policy says what a commit takes when a limit is exceeded. Without NAME the
ready policies are listed. They have no limits of their own: add --max-tokens and the
others to the command that prunes. --print gives one as a JSON file to copy and to change.

With NAME the policy that the context keeps is printed. --set and the flags for limits
keep one: from then on each commit follows it that names no policy of its own. Flags
alone change the policy that is kept. It is an attribute of the root, so it is in the next
snapshot, and exports, copies and forks have it. --clear keeps none.`,
		Example: `  pact policy
  pact policy --print agent > window.json
  pact prune chat --policy window.json --max-tokens 20000 --dry-run
  pact policy chat --set agent --max-tokens 20000
  pact policy chat --clear`,
		ValidArgsFunction: a.completeNames,
	}
	printed := cmd.Flags().String("print", "", "print the ready policy `POLICY`: agent, chat, default or strict")
	set := a.policyFlagsAs(cmd, "set", "keep the policy in `FILE`, a JSON object, or agent, chat, default or strict; "+
		"other flags override it")
	set.bare = lifecycle.ReadyDefault
	clears := cmd.Flags().Bool("clear", false, "keep no policy")
	message := cmd.Flags().StringP("message", "m", "", "why, a `TEXT` for the log")
	w := a.writingFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("print", cobra.FixedCompletions(lifecycle.ReadyNames(),
		cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		sets := set.typed(cmd) != ""
		switch {
		case len(args) > 1:
			return usage(cmd, "policy takes the name of one context")
		case len(args) == 0 && (sets || *clears):
			return usage(cmd, "a policy is kept with a context: name it")
		case *clears && sets || *printed != "" && len(args) == 1:
			return usage(cmd, "--print, --clear and the flags of a policy exclude each other")
		case len(args) == 1:
			return a.keepPolicy(ctx, cmd, args[0], set, sets, *clears, w, *message)
		case *printed != "":
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

// keepPolicy keeps a policy with a context, has it keep none, or prints the one it keeps.
func (a *app) keepPolicy(ctx context.Context, cmd *cobra.Command, name string, set *policyFlags, sets, clears bool,
	w writing, message string) error {
	c, s, err := a.openContext(ctx, name, *w.actor, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	kept, err := c.Working().Policy()
	if err != nil && !clears && set.file == "" {
		return err
	}
	if !sets && !clears {
		return a.printPolicy(name, kept)
	}
	var now *lifecycle.Policy
	if sets {
		p, _, err := set.policy(ctx, a, cmd, kept)
		if err != nil {
			return err
		}
		if now = &p; !set.prunes(now) {
			a.warnf("the policy has no limit, so it prunes nothing: add one, such as --max-tokens")
		}
	}
	err = c.Edit(ctx, func(b *pact.Batch) error {
		b.KeepPolicy(now)
		return nil
	}, &pact.Note{Message: message})
	if _, err = rebased(ctx, *w.rebase, nil, err); err != nil {
		return err
	}
	return a.printPolicy(name, now)
}

// printPolicy prints a policy as a file to copy; null in JSON if there is none.
func (a *app) printPolicy(name string, p *lifecycle.Policy) error {
	switch {
	case a.json:
		return a.printJSON(p)
	case p == nil:
		a.printf("%s keeps no policy\n", visible(name))
		return nil
	}
	text, err := json.MarshalIndent(p, "", "  ")
	a.printf("%s\n", text)
	return err
}

// limitsText names the limits of a policy for the line of a context.
func limitsText(p *lifecycle.Policy) string {
	var list []string
	limit := func(name string, n int) {
		if n > 0 {
			list = append(list, name+" "+strconv.Itoa(n))
		}
	}
	limit("max_tokens", p.MaxTokens)
	limit("max_bytes", p.MaxBytes)
	limit("max_nodes", p.MaxNodes)
	limit("max_turns", p.MaxTurns)
	if len(p.Parts) > 0 {
		list = append(list, plural(len(p.Parts), "part"))
	}
	if len(list) == 0 {
		return "no limit"
	}
	return strings.Join(list, ", ")
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
