package story

import (
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/view"
)

// PrefixReport is the answer of pact log --prefix --json.
type PrefixReport struct {
	Cycles []*view.Step `json:"cycles"`
	// how tokens were counted; an approximation begins with approx:
	Tokenizer string  `json:"tokenizer,omitempty"`
	Share     float64 `json:"share"`  // of the repeated blocks, weighted by bytes
	Breaks    []int64 `json:"breaks"` // the cycles at which something broke
	// for each dialect that compared recorded calls, the pages that document it
	Sources map[string][]string `json:"sources,omitempty"`
	Totals  view.Totals         `json:"totals,omitzero"`
}

// KeepBreaks leaves out the cycles at which nothing broke.
func (r *PrefixReport) KeepBreaks() {
	r.Cycles = slices.DeleteFunc(r.Cycles, func(p *view.Step) bool { return p.Broke == nil })
}

// Prefixes reports what each thread from one snapshot to another repeats of the one before, and what its provider
// counted.
func Prefixes(ctx context.Context, c *pact.Context, from, to pact.Address, o view.WalkOptions,
	progress func(done, total int)) (*PrefixReport, error) {
	r := &PrefixReport{Cycles: []*view.Step{}, Breaks: []int64{}}
	first, last := c.Info().First, c.Info().Cycle
	tally := Reuse{}
	for s, err := range view.Walk(ctx, c, from, to, o) {
		if err != nil {
			return nil, err
		}
		r.Cycles = append(r.Cycles, s)
		if s.Broke != nil {
			r.Breaks = append(r.Breaks, s.Cycle)
		}
		r.count(s.Call)
		r.Totals.Add(s)
		tally.Take(&s.Prefix)
		progress(len(r.Cycles), int(last-first+1))
	}
	r.Share = tally.Share()
	return r, nil
}

// Reuse sums up how much a run of threads repeats.
type Reuse struct {
	Differ   int // how many do not repeat all of the one before
	same, of float64
}

func (r *Reuse) Take(p *inspect.Prefix) {
	if p.Shared == nil {
		return
	}
	share, of, complete := view.Reused(p)
	if !complete {
		r.Differ++
	}
	r.of += float64(of)
	r.same += share * float64(of)
}

func (r *Reuse) Share() float64 {
	if r.of == 0 {
		return 1
	}
	return r.same / r.of
}

// count adds a call to the counts of the report.
func (r *PrefixReport) count(call *inspect.CallPrefix) {
	if call == nil {
		return
	}
	if rules := provider.CacheRulesNamed(call.Dialect); rules != nil && len(rules.Sources) > 0 {
		if r.Sources == nil {
			r.Sources = map[string][]string{}
		}
		r.Sources[call.Dialect] = rules.Sources
	}
}
