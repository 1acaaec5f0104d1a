package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// policyFlags are the flags that describe a pruning policy.
type policyFlags struct {
	flag            string // the one that names the policy
	file, tokenizer string
	bare            string // the ready policy for limits that come without --policy, "" for the headers alone
	set             lifecycle.Policy
	orphans         string
}

// defaultTokenizer counts for a token limit that names no tokenizer.
const defaultTokenizer = "o200k_base"

func (a *app) policyFlags(cmd *cobra.Command) *policyFlags {
	return a.policyFlagsAs(cmd, "policy", "the policy in `FILE`, a JSON object, or agent, chat, default or strict; "+
		"other flags override it")
}

// policyFlagsAs is policyFlags for a command that names the policy with another flag.
func (a *app) policyFlagsAs(cmd *cobra.Command, flag, usage string) *policyFlags {
	p := &policyFlags{flag: flag}
	f := cmd.Flags()
	f.StringVar(&p.file, flag, "", usage)
	f.IntVar(&p.set.MaxTokens, "max-tokens", 0, "prune until the contents have at most `N` tokens")
	f.IntVar(&p.set.MaxBytes, "max-bytes", 0, "prune until the thread has at most `N` bytes")
	f.IntVar(&p.set.MaxNodes, "max-nodes", 0, "prune until there are at most `N` blocks and containers")
	f.IntVar(&p.set.MaxTurns, "max-turns", 0, "prune until there are at most `N` turns")
	f.IntVar(&p.set.ProtectTurns, "protect-turns", 0, "keep the most recent `N` turns from being pruned")
	f.IntVar(&p.set.MinTokens, "min-tokens", 0, "wait with pruning until it frees `N` tokens")
	f.IntVar(&p.set.MinBytes, "min-bytes", 0, "wait with pruning until it frees `N` bytes of the thread")
	f.IntVar(&p.set.Every, "every-cycles", 0, "prune in cycles that are a multiple of `N`, however little it frees")
	f.StringVar(&p.set.Stub, "stub", "", "leave a block with `TEXT` where something was pruned")
	f.StringVar(&p.orphans, "orphans", "", "`HOW` to treat calls and results without the other: refuse, drop or keep")
	f.StringVar(&p.tokenizer, "tokenizer", "", "count tokens as `NAME` does, by default "+defaultTokenizer)
	_ = cmd.RegisterFlagCompletionFunc("orphans", cobra.FixedCompletions([]string{"refuse", "drop", "keep"},
		cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("tokenizer", cobra.FixedCompletions(tokens.Names(),
		cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(lifecycle.ReadyNames(),
		cobra.ShellCompDirectiveDefault))
	return p
}

// typed returns the flags that were given, as they could be typed, each after a space.
func (p *policyFlags) typed(cmd *cobra.Command) (text string) {
	for _, name := range [...]string{p.flag, "max-tokens", "max-bytes", "max-nodes", "max-turns", "protect-turns",
		"min-tokens", "min-bytes", "every-cycles", "stub", "orphans", "tokenizer"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			text += " --" + name + " " + quote(f.Value.String())
		}
	}
	return text
}

// policy reads the policy and the counter for its tokens, nil if it counts none. kept is
// the policy to start from if the flags name none, nil for none.
func (p *policyFlags) policy(ctx context.Context, a *app, cmd *cobra.Command,
	kept *lifecycle.Policy) (lifecycle.Policy, tree.Counter, error) {
	policy, err := p.base(ctx, a)
	if err != nil {
		return policy, nil, err
	}
	if p.file == "" && kept != nil {
		policy = *kept
	}
	override(cmd, "max-tokens", &policy.MaxTokens, p.set.MaxTokens)
	override(cmd, "max-bytes", &policy.MaxBytes, p.set.MaxBytes)
	override(cmd, "max-nodes", &policy.MaxNodes, p.set.MaxNodes)
	override(cmd, "max-turns", &policy.MaxTurns, p.set.MaxTurns)
	override(cmd, "protect-turns", &policy.ProtectTurns, p.set.ProtectTurns)
	override(cmd, "min-tokens", &policy.MinTokens, p.set.MinTokens)
	override(cmd, "min-bytes", &policy.MinBytes, p.set.MinBytes)
	override(cmd, "every-cycles", &policy.Every, p.set.Every)
	override(cmd, "stub", &policy.Stub, p.set.Stub)
	override(cmd, "orphans", &policy.Orphans, lifecycle.Orphans(p.orphans))
	if p.file == "" && kept == nil && p.bare != "" && p.prunes(&policy) {
		standard, err := lifecycle.Ready(p.bare)
		if err != nil {
			return policy, nil, err
		}
		policy.Ranks, policy.ProtectTask = standard.Ranks, standard.ProtectTask
	}
	if err := policy.Check(); err != nil {
		return policy, nil, err
	}
	name := p.tokenizer
	if name == "" {
		name = policy.Tokenizer
	}
	if !policy.Counts() && name == "" {
		return policy, nil, nil
	}
	if name == "" {
		name = defaultTokenizer
	}
	counter, err := tokens.Named(name)
	if err != nil {
		return policy, nil, err
	}
	policy.Tokenizer = ""
	if policy.Counts() {
		policy.Tokenizer = counter.Name()
	}
	return policy, counter, nil
}

// openToPrune opens a context for a command that prunes, with the policy that its flags
// ask for, else with the one that the context keeps. counted asks for a counter of tokens
// in any case; otherwise it is nil if no limit counts them. The caller closes the store.
func (a *app) openToPrune(ctx context.Context, cmd *cobra.Command, p *policyFlags, name, actor string,
	counted bool) (*pruningContext, error) {
	c, s, err := a.openContext(ctx, name, actor, nil)
	if err != nil {
		return nil, err
	}
	opened := &pruningContext{Context: c, store: s}
	if err := opened.choose(ctx, a, cmd, p, pact.OpenOptions{Actor: actor}, counted); err != nil {
		s.Close()
		return nil, err
	}
	return opened, nil
}

// pruningContext is a context, the policy of the next commit, and the counter of its
// tokens.
type pruningContext struct {
	*pact.Context
	store   store.Complete
	policy  lifecycle.Policy
	counter tree.Counter
}

// choose decides on the policy. Who counts tokens depends on it, so it opens the context
// again if somebody must.
func (c *pruningContext) choose(ctx context.Context, a *app, cmd *cobra.Command, p *policyFlags, o pact.OpenOptions,
	counted bool) error {
	var kept *lifecycle.Policy
	var err error
	if p.file == "" {
		if kept, err = c.Working().Policy(); err != nil {
			return err
		}
	}
	if c.policy, c.counter, err = p.policy(ctx, a, cmd, kept); err != nil {
		return err
	}
	if c.counter == nil && counted {
		if c.counter, err = tokens.Named(defaultTokenizer); err != nil {
			return err
		}
	}
	if c.counter != nil {
		o.Counter = c.counter
		c.Context, err = pact.Open(ctx, c.store, c.Name(), &o)
	}
	return err
}

// pruning returns what to give to a commit besides ids and selectors: the policy here
// stands for the kept one.
func (c *pruningContext) pruning() *pact.Pruning {
	return &pact.Pruning{Policy: c.policy, WithoutKept: true}
}

// base returns the policy that --policy names, to which the other flags are added.
func (p *policyFlags) base(ctx context.Context, a *app) (policy lifecycle.Policy, err error) {
	switch {
	case p.file == "":
		return policy, nil
	case slices.Contains(lifecycle.ReadyNames(), p.file):
		return lifecycle.Ready(p.file)
	}
	in, err := a.read(ctx, p.file)
	if errors.Is(err, os.ErrNotExist) {
		return policy, fault.New(fault.Store, "there is neither a file nor a ready policy "+p.file,
			"the ready ones are "+strings.Join(lifecycle.ReadyNames(), ", ")+"; pact policy shows them")
	}
	if err != nil {
		return policy, err
	}
	if policy, err = lifecycle.ParsePolicy(in.data); err != nil {
		return policy, inFile(err, in.name, in.data)
	}
	return policy, nil
}

// prunes reports whether a policy has a limit.
func (p *policyFlags) prunes(policy *lifecycle.Policy) bool {
	rest := *policy
	rest.Orphans, rest.Tokenizer, rest.Stub, rest.ProtectTurns, rest.ProtectTask, rest.Ranks = "", "", "", 0, false, nil
	return !rest.Empty()
}
