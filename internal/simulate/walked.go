package simulate

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// counted reports whether the provider counted the tokens of a call of the run.
func (r *run) counted() bool {
	for _, of := range r.attempts {
		for i := range of {
			if of[i].TokenIn != nil {
				return true
			}
		}
	}
	return false
}

// walked collects the facts about a run whose provider counted tokens. Nothing is replayed: what was sent, read and
// paid is what the provider counted.
func (f *finder) walked(r *run) (*Result, []Finding, view.Totals, error) {
	var all view.Totals
	var list []Finding
	raw := &line{run: r, Outcome: Outcome{Policy: "none"}}
	first, last := r.c.Cycles()
	failed := func(err error) (*Result, []Finding, view.Totals, error) { return nil, nil, all, err }
	for s, err := range view.Walk(r.ctx, r.c, pact.Cycle(first), pact.Cycle(last), view.WalkOptions{Dialect: r.o.Dialect, Prices: r.prices,
		Snapshots: true}) {
		if err != nil {
			return failed(err)
		}
		all.Add(s)
		f.uncached.add(s)
		var before *tree.Tree
		if s.Before != nil {
			before = tree.Of(s.Before)
		}
		f.told = &inspect.ProviderCache{}
		if s.Call != nil && s.Call.Provider != nil {
			f.told = s.Call.Provider
		}
		now := tree.Of(s.Now)
		said, err := r.texts.needs(r, before, now)
		if err != nil {
			return failed(err)
		}
		if err := f.call(r, before, now, nil, said); err != nil {
			return failed(err)
		}
		if err := r.texts.add(r, before, now); err != nil {
			return failed(err)
		}
		call := Call{Cycle: s.Cycle, Sent: f.scaled(f.sent)}
		if f.told.In != nil {
			call.Sent = *f.told.In
		}
		raw.ByCall = append(raw.ByCall, call)
		if b := s.Broke; b != nil && b.Again != nil {
			list = append(list, brokenFinding(s))
		}
		if r.o.Progress != nil {
			r.o.Progress(len(raw.ByCall), int(last-first)+1)
		}
	}
	raw.Cost = all.Paid
	result := r.result(r.c.Name(), len(raw.ByCall), []*line{raw})
	result.Scaled = true
	return result, list, all, nil
}

// brokenFinding is the finding about a break that the provider counted.
func brokenFinding(s *view.Step) Finding {
	return Finding{What: PrefixBroke, Cycle: s.Cycle, Node: s.Broke.Node, Evidence: s.Broke.Evidence, Cost: s.Broke.Cost,
		Tokens: *s.Broke.Again, Says: s.Broke.InWords(&s.Prefix, "")}
}
