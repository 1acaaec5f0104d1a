package command

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"

	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
)

// PolicyFlags are the flags that describe a pruning policy.
type PolicyFlags struct {
	flag            string // the one that names the policy
	File, tokenizer string
	Bare            string // the ready policy for limits that come without --policy, "" for the headers alone
	set             lifecycle.Policy
	orphans         string
}

// policyNumbers are the flags for the numbers of a policy.
var policyNumbers = [...]struct {
	flag, usage string
	of          func(*lifecycle.Policy) *int
}{
	{"max-tokens", "prune until the contents have at most `N` tokens", func(p *lifecycle.Policy) *int { return &p.MaxTokens }},
	{"max-bytes", "prune until the thread has at most `N` bytes", func(p *lifecycle.Policy) *int { return &p.MaxBytes }},
	{"max-nodes", "prune until there are at most `N` blocks and containers", func(p *lifecycle.Policy) *int { return &p.MaxNodes }},
	{"max-turns", "prune until there are at most `N` turns", func(p *lifecycle.Policy) *int { return &p.MaxTurns }},
	{"protect-turns", "keep the most recent `N` turns from being pruned", func(p *lifecycle.Policy) *int { return &p.ProtectTurns }},
	{"min-tokens", "wait with pruning until it frees `N` tokens", func(p *lifecycle.Policy) *int { return &p.MinTokens }},
	{"min-bytes", "wait with pruning until it frees `N` bytes of the thread", func(p *lifecycle.Policy) *int { return &p.MinBytes }},
	{"every-cycles", "prune in cycles that are a multiple of `N`, however little it frees", func(p *lifecycle.Policy) *int { return &p.Every }},
}

func isPolicyNumber(flag string) bool {
	for _, n := range policyNumbers {
		if n.flag == flag {
			return true
		}
	}
	return false
}

// DefaultTokenizer counts for a token limit that names no tokenizer.
const DefaultTokenizer = "o200k_base"

func (a *App) PolicyFlags(cmd *cobra.Command) *PolicyFlags {
	return a.PolicyFlagsAs(cmd, "policy", "the policy in `FILE`, a JSON object, or agent, chat, default or strict; "+
		"other flags override it")
}

// PolicyFlagsAs is PolicyFlags for a command that names the policy with another flag.
func (a *App) PolicyFlagsAs(cmd *cobra.Command, flag, usage string) *PolicyFlags {
	p := &PolicyFlags{flag: flag}
	f := cmd.Flags()
	f.StringVar(&p.File, flag, "", usage)
	for _, n := range policyNumbers {
		f.IntVar(n.of(&p.set), n.flag, 0, n.usage)
	}
	f.StringVar(&p.set.Stub, "stub", "", "leave a block with `TEXT` where something was pruned")
	f.StringVar(&p.orphans, "orphans", "", "`HOW` to treat calls and results without the other: refuse, drop or keep")
	f.StringVar(&p.tokenizer, "tokenizer", "", "count tokens as `NAME` does, by default "+DefaultTokenizer)
	OneOf(cmd, "orphans", []string{"refuse", "drop", "keep"})
	CompleteFlag(cmd, "tokenizer", tokens.Names())
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(lifecycle.ReadyNames(),
		cobra.ShellCompDirectiveDefault))
	return p
}

// Typed returns the flags that were given, as they could be typed, each after a space.
func (p *PolicyFlags) Typed(cmd *cobra.Command) (text string) {
	names := []string{p.flag}
	for _, n := range policyNumbers {
		names = append(names, n.flag)
	}
	for _, name := range append(names, "stub", "orphans", "tokenizer") {
		if f := cmd.Flags().Lookup(name); f.Changed {
			text += " --" + name + " " + screen.Quote(f.Value.String())
		}
	}
	return text
}

// Policy reads the policy and the counter for its tokens, nil if it counts none. kept is
// the policy to start from if the flags name none, nil for none.
func (p *PolicyFlags) Policy(ctx context.Context, a *App, cmd *cobra.Command,
	kept *lifecycle.Policy) (lifecycle.Policy, tree.Counter, error) {
	policy, err := p.base(ctx, a)
	if err != nil {
		return policy, nil, err
	}
	if p.File == "" && kept != nil {
		policy = *kept
	}
	for _, n := range policyNumbers {
		Override(cmd, n.flag, n.of(&policy), *n.of(&p.set))
	}
	Override(cmd, "stub", &policy.Stub, p.set.Stub)
	Override(cmd, "orphans", &policy.Orphans, lifecycle.Orphans(p.orphans))
	if p.File == "" && kept == nil && p.Bare != "" && p.Prunes(&policy) {
		standard, err := lifecycle.Ready(p.Bare)
		if err != nil {
			return policy, nil, err
		}
		policy.Ranks, policy.ProtectTask, policy.WholePairs = standard.Ranks, standard.ProtectTask, standard.WholePairs
	}
	if err := policy.Check(); err != nil {
		return policy, nil, err
	}
	name := cmp.Or(p.tokenizer, policy.Tokenizer)
	if !policy.Counts() && name == "" {
		return policy, nil, nil
	}
	counter, err := CounterNamed(name)
	if err != nil {
		return policy, nil, err
	}
	policy.Tokenizer = ""
	if policy.Counts() {
		policy.Tokenizer = counter.Name()
	}
	return policy, counter, nil
}

// OpenToPrune opens a context for a command that prunes, with the policy that its flags
// ask for, else with the one that the context keeps. counted asks for a counter of tokens
// in any case; otherwise it is nil if no limit counts them. The caller closes the store.
func (a *App) OpenToPrune(ctx context.Context, cmd *cobra.Command, p *PolicyFlags, name, actor string,
	counted bool) (*pruningContext, error) {
	c, s, err := a.OpenContext(ctx, name, actor)
	if err != nil {
		return nil, err
	}
	opened := &pruningContext{Context: c, Store: s}
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
	Store   *pact.DB
	Policy  lifecycle.Policy
	Counter tree.Counter
}

// choose decides on the policy. The policy names the counter of tokens, so choose opens the
// context again if there is one.
func (c *pruningContext) choose(ctx context.Context, a *App, cmd *cobra.Command, p *PolicyFlags, o pact.OpenOptions,
	counted bool) error {
	var kept *lifecycle.Policy
	var err error
	if p.File == "" {
		if kept, err = c.Working().Policy(); err != nil {
			return err
		}
	}
	if c.Policy, c.Counter, err = p.Policy(ctx, a, cmd, kept); err != nil {
		return err
	}
	if c.Counter == nil && counted {
		if c.Counter, err = CounterNamed(""); err != nil {
			return err
		}
	}
	if c.Counter != nil {
		o.Counter = c.Counter
		c.Context, err = pact.Open(ctx, c.Store, c.Name(), &o)
	}
	return err
}

// Pruning returns what to give to a commit besides ids and selectors: the policy here
// stands for the kept one.
func (c *pruningContext) Pruning() *pact.Pruning {
	return &pact.Pruning{Policy: c.Policy, WithoutKept: true}
}

// base returns the policy that --policy names, to which the other flags are added.
func (p *PolicyFlags) base(ctx context.Context, a *App) (policy lifecycle.Policy, err error) {
	if p.File == "" {
		return policy, nil
	}
	return a.PolicyNamed(ctx, p.File)
}

// PolicyNamed reads a policy from a file, or returns a ready one.
func (a *App) PolicyNamed(ctx context.Context, name string) (policy lifecycle.Policy, err error) {
	if slices.Contains(lifecycle.ReadyNames(), name) {
		return lifecycle.Ready(name)
	}
	in, err := a.Read(ctx, name)
	if errors.Is(err, os.ErrNotExist) {
		return policy, fault.New(fault.NotFound, "there is neither a file nor a ready policy "+name,
			"the ready ones are "+strings.Join(lifecycle.ReadyNames(), ", ")+"; pact policy shows them")
	}
	if err != nil {
		return policy, err
	}
	if policy, err = lifecycle.ParsePolicy(in.Data); err != nil {
		return policy, InFile(err, in.Name, in.Data)
	}
	return policy, nil
}

// Prunes reports whether a policy has a limit.
func (p *PolicyFlags) Prunes(policy *lifecycle.Policy) bool {
	rest := *policy
	rest.Orphans, rest.Tokenizer, rest.Stub, rest.ProtectTurns, rest.Ranks = "", "", "", 0, nil
	rest.ProtectTask, rest.WholePairs = false, false
	return !rest.Empty()
}

// ReadyPolicies describes each ready policy.
var ReadyPolicies = map[string]string{
	lifecycle.ReadyAgent:   "old results to stubs first, then calls, then old turns; the task and four turns stay",
	lifecycle.ReadyChat:    "old results first, then the oldest turns, with stubs; the task and two turns stay",
	lifecycle.ReadyDefault: "what import does with limits alone: as agent, without stubs and recent turns",
	"claude-code":          sparesAgent,
	"codex":                sparesAgent,
	"gemini-cli":           sparesAgent,
	"opencode":             sparesAgent,
	"openai-agents":        "with pact run --manage: long results shorter, equal ones once, old ones out when that pays",
	lifecycle.ReadyStrict:  "the headers alone decide: priority, then age, then id (02 §7.1)",
}

const sparesAgent = "with pact run --manage: long results shorter, old ones out when that pays; what it reads and edits stays"

// LimitsText names the rules and the limits of a policy for the line of a context.
func LimitsText(p *lifecycle.Policy) string {
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
	if len(p.Rules) > 0 {
		list = append(list, view.Plural(len(p.Rules), "rule"))
	}
	if len(p.Parts) > 0 {
		list = append(list, view.Plural(len(p.Parts), "part"))
	}
	if len(list) == 0 {
		return "no limit"
	}
	return strings.Join(list, ", ")
}
