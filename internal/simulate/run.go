package simulate

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

// Named is a policy and what to call it.
type Named struct {
	Name   string
	Policy lifecycle.Policy
}

// Options say how to replay a run.
type Options struct {
	Policies []Named
	Counter  tree.Counter   // counts the tokens of blocks
	Prices   *record.Prices // nil for the built-in ones
	Model    string         // whose prices and caching count, "" for the model of the last recorded call
	Dialect  string         // whose rules of caching count, such as anthropic; "" for those of the API or the model
	Calls    bool           // whether outcomes list their calls
	Progress func(done, total int)
}

// Run replays the calls of a context: every snapshot is what one call sent. Errors:
// E_DOCUMENT_INVALID for an unknown dialect or a context without a call, those of compiling and
// following the policies, and those of reading. Cost: for each policy, what changed from call to
// call and a look at the blocks of each request.
func Run(ctx context.Context, c *pact.Context, o Options) (_ *Result, err error) {
	return replayed(ctx, c, o, visitor{})
}

// visitor looks at a run while it is replayed. Both members may be nil.
type visitor struct {
	// call is called at every call of the run as it was, with the snapshots of this call and the one before, which
	// is nil for the first, and the needs of its new blocks.
	call func(r *run, before, now *tree.Tree, said []need) error
	// commit is called before each commit of the first policy, with its working state and the ids of the new nodes in it.
	commit func(before, now, working *tree.Tree, fresh []string) error
}

// replayed is Run with a visitor.
func replayed(ctx context.Context, c *pact.Context, o Options, each visitor) (*Result, error) {
	r := &run{ctx: ctx, o: o, edition: c.Edition(), prices: cmp.Or(o.Prices, prices.BuiltIn()), parts: map[*tree.Node]*part{},
		texts: newTexts(), each: each.call}
	first, last := c.Cycles()
	if last < first {
		return nil, fault.New(fault.DocumentInvalid, "the context has no call to replay", "commit one, or import a run")
	}
	attempts, err := c.Attempts(ctx, first, last)
	if err != nil {
		return nil, err
	}
	r.attempts, r.edits = map[int64]history.Attempt{}, map[int64]canon.Any{}
	for _, a := range attempts {
		r.attempts[a.Cycle] = a
		field, err := record.ContextManagement(a)
		if err != nil {
			return nil, err
		}
		if field != nil {
			r.edits[a.Cycle] = canon.Value(field).Any()
		}
	}
	if err := r.choose(attempts); err != nil {
		return nil, err
	}
	raw := &line{run: r, Outcome: Outcome{Policy: "none"}, cache: r.rules.NewCache()}
	lines := []*line{raw}
	for i, p := range o.Policies {
		l, err := r.line(p)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			l.each = each.commit
		}
		lines = append(lines, l)
	}
	var before *tree.Tree
	done, total := 0, int(last-first)+1
	for s, err := range c.History(ctx, pact.Cycle(first), pact.Cycle(last)) {
		if err != nil {
			return nil, err
		}
		if err := r.call(before, tree.Of(s), raw, lines); err != nil {
			return nil, err
		}
		before = tree.Of(s)
		if done++; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	return r.result(c.Name(), done, lines), nil
}

// run is what all policies share.
type run struct {
	ctx      context.Context
	o        Options
	edition  selector.Edition
	rules    *provider.CacheRules
	model    string
	prices   *record.Prices
	rates    record.Price // of the model, if priced
	priced   bool
	tariff   worth.Tariff
	attempts map[int64]history.Attempt
	edits    map[int64]canon.Any // by cycle, what its request has the provider leave out
	asks     canon.Any           // of these, that of the current call
	parts    map[*tree.Node]*part
	hashes   provider.Hashes
	texts    *texts
	scale    float64 // tokens of the provider for one of the counter, at the current call
	scaled   bool
	hour     bool // the run wrote to the cache for an hour
	at       time.Time
	each     func(r *run, before, now *tree.Tree, said []need) error // nil for no visitor
}

// choose decides whose rules of caching and whose prices count.
func (r *run) choose(attempts []history.Attempt) error {
	for _, a := range attempts {
		r.model = cmp.Or(a.Model, r.model)
	}
	r.model = cmp.Or(r.o.Model, r.model)
	if r.o.Dialect != "" {
		if r.rules = provider.CacheRulesNamed(r.o.Dialect); r.rules == nil || r.rules.AsSent {
			return fault.At(fault.DocumentInvalid, fault.NoOffset, r.o.Dialect, "no rules of caching have this name",
				"take one of "+strings.Join(provider.CacheRulesNames(), ", "))
		}
	} else if r.rules = provider.CacheRulesNamed(record.DialectOf(attempts)); r.rules == nil || r.rules.AsSent {
		r.rules = provider.CacheRulesNamed(dialectOf(r.model))
	}
	for _, a := range attempts {
		told, err := record.ReportedCache(a)
		if err != nil {
			return err
		}
		r.hour = r.hour || told != nil && told.Written1h != nil && *told.Written1h > 0
	}
	r.rates, r.priced = r.prices.Model(r.model)
	r.tariff = worth.Tariff{Rules: r.rules, Model: r.model, Hour: r.hour}
	if r.priced {
		r.tariff.Money = func(u *inspect.ProviderCache) float64 {
			return *r.prices.Paid(r.model, u)
		}
		r.tariff.Read = func(tokens int64) float64 { return float64(tokens) * r.rates.CacheRead / record.Million }
	}
	return nil
}

// dialectOf guesses from the name of a model how its provider caches, for runs whose log does not
// say which API was asked.
func dialectOf(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	switch {
	case strings.HasPrefix(name, "claude"):
		return "anthropic"
	case strings.HasPrefix(name, "gemini"):
		return "gemini"
	}
	return "openai"
}

// call replays one call for all lines. before is the snapshot of the call before, nil for none.
func (r *run) call(before, now *tree.Tree, raw *line, lines []*line) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	cycle := now.Cycle()
	a, recorded := r.attempts[cycle]
	r.asks = r.edits[cycle]
	r.at = r.at.Add(time.Second) // without times no lifetime ends
	if recorded && a.StartedNS > 0 {
		r.at = time.Unix(0, a.StartedNS)
	}
	said, err := r.texts.needs(r, before, now)
	if err != nil {
		return err
	}
	for _, l := range lines[1:] {
		if err := l.regret(said, cycle); err != nil {
			return err
		}
	}
	r.scale = 1
	sent, err := r.request(now)
	if err != nil {
		return err
	}
	if recorded && a.TokenIn != nil && sent.counted > 0 {
		r.scale, r.scaled = float64(*a.TokenIn)/float64(sent.counted), true
	}
	raw.send(now, sent, Call{Cycle: cycle})
	if r.each != nil {
		if err := r.each(r, before, now, said); err != nil {
			return err
		}
	}
	for _, l := range lines[1:] {
		if err := l.step(before, now, raw.spent()); err != nil {
			return err
		}
	}
	return r.texts.add(r, before, now)
}
