package edit

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
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
	*record.Handed
	Price *cutPrice `json:"price,omitempty"` // nil if nobody counted the tokens or the model has no price
}

// cutPrice is computed: tokens are the bytes in proportion to those that the provider counted, at the prices of a date.
type cutPrice struct {
	Tokens   int64   `json:"tokens"`         // that each request has less
	Anew     int64   `json:"anew"`           // that the cut has the provider write to its cache in place of reading them
	Costs    float64 `json:"costs"`          // once
	Saves    float64 `json:"saves"`          // with each later call that would read them
	Pays     int64   `json:"pays,omitempty"` // after so many calls; 0 if never
	Currency string  `json:"currency"`
	AsOf     string  `json:"as_of"`
}

func dropCommand(a *command.App) *cobra.Command {
	cmd := a.Command("drop")
	pin := cmd.Flags().Bool("pin", false, "have no policy take these results, in place of leaving them out")
	undo := cmd.Flags().Bool("undo", false, "send these results as they came again, pinned or left out")
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
			return fault.At(fault.DocumentInvalid, fault.NoOffset, c.Name(), "no program's requests are recorded in this context, so pact sends what it has",
				"leave nodes out with pact commit --select, pin them with pact update --pinned")
		}
		ids, err := c.Working().Select(ctx, rest[0], nil)
		if err != nil {
			return err
		}
		made, err := record.DecideByHand(ctx, s, c, what, ids, *dry)
		if err != nil {
			return err
		}
		all := byHand{what, *dry, made, priceOf(made, prices.BuiltIn())}
		if a.JSON {
			return a.PrintJSON(all)
		}
		drawByHand(a, &all, c.Name(), rest[0])
		return nil
	})
	return cmd
}

// priceOf computes what a cut costs and when it pays.
func priceOf(h *record.Handed, list *record.Prices) *cutPrice {
	price, known := list.Model(h.Model)
	if !known || h.Tokens == nil || h.Of == 0 || h.Bytes <= 0 {
		return nil
	}
	perByte := float64(*h.Tokens) / float64(h.Of)
	p := &cutPrice{Tokens: int64(float64(h.Bytes)*perByte + 0.5), Anew: int64(float64(h.Behind-h.Bytes)*perByte + 0.5), Currency: list.Currency,
		AsOf: list.AsOf}
	p.Costs = max(0, float64(p.Anew)*(price.CacheWrite-price.CacheRead)/record.Million)
	if p.Saves = float64(p.Tokens) * price.CacheRead / record.Million; p.Saves > 0 {
		p.Pays = int64(math.Ceil(p.Costs / p.Saves))
	}
	return p
}

func drawByHand(a *command.App, h *byHand, name, query string) {
	would, results := "", view.Plural(len(h.Blocks), "result")
	if h.DryRun {
		would = "would be "
	}
	list := view.Visible(strings.Join(h.Blocks, ", "))
	switch h.Did {
	case record.Pin:
		a.Sentence(fmt.Sprintf("%s %spinned: no policy takes %s", results, would, list))
	case record.Undo:
		a.Sentence(fmt.Sprintf("%s %ssent as it came from the next request on: %s", results, would, list))
	default:
		a.Sentence(fmt.Sprintf("%s %sleft out from the next request on, %s of %s (%d %%), a note in place of each: %s", results, would, view.Size(int64(h.Bytes)),
			view.Size(int64(h.Of)), 100*h.Bytes/max(h.Of, 1), list))
		a.Sentence(fmt.Sprintf("the cut stands before %s of the last request, which the provider then does not read from its cache", view.Size(int64(h.Behind))))
		if p := h.Price; p != nil {
			a.Sentence(fmt.Sprintf("that costs %s %s once and saves %s with each call: it pays after %s (computed from what the provider counted of %s, prices of %s)",
				view.Money(p.Costs), view.Visible(p.Currency), view.Money(p.Saves), view.Plural(int(p.Pays), "call"), h.Attempt, p.AsOf))
		} else {
			a.Sentence("what that costs is unknown: nobody counted the tokens, or the model has no price")
		}
	}
	if len(h.Others) > 0 {
		a.Sentence(fmt.Sprintf("left alone: %s, no results that this can change", view.Plural(len(h.Others), "block")))
	}
	if !h.DryRun && h.Did != record.Undo {
		a.Printf("pact drop %s %s --undo takes it back\n", screen.Quote(name), screen.Quote(query))
	}
}
