package simulate

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
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
	return replayed(ctx, c, o, nil)
}

// visitor is called at every call of the run as it was, with the snapshots of this call and the one before, which
// is nil for the first, the request, and the needs of its new blocks. It may be nil.
type visitor func(r *run, before, now *tree.Tree, sent *request, said []need) error

// replayed is Run with a visitor.
func replayed(ctx context.Context, c *pact.Context, o Options, each visitor) (*Result, error) {
	r, err := begin(ctx, c, o, each)
	if err != nil {
		return nil, err
	}
	return r.replay()
}

// begin reads what all policies share.
func begin(ctx context.Context, c *pact.Context, o Options, each visitor) (*run, error) {
	r := &run{ctx: ctx, o: o, prices: cmp.Or(o.Prices, prices.BuiltIn()), parts: map[*tree.Node]*part{},
		texts: newTexts(), each: each, memory: manage.NewMemory(), meter: newMeter(), c: c}
	first, last := c.Cycles()
	if last < first {
		return nil, fault.New(fault.DocumentInvalid, "the context has no call to replay", "commit one, or import a run")
	}
	attempts, err := c.Attempts(ctx, first, last)
	if err != nil {
		return nil, err
	}
	r.attempts = map[int64][]history.Attempt{}
	for _, a := range attempts {
		r.attempts[a.Cycle] = append(r.attempts[a.Cycle], a)
	}
	return r, r.choose(attempts)
}

// replay replays the calls under the policies.
func (r *run) replay() (*Result, error) {
	c, o := r.c, r.o
	first, last := c.Cycles()
	raw := &line{run: r, Outcome: Outcome{Policy: "none"}, cache: r.rules.NewCache()}
	lines := []*line{raw}
	for _, p := range o.Policies {
		l, err := r.line(p)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	var before *tree.Tree
	done, total := 0, int(last-first)+1
	for s, err := range c.History(r.ctx, pact.Cycle(first), pact.Cycle(last)) {
		if err != nil {
			return nil, err
		}
		if err := r.call(before, s, raw, lines); err != nil {
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
	c        *pact.Context
	o        Options
	rules    *provider.CacheRules
	model    string
	prices   *record.Prices
	rates    record.Price // of the model, if priced
	priced   bool
	tariff   worth.Tariff
	attempts map[int64][]history.Attempt
	memory   *manage.Memory
	api      provider.API
	parts    map[*tree.Node]*part
	texts    *texts
	meter    *meter
	hour     bool // the run wrote to the cache for an hour
	at       time.Time
	each     visitor
	read     read
}

// choose decides whose rules of caching and whose prices count.
func (r *run) choose(attempts []history.Attempt) error {
	for _, a := range attempts {
		r.model = cmp.Or(a.Model, r.model)
	}
	r.model = cmp.Or(r.o.Model, r.model, record.ModelOf(r.c.Working()))
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
	if r.api = provider.APINamed(r.rules.Name); r.api == "" {
		r.api = provider.Chat
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

// read is how many tokens the provider read from its cache by its own count and by the rules, in the calls that it
// counted.
type read struct{ told, computed, sent int64 }

// call replays one call for all lines. before is the snapshot of the call before, nil for none.
func (r *run) call(before *tree.Tree, s *pact.Snapshot, raw *line, lines []*line) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	now, cycle := tree.Of(s), s.Cycle()
	attempts := r.attempts[cycle]
	r.at = r.at.Add(time.Second) // without times no lifetime ends
	var told *inspect.ProviderCache
	if n := len(attempts); n > 0 {
		if attempts[n-1].StartedNS > 0 {
			r.at = time.Unix(0, attempts[n-1].StartedNS)
		}
		var err error
		if told, err = record.ReportedCache(attempts[n-1]); err != nil {
			return err
		}
	}
	said, err := r.texts.needs(r, before, now)
	if err != nil {
		return err
	}
	for _, l := range lines[1:] {
		l.regret(said, cycle)
	}
	recorded, err := r.recorded(cycle, attempts)
	if err != nil {
		return err
	}
	sent, err := r.request(now, recorded)
	if err != nil {
		return err
	}
	if told == nil {
		told = &inspect.ProviderCache{}
	}
	prompt := sent.prompt(told.In)
	counted := raw.send(prompt, sent.tokens, Call{Cycle: cycle})
	if told.In != nil && told.Read != nil {
		r.read.told, r.read.computed, r.read.sent = r.read.told+*told.Read, r.read.computed+counted.Read, r.read.sent+*told.In
	}
	if r.each != nil {
		if err := r.each(r, before, now, sent, said); err != nil {
			return err
		}
	}
	for _, l := range lines[1:] {
		if err := l.step(sent, cycle); err != nil {
			return err
		}
	}
	return r.texts.add(r, before, now)
}

// recorded returns the request that was recorded of a call, nil if there is none.
func (r *run) recorded(cycle int64, attempts []history.Attempt) (*manage.Request, error) {
	if !slices.ContainsFunc(attempts, func(a history.Attempt) bool { return a.Request != "" }) {
		return nil, nil
	}
	body, err := record.Request(r.ctx, r.c, cycle, 0)
	switch code := fault.CodeOf(err); {
	case code == fault.AttemptNotFound || code == fault.Conflict: // or it was erased
		return nil, nil
	case err != nil:
		return nil, err
	}
	name := provider.APIOf(http.MethodPost, body.Path)
	q, ok := r.memory.Read(name, provider.ModelInPath(body.Path), body.Bytes, func(string, string) bool { return false })
	if !ok || name != r.api {
		return nil, nil
	}
	q.Of.Model = r.model
	return q, nil
}

// scale returns how many tokens the provider counts for one of the counter, at the current call.
func (r *run) scale() float64 { return r.meter.ratio }
