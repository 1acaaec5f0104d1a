package simulate

import (
	"fmt"
	"math"

	"github.com/contexttree/pact/internal/view"
)

// result sums up.
func (r *run) result(lines []*policyRun) *Result {
	made := &Result{lines: lines, Basis: Basis{Run: r.c.Info().Name, Calls: r.totals.Calls, Model: r.model, Dialect: r.rules.Name,
		Counter: r.o.Counter.Name(), Scaled: r.meter.told, Window: r.rates.Window}}
	if r.priced || r.totals.Paid != nil { // the last model may have no price
		made.Currency, made.AsOf = r.prices.Currency, r.prices.AsOf
	}
	raw := &lines[0].Outcome
	if off := r.off(); off > mostOff && len(lines) > 1 {
		made.Outcomes, made.lines = []Outcome{*raw}, lines[:1]
		made.Sentences = append(made.Sentences, fmt.Sprintf("The provider read %d tokens from its cache, and its rules give "+
			"%d: what a policy would have cost in this run cannot be computed.", r.read.told, r.read.computed))
		made.Sentences = append(made.Sentences, r.paid()...)
		return made
	}
	for _, l := range lines {
		if l.unsure() > mostOff {
			made.Sentences = append(made.Sentences, l.hangs())
			continue
		}
		if l != lines[0] && r.priced {
			made.Sentences = append(made.Sentences, r.worthOf(&l.Outcome, raw))
		}
		made.Outcomes = append(made.Outcomes, l.Outcome)
	}
	if !r.priced {
		made.Sentences = append(made.Sentences, "No price is known for the model, so only tokens are counted.")
	}
	made.Sentences = append(made.Sentences, r.paid()...)
	if len(lines) > 1 {
		made.Sentences = append(made.Sentences, "Each request counts as decided in time: one that takes over 100 ms goes out as it "+
			"came, and what is new in it stays whole in all calls after it.")
	}
	made.Sentences = append(made.Sentences,
		"The calls are those of the run: how the model would have gone on with less before it is not simulated.")
	return made
}

// paid says, as a sentence, what was paid for the run, nothing if the provider counted none of it.
func (r *run) paid() []string {
	t := &r.totals
	if t.Paid == nil {
		return nil
	}
	of := view.Plural(t.Priced, "call")
	if t.Priced < t.Calls {
		of = fmt.Sprintf("%d of %s", t.Priced, view.Plural(t.Calls, "call"))
	}
	return []string{fmt.Sprintf("Paid were %s %s for %s with their answers, as the provider counted; the cost of a row is "+
		"computed, of what is sent.", view.Money(*t.Paid), view.Visible(t.Currency), of)}
}

// mostOff is how far the computed reading of the cache of the run as it was may be from what the provider counted, as a
// part of what was sent. A policy is computed by the same rules.
const mostOff = 0.02

// off returns that distance.
func (r *run) off() float64 {
	return math.Abs(float64(r.read.told-r.read.computed)) / float64(max(r.read.sent, 1))
}

// hangs says that what a policy sends cannot be computed closely enough.
func (l *policyRun) hangs() string {
	least, most := l.Sent, l.Sent
	for _, other := range l.varied {
		least, most = min(least, other.Sent), max(most, other.Sent)
	}
	return fmt.Sprintf("%s would have sent between %d and %d tokens: what it takes hangs on how many tokens new results have, "+
		"which is estimated when it decides, so its row is left out.", l.Policy, least, most)
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
		return fmt.Sprintf("%s saves %s %s of %s, %.0f %%.", o.Policy, view.Money(-extra), r.prices.Currency, view.Money(*raw.Cost),
			share(-extra))
	}
	loses := fmt.Sprintf("%s loses %s %s on %s, %.0f %%", o.Policy, view.Money(extra), r.prices.Currency, view.Money(*raw.Cost), share(extra))
	saves := r.tariff.Read(raw.last.sent - o.last.sent)
	if saves <= 0 || o.last.read == 0 {
		return loses + ", and more calls would not change that."
	}
	further := int64(math.Ceil(extra / saves))
	o.Further = &further
	return fmt.Sprintf("%s; it would be even after %s more that cut nothing.", loses, view.Plural(int(further), "call"))
}
