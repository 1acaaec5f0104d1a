package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

// result sums up.
func (r *run) result(name string, calls int, lines []*line) *Result {
	made := &Result{lines: lines, Basis: Basis{Run: name, Calls: calls, Model: r.model, Dialect: r.rules.Name,
		Counter: r.o.Counter.Name(), Scaled: r.scaled, Window: r.rates.Window}}
	if r.priced {
		made.Currency, made.AsOf = r.prices.Currency, r.prices.AsOf
	}
	raw := &lines[0].Outcome
	for _, l := range lines {
		if l != lines[0] && r.priced {
			made.Sentences = append(made.Sentences, r.worthOf(&l.Outcome, raw))
		}
		made.Outcomes = append(made.Outcomes, l.Outcome)
	}
	if !r.priced {
		made.Sentences = append(made.Sentences, "No price is known for the model, so only tokens are counted.")
	}
	for _, l := range lines[1:] {
		p := &l.policy
		if max(p.MaxTokens, p.MaxBytes, p.MaxNodes, p.MaxTurns, len(p.Parts)) > 0 ||
			slices.ContainsFunc(p.Rules, func(r lifecycle.Rule) bool { return r.TTL != nil }) {
			made.Sentences = append(made.Sentences, "Commits and imports remove whole calls and messages. A proxy that "+
				"manages requests leaves these, and a note for each result, so it may save less than is said here.")
			break
		}
	}
	made.Sentences = append(made.Sentences,
		"The calls are those of the run: how the model would have gone on with less before it is not simulated.")
	return made
}

// worthOf returns, as a sentence, how much a policy saves or loses, and after how many more calls it would not
// lose.
func (r *run) worthOf(o, raw *Outcome) string {
	extra := *o.Cost - *raw.Cost
	share := func(part float64) float64 {
		if *raw.Cost == 0 {
			return 0
		}
		return 100 * part / *raw.Cost
	}
	switch {
	case math.Abs(extra) < 1e-12:
		return fmt.Sprintf("%s costs as much as sending everything.", o.Policy)
	case extra < 0:
		return fmt.Sprintf("%s saves %.4f %s of %.4f, %.0f %%.", o.Policy, -extra, r.prices.Currency, *raw.Cost,
			share(-extra))
	}
	loses := fmt.Sprintf("%s loses %.4f %s on %.4f, %.0f %%", o.Policy, extra, r.prices.Currency, *raw.Cost, share(extra))
	saves := r.rates.CacheRead * float64(raw.last.sent-o.last.sent) / record.Million
	if saves <= 0 || o.last.read == 0 {
		return loses + ", and more calls would not change that."
	}
	further := int64(math.Ceil(extra / saves))
	o.Further = &further
	return fmt.Sprintf("%s; it would be even after %s more that cut nothing.", loses, view.Plural(int(further), "call"))
}
