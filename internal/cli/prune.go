package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

func (a *app) pruneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune NAME [ID…]",
		Short: "Commit with pruning, or see what it would do",
		Long: `End the cycle as pact commit does, and prune the nodes that are named or selected,
then as many others as the limits need. Blocks outside cores and whole
turns can go: those of lower priority first, then the older ones. Pinned nodes,
nodes that others refer to, ^sys and the protected turns stay. A call and its result
go together.

With limits alone, old results of tools go first, then calls, words of the assistant
and words of the user; the first message of the user stays. --policy strict leaves
the order to the headers, which is age where nobody sets priorities; pact policy
shows the other ready policies. Without limits and --policy, the policy that the context
keeps applies.

With --dry-run nothing is changed: the answer says what would be lost, a line for
each turn, what would stay although it was to go, and why, and how much of the
thread that the provider has cached would be lost, with --prices in money.

A policy is a JSON object: max_tokens, max_bytes, max_nodes, max_turns,
protect_turns, protect_task, ranks, min_tokens, min_bytes, every, stub, orphans,
tokenizer, and parts, a list of limits for a region, a kind or a tag:

  {"max_tokens":8000,"protect_turns":3,"parts":[{"tag":"old","max_bytes":90}]}`,
		Example: `  pact prune chat --max-tokens 8000 --protect-turns 3 --dry-run
  pact prune chat --select "[kind='result']" --dry-run
  pact prune chat block:2-1 seg:1-2
  pact prune chat --policy agent --max-tokens 20000 --dry-run
  pact prune chat --policy window.json --stub '[earlier messages left out]'`,
		ValidArgsFunction: a.completeNames,
	}
	f := cmd.Flags()
	policy := a.policyFlags(cmd)
	policy.bare = lifecycle.ReadyDefault
	chosen := f.StringArray("select", nil, "prune what `SELECTOR` selects in the working state; may be repeated")
	retain := f.StringArray("retain", nil, "keep the node `ID` this time; may be repeated")
	dryRun := f.Bool("dry-run", false, "change nothing")
	prices := f.String("prices", "", "with --dry-run: say what the lost cache costs, by the list of prices in `FILE`")
	model := f.String("model", "", "with --prices: the model `NAME`; by default that of the last recorded call")
	message := f.StringP("message", "m", "", "why, a `TEXT` for the log")
	w := a.writingFlags(cmd)
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd, "prune takes NAME and what to prune")
		}
		c, err := a.openToPrune(ctx, cmd, policy, args[0], *w.actor, *dryRun) // a dry run says how many tokens would go
		if err != nil {
			return err
		}
		defer c.store.Close()
		if len(args) == 1 && len(*chosen) == 0 && !policy.prunes(&c.policy) {
			if f.Changed("policy") {
				return usage(cmd, "the policy says what goes first, not how much may stay: add a limit such as --max-tokens 20000")
			}
			return usage(cmd, "prune needs to know what: ids, --select, a limit such as --max-tokens, or a policy "+
				"that the context keeps")
		}
		for _, text := range *chosen {
			if _, err := selector.Parse(text, c.Edition()); err != nil {
				return inArgument(err, text)
			}
		}
		pruning := c.pruning()
		pruning.IDs, pruning.Select = args[1:], *chosen
		release, err := c.Retain(*retain...)
		if err != nil {
			return err
		}
		defer release()
		if *dryRun {
			plan, err := c.PlanPruning(ctx, pruning)
			if err != nil {
				return err
			}
			p := &plannedPruning{PrunePlan: plan}
			if p.Loss, err = lossOf(ctx, c.Working().Tree(), plan.Report, c.counter); err != nil {
				return err
			}
			if *prices != "" {
				if err := a.priceLoss(ctx, c.Context, p, *prices, *model); err != nil {
					return err
				}
			}
			return a.reportPlan(p)
		}
		task, err := lifecycle.Task(ctx, c.Working().Tree())
		if err != nil {
			return err
		}
		snapshot, err := c.Commit(ctx, &pact.CommitOptions{Note: pact.Note{Message: *message}, Pruning: pruning})
		if snapshot, err = rebased(ctx, *w.rebase, snapshot, err); err != nil {
			return err
		}
		if task != nil && removes(snapshot.Report, task.ID) {
			a.warnf("the first message of the user went: %s", visible(task.ID))
		}
		return a.reportCommit(snapshot, false)
	})
	return cmd
}

// removes reports whether a commit pruned a node.
func removes(r *lifecycle.Report, id string) bool {
	return r != nil && slices.ContainsFunc(r.Removed, func(gone lifecycle.Removal) bool {
		return gone.ID == id && gone.Reason == lifecycle.Pruned
	})
}

// plannedPruning is the answer of pact prune --dry-run.
type plannedPruning struct {
	*inspect.PrunePlan
	Loss *loss `json:"loss"`
	// CacheCost is what reading the lost part of the cache as input costs, nil without a price.
	CacheCost *cacheCost `json:"cache_cost,omitempty"`
}

// cacheCost is a price for tokens that are no longer in the cache.
type cacheCost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	AsOf     string  `json:"as_of"` // the date of the price
	Model    string  `json:"model"`
}

// priceLoss says what the lost part of the cache costs.
func (a *app) priceLoss(ctx context.Context, c *pact.Context, p *plannedPruning, file, model string) error {
	in, err := a.read(ctx, file)
	if err != nil {
		return err
	}
	prices, err := record.ReadPrices(in.data)
	if err != nil {
		return inFile(err, in.name, in.data)
	}
	if model == "" {
		calls, err := c.Attempts(ctx, math.MinInt64, math.MaxInt64)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			return fault.New(fault.DocumentInvalid, "no call is recorded whose model has a price",
				"name the model with --model")
		}
		model = calls[len(calls)-1].Model
	}
	if p.Cached == nil {
		return nil
	}
	amount, known := prices.CacheLoss(model, p.Cached.LostTokens)
	if !known {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, model, "the list has no price for this model",
			"add it to "+in.name+", or name another model with --model")
	}
	p.CacheCost = &cacheCost{amount, prices.Currency, prices.AsOf, model}
	return nil
}

func (a *app) reportPlan(p *plannedPruning) error {
	if a.json {
		return a.printJSON(p)
	}
	a.printf("would commit %s\n", a.paint.strong("@c"+strconv.FormatInt(p.Cycle, 10)))
	if text := p.Loss.summary(); text != "" {
		a.printf("would lose %s\n", text)
	} else {
		a.printf("would lose nothing\n")
	}
	a.drawLoss(p.Loss)
	if p.Loss.Task != "" {
		a.warnf("the first message of the user would go: %s", visible(p.Loss.Task))
	}
	rest := *p.Report // without what the lines above say
	rest.Removed, rest.Stubs, rest.Freed = nil, nil, nil
	if n := len(p.Report.Stubs); n > 0 {
		a.printf("  %s in place of what goes\n", plural(n, "stub"))
	}
	a.drawReport(&rest)
	a.printf("\n")
	rows := [][]string{
		{"", "turns", "nodes", "blocks", "bytes", "tokens"},
		weightRow("without pruning", p.Before), weightRow("with it", p.After),
	}
	if p.Before.Tokens == 0 {
		for i := range rows {
			rows[i] = rows[i][:len(rows[i])-1]
		}
	}
	a.aligned(rows, "lrrrrr"[:len(rows[0])])
	if c := p.Cached; c != nil {
		stays := fmt.Sprintf("of the %s that were sent last, %s stay the beginning of the thread",
			bytesText(c.Shared.OfBytes), bytesText(c.With))
		if c.Lost > 0 {
			stays += fmt.Sprintf(", %s less than without pruning: it differs from %s on", bytesText(c.Lost),
				visible(c.Shared.Older))
		}
		a.printf("\n")
		a.sentence(stays)
		if cost := p.CacheCost; cost != nil {
			a.sentence(fmt.Sprintf("to read these %s as input again costs %s %s more; %s, prices of %s",
				plural(int(c.LostTokens), "token"), money(cost.Amount), visible(cost.Currency), visible(cost.Model),
				visible(cost.AsOf)))
		}
		switch {
		case c.Reasoning == 1:
			a.printf("behind that stands 1 reasoning block, which some models then drop\n")
		case c.Reasoning > 1:
			a.printf("behind that stand %d reasoning blocks, which some models then drop\n", c.Reasoning)
		}
	}
	return nil
}

func weightRow(what string, w inspect.Weight) []string {
	return []string{what, strconv.Itoa(w.Turns), strconv.Itoa(w.Nodes), strconv.Itoa(w.Blocks), strconv.FormatInt(w.Bytes,
		10), strconv.FormatInt(w.Tokens, 10)}
}

// drawReport prints what a commit removed, held back, replaced by stubs and
// postponed.
func (a *app) drawReport(r *lifecycle.Report) {
	for _, gone := range r.Removed {
		rule := ""
		if gone.Rule != "" {
			rule = ", " + gone.Rule
		}
		a.printf("  %s %s  %s%s\n", a.paint.bad("-"), visible(gone.ID), gone.Reason, rule)
	}
	for _, s := range r.Stubs {
		a.printf("  %s %s  for %s\n", a.paint.good("+"), visible(s.ID), strings.Join(cells(s.For...), ", "))
	}
	for _, h := range r.Held {
		a.printf("  %s %s  %s\n", a.paint.changed("="), visible(h.ID), heldText(string(h.Reason), h.Kept, h.By))
	}
	for _, o := range r.Orphans {
		a.printf("  %s %s  %s\n", a.paint.changed("!"), visible(o.ID), o.What)
	}
	if f := r.Freed; f != nil {
		a.printf("  freed   %s\n", freedText(*f))
	}
	if w := r.Waiting; w != nil {
		until := ""
		if w.Until > 0 {
			until = ", until @c" + strconv.FormatInt(w.Until, 10) + " at most"
		}
		a.printf("  waits   it would free %s%s\n", freedText(w.Would), until)
	}
	if r.Budget != "" {
		a.warnf("%s", r.Budget)
	}
}

func freedText(f lifecycle.Freed) string {
	text := plural(f.Nodes, "node") + ", " + bytesText(f.Bytes)
	if f.Tokens > 0 {
		text += ", " + plural(int(f.Tokens), "token")
	}
	return text
}

// heldText says why a node was due to go and what kept it.
func heldText(reason, kept, by string) string {
	text, node := map[string]string{"expired": "expired", "expiry": "expired", "pruned": "to be pruned",
		"pruning": "to be pruned", "cascade": "left empty", "orphan": "left alone by expiry"}[reason], visible(by)
	switch {
	case kept == "referenced" && by != "":
		return text + ", kept: " + node + " refers to it"
	case kept == "contains":
		return text + ", kept: " + node + " below it stays"
	case kept == "task":
		return text + ", kept: the first message of the user"
	case kept == "recent":
		return text + ", kept: among the most recent turns"
	case kept == "waiting":
		return text + ", kept: pruning waits"
	case kept == "whole" && by != "":
		return text + ", kept: " + node + " would have to go too, but nobody asked for that"
	case kept == "whole":
		return text + ", kept: only a whole turn or a block outside a core can be pruned"
	case by != "":
		return text + ", kept: " + node + " is " + kept
	}
	return text + ", kept: " + kept
}
