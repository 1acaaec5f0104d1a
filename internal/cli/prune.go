package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/lifecycle"
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

With --dry-run nothing is changed: the answer says which nodes would go and which
would stay, and why, how much that would free, and how much of the thread that the
provider has cached would be lost.

A policy is a JSON object: max_tokens, max_bytes, max_nodes, max_turns,
protect_turns, min_tokens, min_bytes, every, stub, orphans, tokenizer, and parts,
a list of limits for a region, a kind or a tag:

  {"max_tokens":8000,"protect_turns":3,"parts":[{"kind":"result","max_bytes":20000}]}`,
		Example: `  pact prune chat --max-tokens 8000 --protect-turns 3 --dry-run
  pact prune chat --select "[kind='result']" --dry-run
  pact prune chat block:2-1 seg:1-2
  pact prune chat --policy window.json --stub '[earlier messages left out]'`,
		ValidArgsFunction: a.completeNames,
	}
	f := cmd.Flags()
	policy := a.policyFlags(cmd)
	chosen := f.StringArray("select", nil, "prune what `SELECTOR` selects in the working state; may be repeated")
	retain := f.StringArray("retain", nil, "keep the node `ID` this time; may be repeated")
	dryRun := f.Bool("dry-run", false, "change nothing")
	message := f.StringP("message", "m", "", "why, a `TEXT` for the log")
	w := a.writingFlags(cmd)
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd, "prune takes NAME and what to prune")
		}
		p, counter, err := policy.policy(ctx, a, cmd)
		if err != nil {
			return err
		}
		if len(args) == 1 && len(*chosen) == 0 && !policy.prunes(&p) {
			return usage(cmd, "prune needs to know what: ids, --select, or a limit such as --max-tokens")
		}
		c, s, err := a.openContext(ctx, args[0], *w.actor, counter)
		if err != nil {
			return err
		}
		defer s.Close()
		for _, text := range *chosen {
			if _, err := selector.Parse(text, c.Edition()); err != nil {
				return inArgument(err, text)
			}
		}
		pruning := &pact.Pruning{Policy: p, IDs: args[1:], Select: *chosen}
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
			return a.reportPlan(plan)
		}
		snapshot, err := c.Commit(ctx, &pact.CommitOptions{Note: pact.Note{Message: *message}, Pruning: pruning})
		if snapshot, err = rebased(ctx, *w.rebase, snapshot, err); err != nil {
			return err
		}
		return a.reportCommit(snapshot, false)
	})
	return cmd
}

func (a *app) reportPlan(p *inspect.PrunePlan) error {
	if a.json {
		return a.printJSON(p)
	}
	a.printf("would commit %s\n", a.paint.strong("@c"+strconv.FormatInt(p.Cycle, 10)))
	a.drawReport(p.Report)
	if len(p.Report.Removed) == 0 {
		a.printf("  nothing would go\n")
	}
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
		a.printf("\nof the %s that were sent last, %s stay the beginning of the thread", bytesText(c.Shared.OfBytes),
			bytesText(c.With))
		if c.Lost > 0 {
			a.printf(", %s less than without pruning: it differs from %s on", bytesText(c.Lost), visible(c.Shared.Older))
		}
		a.printf("\n")
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
