package opened

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
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
	report := &simulate.Report{Untried: "No rule was tried: a trial of all that was sent would take long."}
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
	helps, err := f.helps(report, ask)
	f.Sentences = []string{f.broke(), f.paid(report), helps}
	return err
}

// broke says what went wrong: where the cache broke, and which tools failed.
func (f *Context) broke() string {
	t, line, less := f.Story, "Broke: nothing", f.Story.ReadLess()
	switch told := t.Totals.Told; {
	case len(t.Breaks) > 0:
		line = "Broke: " + strconv.Itoa(len(t.Breaks)) + " of " + view.Plural(t.Calls, "call") + t.InShort()
	case t.Calls < 2:
		line += "; a single call has none to repeat"
	case less != "" && (told == t.Calls || t.Totals.Read == 0): // said below
	case t.Totals.Read > 0 && told == t.Calls:
		line += "; every call read what the call before had left, as the provider counted"
	case t.Totals.Read > 0:
		line += " in " + view.Plural(told, "call") + " of " + strconv.Itoa(t.Calls) + ", those of which the provider said what it read from its cache"
	case t.Differ == 0:
		line += "; every call repeats all of the call before, in the bytes that the log has"
	default:
		line += " that the provider counted; " + view.Plural(t.Differ, "call") + " did not repeat the call before"
	}
	if less != "" && len(t.Breaks) == 0 {
		line += "; " + less
	}
	if len(t.Failed) > 0 {
		line += "; " + view.Plural(len(t.Failed), "call") + " of tools failed"
	}
	return line + "."
}

// paid says what the run cost, as exactly as its log tells.
func (f *Context) paid(report *simulate.Report) string {
	t := f.Story
	line := "Cost: "
	switch paid := t.Totals.Paid; {
	case t.Cost > 0:
		line += view.Money(t.Cost) + " dollars, as the file says"
	case paid != nil && t.Totals.Priced < t.Calls:
		line += view.Money(*paid) + " dollars for " + strconv.Itoa(t.Totals.Priced) + " of " + view.Plural(t.Calls, "call") +
			", those whose tokens the provider counted and whose price is known, at the prices of " + prices.BuiltIn().AsOf
	case paid != nil:
		line += view.Money(*paid) + " dollars for " + view.Plural(t.Calls, "call") + " whose tokens the provider counted, at the prices of " +
			prices.BuiltIn().AsOf
	case t.In == 0 && report.Spent.Cost != nil:
		line += view.Money(*report.Spent.Cost) + " dollars for what was sent if the provider caches as " + report.Dialect + " does: " +
			view.Plural(int(report.Spent.Sent), "token") + ", " + strconv.FormatInt(report.Spent.Read, 10) +
			" of them from the cache, at the prices of " + report.AsOf + " (computed)"
	case t.In > 0:
		line += view.Plural(int(t.In), "token") + " in, " + strconv.FormatInt(t.Out, 10) + " out; "
		if _, known := prices.BuiltIn().Model(strings.Join(t.Models, "")); !known {
			line += "no price of the model is built in"
		} else if t.Totals.Told > 0 {
			line += "no price of the terms on which the provider answered, such as fast or flex, is built in"
		} else {
			line += "the log does not say how many came from the cache"
		}
	default:
		line += "unknown; " + view.Size(f.ThreadBytes) + " went to the model, and the log has no counts of tokens"
	}
	begin := ". Without use: "
	for _, found := range f.Findings {
		if found.What == simulate.PrefixBroke {
			continue // the sentence about what broke has it
		}
		line, begin = line+begin+found.Says+" ("+view.Money(*found.Cost)+" dollars)", "; "
	}
	return line + "."
}

// helps says what would have made the run cheaper.
func (f *Context) helps(report *simulate.Report, ask Commands) (string, error) {
	for _, one := range report.Findings {
		if one.What == simulate.NoCaching && one.Cost != nil {
			return "Helps: to mark for the cache what calls repeat would have saved " + view.Money(*one.Cost) + " dollars (computed); " +
				ask.Findings + " says why.", nil
		}
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
	for i := range f.Story.Breaks {
		if b := &f.Story.Breaks[i]; b.Known == inspect.SeenInBytes && b.Node != "" {
			return "Helps: keep what a call begins with; " + ask.Diff(b.Cycle-1, b.Cycle) + " shows what changed.", nil
		}
	}
	if report.Untried != "" {
		return "Helps: unknown. " + report.Untried, nil
	}
	return "Helps: nothing that pact tries would have made it cheaper.", nil
}
