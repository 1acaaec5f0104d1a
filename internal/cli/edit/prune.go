package edit

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
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

// removes reports whether a commit pruned a node.
func removes(r *lifecycle.Report, id string) bool {
	return slices.ContainsFunc(r.Removed, func(gone lifecycle.Removal) bool {
		return gone.ID == id && gone.Reason == lifecycle.Pruned
	})
}

// planned is what pact commit --dry-run says beside what a commit says.
type planned struct {
	Before inspect.Weight        `json:"before"`
	After  inspect.Weight        `json:"after"`
	Cached *inspect.CachedPrefix `json:"cached,omitempty"`
	Loss   *story.Loss           `json:"loss"`
	// CacheCost prices the lost part of the cache as input, nil without a price.
	CacheCost *cacheCost `json:"cache_cost,omitempty"`
}

// plan says what a commit would publish, and what it would lose.
func (f *commitFlags) plan(ctx context.Context, a *command.App, c *pact.Context, counter tree.Counter, pruning *pact.Pruning) error {
	plan, err := c.PlanPruning(ctx, "working", pruning)
	if err != nil {
		return err
	}
	p := &planned{Before: plan.Before, After: plan.After, Cached: plan.Cached}
	if p.Loss, err = story.LossOf(ctx, c.Working(), plan.Report, counter); err != nil {
		return err
	}
	if f.prices != "" {
		if err := priceLoss(ctx, a, c, p, f.prices, f.model); err != nil {
			return err
		}
	}
	if a.JSON {
		return a.PrintJSON(committed{Cycle: plan.Cycle, Blocks: plan.After.Blocks, Bytes: plan.After.Bytes, DryRun: true,
			Report: plan.Report, planned: p})
	}
	a.Printf("would commit %s\n", a.Paint.Strong(view.Cycle(plan.Cycle)))
	drawPlan(a, p, plan.Report)
	return nil
}

// cacheCost is a price for tokens that are no longer in the cache.
type cacheCost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	AsOf     string  `json:"as_of"` // the date of the price
	Model    string  `json:"model"`
}

// priceLoss sets the price of the lost part of the cache.
func priceLoss(ctx context.Context, a *command.App, c *pact.Context, p *planned, file, model string) error {
	prices, err := a.Prices(ctx, file)
	if err != nil {
		return err
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
	price, known := prices.Model(model)
	if !known {
		return fault.At(fault.Usage, fault.NoOffset, model, "the list has no price for this model",
			"add it to "+file+", or name another model with --model")
	}
	amount := max(0, float64(p.Cached.LostTokens)*(price.Input-price.CacheRead)/record.Million)
	p.CacheCost = &cacheCost{amount, prices.Currency, prices.AsOf, model}
	return nil
}

func drawPlan(a *command.App, p *planned, report *lifecycle.Report) {
	if text := p.Loss.Summary(); text != "" {
		a.Printf("would lose %s\n", text)
	} else {
		a.Printf("would lose nothing\n")
	}
	a.DrawLoss(p.Loss)
	if p.Loss.Task != "" {
		a.Warnf("the first message of the user would go: %s", view.Visible(p.Loss.Task))
	}
	rest := *report // without what the lines above say
	rest.Stubs, rest.Savings = nil, nil
	rest.Removed = slices.DeleteFunc(slices.Clone(rest.Removed), func(r lifecycle.Removal) bool { return r.Reason == lifecycle.Pruned })
	if n := len(report.Stubs); n > 0 {
		a.Printf("  %s in place of what goes\n", view.Plural(n, "stub"))
	}
	drawReport(a, &rest)
	a.Printf("\n")
	rows := [][]string{
		{"", "turns", "nodes", "blocks", "bytes", "tokens"},
		weightRow("without pruning", p.Before), weightRow("with it", p.After),
	}
	if p.Before.Tokens == 0 {
		for i := range rows {
			rows[i] = rows[i][:len(rows[i])-1]
		}
	}
	a.Aligned(rows, "lrrrrr"[:len(rows[0])])
	if c := p.Cached; c != nil {
		stays := fmt.Sprintf("of the %s that were sent last, %s stay the beginning of the thread",
			view.Size(c.Shared.OfBytes), view.Size(c.With))
		if c.LostBytes > 0 {
			stays += fmt.Sprintf(", %s less than without pruning: it differs from %s on", view.Size(c.LostBytes),
				view.Visible(c.Shared.Older))
		}
		a.Printf("\n")
		a.Sentence(stays)
		if cost := p.CacheCost; cost != nil {
			a.Sentence(fmt.Sprintf("to read these %s as input again costs %s %s more; %s, prices of %s",
				view.Plural(int(c.LostTokens), "token"), view.Money(cost.Amount), view.Visible(cost.Currency), view.Visible(cost.Model),
				view.Visible(cost.AsOf)))
		}
		switch {
		case c.Reasoning == 1:
			a.Printf("behind that stands 1 reasoning block, which some models then drop\n")
		case c.Reasoning > 1:
			a.Printf("behind that stand %d reasoning blocks, which some models then drop\n", c.Reasoning)
		}
	}
}

func weightRow(what string, w inspect.Weight) []string {
	return []string{what, strconv.Itoa(w.Turns), strconv.Itoa(w.Nodes), strconv.Itoa(w.Blocks), strconv.FormatInt(w.Bytes,
		10), strconv.FormatInt(w.Tokens, 10)}
}

// drawReport prints what a commit removed, held back, replaced by stubs and
// postponed.
func drawReport(a *command.App, r *lifecycle.Report) {
	for _, found := range r.Ruled {
		a.Printf("  %s %s  %s, rule %d\n", a.Paint.Changed("~"), view.Visible(found.ID), view.Visible(found.Does), found.Rule)
	}
	for _, gone := range r.Removed {
		rule := ""
		if gone.Rule != "" {
			rule = ", " + gone.Rule
		}
		a.Printf("  %s %s  %s%s\n", a.Paint.Bad("-"), view.Visible(gone.ID), gone.Reason, rule)
	}
	for _, s := range r.Stubs {
		a.Printf("  %s %s  for %s\n", a.Paint.Good("+"), view.Visible(s.ID), strings.Join(screen.Cells(s.For...), ", "))
	}
	for _, h := range r.Kept {
		a.Printf("  %s %s  %s\n", a.Paint.Changed("="), view.Visible(h.ID), view.WhyKept(string(h.Reason), h.Why, h.By))
	}
	for _, o := range r.Orphans {
		a.Printf("  %s %s  %s\n", a.Paint.Changed("!"), view.Visible(o.ID), o.What)
	}
	if f := r.Savings; f != nil {
		a.Printf("  freed   %s\n", freedText(*f))
	}
	if w := r.Postponed; w != nil {
		until := ""
		if w.Until > 0 {
			until = ", until @c" + strconv.FormatInt(w.Until, 10) + " at most"
		}
		a.Printf("  waits   it would free %s%s\n", freedText(w.Would), until)
	}
	if r.Budget != "" {
		a.Warnf("%s", r.Budget)
	}
}

func freedText(f lifecycle.Savings) string {
	text := view.Plural(f.Nodes, "node") + ", " + view.Size(f.Bytes)
	if f.Tokens > 0 {
		text += ", " + view.Plural(int(f.Tokens), "token")
	}
	return text
}
