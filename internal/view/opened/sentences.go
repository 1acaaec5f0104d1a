package opened

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// The findings that a report has.
const (
	mostSimulated = 256 << 20 // bytes of all threads: more would take a second
	mostFindings  = 2
	leastPaid     = 0.01 // of the currency of the prices
)

// Commands are what a user types to ask on.
type Commands struct {
	Findings string                      // lists what a run paid for without use
	Diff     func(from, to int64) string // compares two cycles
}

// Look finds what the run cost and on what it spent most, if its model has a price, and says the three
// sentences. ask has the commands that the last one may name.
func (f *Context) Look(ctx context.Context, c *pact.Context, counter tree.Counter, ask Commands) error {
	report := &simulate.Report{}
	if f.ThreadBytes <= mostSimulated {
		var err error
		if report, err = simulate.Findings(ctx, c, simulate.Options{Counter: counter}); err != nil {
			return err
		}
		for _, one := range report.Findings { // the dearest first
			if one.Cost != nil && *one.Cost >= leastPaid && len(f.Findings) < mostFindings {
				f.Findings = append(f.Findings, one)
			}
		}
	}
	paid, err := f.paid(ctx, c, report)
	if err != nil {
		return err
	}
	helps, err := f.helps(report.Findings, ask)
	f.Sentences = []string{f.broke(), paid, helps}
	return err
}

// broke says what went wrong: where the prefix ended early, and which tools failed.
func (f *Context) broke() string {
	t, line := f.Story, "Broke: nothing; every call repeats all of the call before"
	switch {
	case t.Calls < 2:
		line = "Broke: nothing; a single call has none to repeat"
	case len(t.Breaks) > 0:
		first := t.Breaks[0]
		line = "Broke: " + strconv.Itoa(len(t.Breaks)) + " of " + view.Plural(t.Calls, "call") + " did not repeat the call before, first " +
			view.Cycle(first.Cycle) + ": " + first.Why
	}
	if len(t.Failed) > 0 {
		line += "; " + view.Plural(len(t.Failed), "call") + " of tools failed"
	}
	return line + "."
}

// paid says what the run cost, as exactly as its log tells.
func (f *Context) paid(ctx context.Context, c *pact.Context, report *simulate.Report) (string, error) {
	first, last := c.Cycles()
	attempts, err := c.Attempts(ctx, first, last)
	if err != nil {
		return "", err
	}
	list, sum, counted := prices.BuiltIn(), 0.0, 0
	for _, one := range attempts {
		told, err := record.ReportedCache(one)
		if err != nil {
			return "", err
		}
		if paid := list.Paid(one.Model, told); paid != nil {
			sum, counted = sum+*paid, counted+1
		}
	}
	t := f.Story
	line := "Cost: "
	switch {
	case t.Cost > 0:
		line += view.Money(t.Cost) + " dollars, as the file says"
	case counted > 0:
		line += view.Money(sum) + " dollars for " + view.Plural(counted, "call") + " whose tokens the provider counted, at the prices of " +
			list.AsOf
	case t.In == 0 && report.Spent.Cost != nil:
		line += view.Money(*report.Spent.Cost) + " dollars for what was sent if the provider caches as " + report.Dialect + " does: " +
			view.Plural(int(report.Spent.Sent), "token") + ", " + strconv.FormatInt(report.Spent.Read, 10) + " of them from the cache, at the prices of " +
			report.AsOf
	case t.In > 0:
		line += view.Plural(int(t.In), "token") + " in, " + strconv.FormatInt(t.Out, 10) + " out; no price of the model is built in"
	default:
		line += "unknown; " + view.Size(f.ThreadBytes) + " went to the model, and the log has no counts of tokens"
	}
	for i, found := range f.Findings {
		if i == 0 {
			line += ". Without use"
		}
		line += "; " + view.Money(*found.Cost) + ": " + found.Says
	}
	return line + ".", nil
}

// helps says what would have made the run cheaper.
func (f *Context) helps(found []simulate.Finding, ask Commands) (string, error) {
	for _, one := range found {
		if one.Helps == nil {
			continue
		}
		rule, err := view.Rule(one.Helps)
		if err != nil {
			return "", err
		}
		return "Helps: the rule " + rule + " would have saved " + view.Money(*one.Saves) +
			" dollars; " + ask.Findings + " says where.", nil
	}
	if t := f.Story; len(t.Breaks) > 0 {
		at := t.Breaks[0].Cycle
		return "Helps: keep what a call begins with; " + ask.Diff(at-1, at) + " shows what changed.", nil
	}
	return "Helps: nothing that pact tries would have made it cheaper.", nil
}
