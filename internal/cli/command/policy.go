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

// Policy reads the policy and the counter for its tokens, nil if it counts none. current is
// the policy to start from if the flags name none, nil for none.
func (p *PolicyFlags) Policy(ctx context.Context, a *App, cmd *cobra.Command,
	current *lifecycle.Policy) (lifecycle.Policy, tree.Counter, error) {
	var policy lifecycle.Policy
	var err error
	switch {
	case p.File != "":
		if policy, err = a.PolicyNamed(ctx, p.File); err != nil {
			return policy, nil, err
		}
	case current != nil:
		policy = *current
	}
	for _, n := range policyNumbers {
		Override(cmd, n.flag, n.of(&policy), *n.of(&p.set))
	}
	Override(cmd, "stub", &policy.Stub, p.set.Stub)
	Override(cmd, "orphans", &policy.Orphans, lifecycle.Orphans(p.orphans))
	if p.File == "" && current == nil && p.Bare != "" && p.Prunes(&policy) {
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

// OfContext returns the policy that the flags ask for, else the one that the context keeps, and the counter of its tokens,
// nil if no limit counts them.
func (p *PolicyFlags) OfContext(ctx context.Context, a *App, cmd *cobra.Command, c *pact.Context) (lifecycle.Policy, tree.Counter, error) {
	if p.File != "" {
		return p.Policy(ctx, a, cmd, nil)
	}
	current, err := c.Working().Policy()
	if err != nil {
		return lifecycle.Policy{}, nil, err
	}
	return p.Policy(ctx, a, cmd, current)
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
