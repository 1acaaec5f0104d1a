package edit

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
)

func policyCommand(a *command.App) *cobra.Command {
	cmd := a.Command("policy")
	printed := cmd.Flags().String("print", "", "print the ready policy `POLICY`: agent, chat, default or strict")
	set := a.PolicyFlagsAs(cmd, "set", "keep the policy in `FILE`, a JSON object, or agent, chat, default or strict; "+
		"other flags override it")
	check := cmd.Flags().String("check", "", "with --on: say what each rule of the policy in `FILE` finds")
	on := cmd.Flags().String("on", "", "with --check: the run `NAME` in which to look")
	_ = cmd.RegisterFlagCompletionFunc("on", a.CompleteNames)
	clears := cmd.Flags().Bool("clear", false, "keep no policy")
	message := cmd.Flags().StringP("message", "m", "", "why, a `TEXT` for the log")
	w := writingFlags(a, cmd)
	command.CompleteFlag(cmd, "print", lifecycle.ReadyNames())
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		sets := set.Typed(cmd) != ""
		switch {
		case *check != "" && (len(args) > 0 || sets || *clears || *printed != ""):
			return command.Usage(cmd, "--check FILE and --on NAME go together, and with nothing else")
		case *check != "":
			return checkRules(ctx, a, *check, *on)
		case len(args) == 0 && (sets || *clears):
			return command.Usage(cmd, "a policy is kept with a context: name it")
		case *clears && sets || *printed != "" && len(args) == 1:
			return command.Usage(cmd, "--print, --clear and the flags of a policy exclude each other")
		case len(args) == 1:
			return keepPolicy(ctx, a, cmd, args[0], set, sets, *clears, w, *message)
		case *printed != "":
			text, err := lifecycle.ReadyText(*printed)
			if err != nil { // of a document that names it, it would be a fault
				f := command.FactsOf(err)
				return fault.At(fault.NotFound, fault.NoOffset, f.Token, f.Message, f.Remedy)
			}
			a.Printf("%s", text)
			return nil
		}
		return listPolicies(a)
	})
	return cmd
}

// checkRules prints what each rule of a policy finds in a run.
func checkRules(ctx context.Context, a *command.App, file, name string) error {
	p, err := a.PolicyNamed(ctx, file)
	if err != nil {
		return err
	}
	c, s, err := a.LookAt(ctx, name, pact.OpenOptions{})
	if err != nil {
		return err
	}
	defer s.Close()
	counter, err := tokens.Named(command.DefaultTokenizer)
	if err != nil {
		return err
	}
	list, err := simulate.Check(ctx, c, p, counter)
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(map[string]any{"rules": list})
	}
	rows := [][]string{}
	for _, r := range list {
		rows = append(rows, screen.Cells(strconv.Itoa(r.Rule), r.Select, strconv.Itoa(r.Finds), strconv.Itoa(r.Decides),
			r.Says))
	}
	a.Table([]string{"rule", "selector", "finds", "decides", "that is"}, rows)
	return nil
}

// keepPolicy keeps a policy with a context, has it keep none, or prints the one it keeps.
func keepPolicy(ctx context.Context, a *command.App, cmd *cobra.Command, name string, set *command.PolicyFlags, sets, clears bool,
	w writing, message string) error {
	c, s, err := a.OpenContext(ctx, name, *w.actor)
	if err != nil {
		return err
	}
	defer s.Close()
	current, err := c.Working().Policy()
	if err != nil && !clears && set.File == "" {
		return err
	}
	if !sets && !clears {
		return printPolicy(a, name, current)
	}
	var now *lifecycle.Policy
	if sets {
		p, _, err := set.Policy(ctx, a, cmd, current)
		if err != nil {
			return err
		}
		if now = &p; !set.Prunes(now) {
			a.Warnf("the policy has no limit, so it prunes nothing: add one, such as --max-tokens")
		}
	}
	err = c.Edit(ctx, func(b *pact.Batch) error {
		b.KeepPolicy(now)
		return nil
	}, &pact.Note{Message: message})
	if _, err = rebased(ctx, *w.rebase, nil, err); err != nil {
		return err
	}
	return printPolicy(a, name, now)
}

// printPolicy prints a policy as a file to copy; null in JSON if there is none.
func printPolicy(a *command.App, name string, p *lifecycle.Policy) error {
	switch {
	case a.JSON:
		return a.PrintJSON(p)
	case p == nil:
		a.Printf("%s keeps no policy\n", view.Visible(name))
		return nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // selectors have < and >
	e.SetIndent("", "  ")
	err := e.Encode(p)
	a.Printf("%s", &text)
	return err
}

// listPolicies prints the ready policies.
func listPolicies(a *command.App) error {
	if a.JSON {
		all := map[string]lifecycle.Policy{}
		for _, name := range lifecycle.ReadyNames() {
			policy, err := lifecycle.Ready(name)
			if err != nil {
				return err
			}
			all[name] = policy
		}
		return a.PrintJSON(all)
	}
	var rows [][]string
	for _, name := range lifecycle.ReadyNames() {
		rows = append(rows, screen.Cells(name, command.ReadyPolicies[name]))
	}
	a.Table([]string{"policy", "what goes first, and what stays"}, rows)
	return nil
}
