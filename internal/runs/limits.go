package runs

import (
	"context"
	"fmt"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// Limits are what a run has to keep; nil, "" and false ask nothing.
type Limits struct {
	Breaks    *int           // how many calls at most break the prefix, as [view.CacheBreakOf] finds them
	MaxTokens *int64         // how many tokens at most providers count in all calls, in and out
	MaxCost   *float64       // what all calls cost at most, in the currency of Prices
	PrefixOf  *pact.Context  // another run that sends the same, as far as both go
	Check     string         // the API whose rules every request keeps: openai, responses, anthropic or gemini
	NoOrphans bool           // no call has a result of a tool without its call, or a call without its result
	Prices    *record.Prices // nil for the built-in ones
}

// Verdict says which limits a run keeps.
type Verdict struct {
	Run          string      `json:"run"`
	Calls        int         `json:"calls"`
	Totals       view.Totals `json:"totals"`
	Limits       []Limit     `json:"limits"` // those that were asked
	view.Overlap             // filled in by who knows the store
}

// Limit is one that was asked, and where the run does not keep it.
type Limit struct {
	Name     string    `json:"limit"`           // as the flag of pact assert
	Asked    string    `json:"asked,omitempty"` // its value
	Failures []Failure `json:"failures"`        // none if the run keeps it
}

// Failure is a place at which a run does not keep a limit, or at which it is unknown whether it does.
type Failure struct {
	Place    string           `json:"place"` // the run, its call, and what in it
	Cause    string           `json:"cause"`
	Evidence inspect.Evidence `json:"evidence"`
}

// Fails reports whether the run does not keep a limit.
func (v *Verdict) Fails() bool {
	for i := range v.Limits {
		if len(v.Limits[i].Failures) > 0 {
			return true
		}
	}
	return false
}

// Judge says whether a run keeps limits. What is unknown keeps none: a run without an answered call keeps no limit, one of
// which a call has no count of its provider or no price none of tokens or of cost. Errors: those of [view.Walk], and E_DOCUMENT_INVALID for an API that
// is not known. Cost: that of [view.Walk] with snapshots, and each block once; with Check also the bytes of the recorded
// requests, or of a rebuilt one those of the last and of each that the next does not repeat; with PrefixOf that of the
// other run.
func Judge(ctx context.Context, c *pact.Context, l Limits, progress func(done, total int)) (*Verdict, error) {
	if l.Prices == nil {
		l.Prices = prices.BuiltIn()
	}
	j := &judge{ctx: ctx, c: c, asked: &l, name: view.Visible(c.Info().Name), orphans: map[string]bool{}}
	if l.Check != "" {
		j.checker = newChecker(ctx, c, l.Check)
	}
	of, err := read(ctx, c, l.Prices, nil, j.call, progress)
	if err != nil {
		return nil, err
	}
	if err := j.end(); err != nil {
		return nil, err
	}
	v := &Verdict{Run: c.Info().Name, Calls: len(of.calls), Totals: j.totals}
	add := func(asked bool, name, value string, failures []Failure) {
		if asked {
			if len(failures) == 0 && v.Calls == 0 {
				failures = []Failure{{j.name, "no call of the run was answered, so nothing is known of it", inspect.NotKnown}}
			}
			v.Limits = append(v.Limits, Limit{name, value, append([]Failure{}, failures...)})
		}
	}
	if l.Breaks != nil {
		if len(j.breaks) <= *l.Breaks {
			j.breaks = nil
		}
		add(true, "breaks", strconv.Itoa(*l.Breaks), j.breaks)
	}
	if l.MaxTokens != nil {
		add(true, "max-tokens", strconv.FormatInt(*l.MaxTokens, 10), firstOf(j.tokens, j.uncounted))
	}
	if l.MaxCost != nil {
		add(true, "max-cost", strconv.FormatFloat(*l.MaxCost, 'f', -1, 64), firstOf(j.cost, j.unpriced))
	}
	if l.PrefixOf != nil {
		base, err := read(ctx, l.PrefixOf, l.Prices, nil, ignoreCall, progress)
		if err != nil {
			return nil, err
		}
		failures, err := j.divergence(of, base)
		if err != nil {
			return nil, err
		}
		add(true, "prefix-of", l.PrefixOf.Info().Name, failures)
	}
	if j.checker != nil {
		add(true, "check", l.Check, j.checker.failures())
	}
	add(l.NoOrphans, "no-orphans", "", j.unpaired)
	return v, nil
}

// firstOf returns the first failure that there is.
func firstOf(list ...*Failure) []Failure {
	for _, f := range list {
		if f != nil {
			return []Failure{*f}
		}
	}
	return nil
}

// slack is by how much a sum of prices may pass a limit, in proportion: what the additions of binary fractions may add to
// a sum that is equal in decimals.
const slack = 1e-9

// amount writes an amount in full, without what binary fractions add to it.
func amount(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// judge collects failures from call to call.
type judge struct {
	ctx     context.Context
	c       *pact.Context
	asked   *Limits
	name    string
	totals  view.Totals
	refused int // of the calls, without counts
	checker *checker

	breaks, unpaired                  []Failure
	tokens, uncounted, cost, unpriced *Failure // of the first call that fails
	orphans                           map[string]bool
}

func (j *judge) at(cycle int64) string { return j.name + view.Cycle(cycle) }

func (j *judge) call(s *view.Step) error {
	j.totals.Add(s)
	if s.Broke != nil {
		place := j.at(s.Cycle)
		if s.Broke.Node != "" {
			place += " " + view.Visible(s.Broke.Node)
		}
		currency := ""
		if s.Call != nil && s.Call.Cost != nil {
			currency = s.Call.Cost.Currency
		}
		j.breaks = append(j.breaks, Failure{place, s.Broke.InWords(&s.Prefix, currency), s.Broke.Evidence})
	}
	j.spend(s)
	return j.sent(s)
}

// end judges what was sent since the last answer: a request that the provider refused, or has not answered yet.
func (j *judge) end() error {
	last := j.c.Info().Cycle
	open, err := sentIn(j.ctx, j.c, last+1)
	if err == nil && len(open) > 0 {
		err = j.sent(&view.Step{Prefix: inspect.Prefix{Cycle: last + 1}, Now: j.c.Working()})
	}
	if err == nil && j.checker != nil {
		err = j.checker.end()
	}
	return err
}

// sent judges what a call sent.
func (j *judge) sent(s *view.Step) error {
	if j.checker != nil {
		if err := j.checker.call(s); err != nil {
			return err
		}
	}
	if !j.asked.NoOrphans {
		return nil
	}
	alone, err := commit.Unpaired(j.ctx, tree.Of(s.Now))
	for _, o := range alone {
		if !j.orphans[o.ID] {
			j.orphans[o.ID] = true
			j.unpaired = append(j.unpaired, Failure{j.at(s.Cycle) + " " + view.Visible(o.ID), o.What, inspect.SeenInBytes})
		}
	}
	return err
}

// spend notes at which call a run passes its limits of tokens and cost, and which was the first without a count.
func (j *judge) spend(s *view.Step) {
	note := func(to **Failure, evidence inspect.Evidence, format string, args ...any) {
		if *to == nil {
			*to = &Failure{j.at(s.Cycle), fmt.Sprintf(format, args...), evidence}
		}
	}
	if most := j.asked.MaxTokens; most != nil && j.totals.In+j.totals.Out > *most {
		note(&j.tokens, inspect.Counted, "with this call the run has %d tokens in and %d out, more than %d", j.totals.In, j.totals.Out, *most)
	}
	if most := j.asked.MaxCost; most != nil && j.totals.Paid != nil && *j.totals.Paid > *most*(1+slack) {
		note(&j.cost, inspect.Counted, "with this call the run has cost %s %s, more than %s", amount(*j.totals.Paid),
			view.Visible(j.totals.Currency), amount(*most))
	}
	if s.Call != nil && s.Call.Refused && s.Call.Provider == nil && len(s.Call.Earlier) == 0 {
		j.refused++ // providers bill no request that they refuse
	}
	if j.totals.Counted+j.refused < j.totals.Calls {
		note(&j.uncounted, inspect.NotKnown, "the provider counted no tokens of this call, so it is unknown how many the run has")
	}
	if j.totals.Priced+j.refused < j.totals.Calls {
		why, model := "", modelOf(s)
		switch _, priced := j.asked.Prices.Model(model); {
		case s.Call == nil || s.Call.Provider == nil || s.Call.Provider.In == nil:
			why = "the provider counted no tokens of this call"
		case !priced:
			why = "the list of prices has none for the model " + strconv.Quote(model)
		default:
			why = "the provider did not say how many tokens of this call came from its cache"
		}
		note(&j.unpriced, inspect.NotKnown, "%s, so it is unknown what the run costs", view.Visible(why))
	}
}

// divergence says where a run parts from another, none if it does not.
func (j *judge) divergence(of, base *run) ([]Failure, error) {
	p := divergenceOf(of, base)
	if p.Divergence == nil {
		return nil, nil
	}
	if err := p.quote(j.ctx, j.c, j.asked.PrefixOf); err != nil {
		return nil, err
	}
	place := j.at(p.A)
	if p.BlockA != nil && p.BlockA.Node != "" {
		place += " " + view.Visible(p.BlockA.Node)
	}
	cause := "it parts from " + view.Visible(base.name) + view.Cycle(p.B) + ": " + p.Says
	return []Failure{{place, cause, inspect.SeenInBytes}}, nil
}
