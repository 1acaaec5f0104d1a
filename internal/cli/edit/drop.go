package edit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// byHand is what pact drop answers.
type byHand struct {
	Did    record.ByHand `json:"did"`
	DryRun bool          `json:"dry_run,omitempty"`
	*record.DecidedByHand
	Price *cutPrice `json:"price,omitempty"` // nil if nobody counted the tokens or the model has no price
}

// cutPrice is computed: tokens are the bytes in proportion to those that the provider counted, at the prices of a date.
type cutPrice struct {
	Tokens   int64   `json:"tokens"`         // that each request has less
	Anew     int64   `json:"anew"`           // that the next request pays in place of reading them from the cache
	Costs    float64 `json:"costs"`          // once; 0 if the provider has nothing of it in its cache
	Saves    float64 `json:"saves"`          // with each later call, which would read them if the provider caches any
	Pays     int64   `json:"pays,omitempty"` // after so many calls; 0 for never, and if it costs nothing
	Currency string  `json:"currency"`
	AsOf     string  `json:"as_of"`
}

func dropCommand(a *command.App) *cobra.Command {
	cmd := a.Command("drop")
	pin := cmd.Flags().Bool("pin", false, "send these results as they came, and have no policy take them")
	undo := cmd.Flags().Bool("undo", false, "take back that they are left out or pinned: the policy may take them again")
	dry := cmd.Flags().Bool("dry-run", false, "say what it would do, and decide nothing")
	cmd.MarkFlagsMutuallyExclusive("pin", "undo")
	cmd.RunE = a.OnContext(nil, func(ctx context.Context, _ *cobra.Command, c *pact.Context, s *pact.DB, rest []string) error {
		what := record.Drop
		switch {
		case *pin:
			what = record.Pin
		case *undo:
			what = record.Undo
		}
		if !record.Recorded(c.Working()) {
			return fault.At(fault.DocumentInvalid, fault.NoOffset, c.Info().Name, "no program's requests are recorded in this context, so pact sends what it has",
				"leave nodes out with pact commit --select, pin them with pact update --pinned")
		}
		ids, err := c.Working().Select(ctx, rest[0], nil)
		if err != nil {
			return command.InSelector(err, rest[0], c.Working())
		}
		made, err := record.DecideByHand(ctx, s, c, what, ids, *dry)
		if errors.As(err, new(*record.Unmanaged)) {
			return command.Advise(err, ": pact run --policy FILE --manage -- COMMAND")
		}
		if err != nil {
			return err
		}
		all := byHand{what, *dry, made, priceOf(made, prices.BuiltIn())}
		return a.Show(all, func() { drawByHand(a, &all, c.Info().Name) })
	})
	return cmd
}

// priceOf computes what a cut costs and when it pays, nil if the provider did not count the last request and what its cache
// had of it, or the model has no price. What stands behind the cut is written again as the last request was written.
func priceOf(h *record.DecidedByHand, list *record.Prices) *cutPrice {
	if h.Of == 0 || h.Bytes <= 0 || list.Paid(h.Model, h.Counted) == nil {
		return nil
	}
	all, cached, writes := *h.Counted.In, *h.Counted.Read, h.Counted.Written
	hours := 0.0 // the part of what is written that lives for an hour
	switch {
	case writes == nil && cached > 0: // such a provider caches all that it is sent
		cached = all
	case writes != nil:
		cached += *writes
		if h.Counted.Written1h != nil && *writes > 0 {
			hours = float64(*h.Counted.Written1h) / float64(*writes)
		}
	}
	tokens := func(bytes int) int64 { return int64(float64(all)*float64(bytes)/float64(h.Of) + 0.5) }
	paid := func(in, read, written int64) float64 {
		hour := int64(float64(written)*hours + 0.5)
		return *list.Paid(h.Model, &inspect.ProviderCache{In: &in, Read: &read, Written: &written, Written1h: &hour})
	}
	p := &cutPrice{Tokens: min(tokens(h.Bytes), all), Currency: list.Currency, AsOf: list.AsOf}
	rest := all - p.Tokens
	p.Anew = min(rest, max(0, cached-(all-tokens(h.Behind))-p.Tokens))
	if cached == 0 {
		p.Saves = paid(all, 0, 0) - paid(rest, 0, 0)
		return p
	}
	written := p.Anew
	if writes == nil {
		written = 0
	}
	p.Costs = max(0, paid(rest, rest-p.Anew, written)-paid(rest, rest, 0))
	if p.Saves = paid(all, all, 0) - paid(rest, rest, 0); p.Saves > 0 {
		p.Pays = int64(math.Ceil(p.Costs/p.Saves - 1e-9)) // both are differences of floating-point sums
	}
	return p
}

func drawByHand(a *command.App, h *byHand, name string) {
	would, results, they, back := "", view.Plural(len(h.Blocks), "result"), "it", "it"
	if len(h.Blocks) > 1 {
		they, back = "they", "them"
	}
	if h.DryRun {
		would = "would be "
	}
	list := view.Visible(strings.Join(h.Blocks, ", "))
	switch {
	case h.Did == record.Pin:
		a.Sentence(fmt.Sprintf("%s %spinned, sent as %s came from the next request on: no policy takes %s", results, would, they, list))
	case h.Did == record.Undo:
		a.Sentence(fmt.Sprintf("%s %sno longer left out or pinned from the next request on, and the policy may take %s again: %s", results, would, back, list))
	case h.Bytes <= 0:
		a.Sentence(fmt.Sprintf("%s %sleft out from the next request on, a note in place of each: %s", results, would, list))
	default:
		a.Sentence(fmt.Sprintf("%s %sleft out from the next request on, %s of %s (%d %%), a note in place of each: %s", results, would, view.Size(int64(h.Bytes)),
			view.Size(int64(h.Of)), 100*h.Bytes/max(h.Of, 1), list))
		a.Sentence(fmt.Sprintf("the cut stands before %s of the last request, which the provider then does not read from its cache", view.Size(int64(h.Behind))))
		drawPrice(a, h)
	}
	if h.Bytes < 0 {
		a.Sentence(fmt.Sprintf("the request gets %s longer, with all that comes back whole", view.Size(int64(-h.Bytes))))
	}
	if len(h.Others) > 0 {
		a.Sentence("left alone: " + view.Visible(h.LeftAlone()))
	}
	if !h.DryRun && h.Did != record.Undo {
		query := "[kind='result']"
		if len(h.Calls) == 1 { // the block has another id soon
			query += "[wire:call='" + strings.ReplaceAll(h.Calls[0], "'", `\'`) + "']"
		} else {
			back = "all that was decided by hand"
		}
		a.Printf("pact drop %s %s --undo takes %s back\n", screen.Quote(name)+a.InStore(), screen.Quote(query), back)
	}
}

func drawPrice(a *command.App, h *byHand) {
	p := h.Price
	if p == nil {
		a.Sentence("what that costs is unknown: nobody counted the tokens, or the model has no price")
		return
	}
	by := fmt.Sprintf("(computed from what the provider counted of %s, prices of %s)", h.Attempt, p.AsOf)
	currency := view.Visible(p.Currency)
	switch {
	case p.Saves <= 0:
		a.Sentence(fmt.Sprintf("that costs %s %s once and saves nothing: it never pays %s", view.Money(p.Costs), currency, by))
	case p.Costs == 0:
		a.Sentence(fmt.Sprintf("that costs nothing and saves %s %s with each call %s", view.Money(p.Saves), currency, by))
	default:
		a.Sentence(fmt.Sprintf("that costs %s %s once and saves %s with each call: it pays after %s %s",
			view.Money(p.Costs), currency, view.Money(p.Saves), view.Plural(int(p.Pays), "call"), by))
	}
}
