package simulate

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
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
func Run(ctx context.Context, c *pact.Context, o Options) (*Result, error) {
	r, err := begin(ctx, c, o)
	if err != nil {
		return nil, err
	}
	lines := []*policyRun{r.asItWas()}
	for _, p := range o.Policies {
		l, err := r.underPolicy(p)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	err = r.walk(func(p *passedCall) error {
		for _, l := range lines[1:] {
			l.regret(p.said, p.Cycle)
		}
		sent, err := lines[0].replay(p)
		for i := 1; i < len(lines) && err == nil; i++ {
			if lines[i].rules.Change() {
				err = lines[i].step(sent, p.Cycle)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, l := range lines[1:] {
		if name := l.Policy; !l.rules.Change() { // a recorder with such a policy sends requests as they come
			l.Outcome = lines[0].Outcome
			l.Policy = name
		}
	}
	return r.result(lines), nil
}

// begin reads what all policies share.
func begin(ctx context.Context, c *pact.Context, o Options) (*run, error) {
	r := &run{ctx: ctx, o: o, prices: cmp.Or(o.Prices, prices.BuiltIn()), parts: map[*tree.Node]*part{},
		texts: newTexts(), memory: manage.NewMemory(), meter: newMeter(), forms: map[canon.Value]inPlace{}, c: c}
	r.sent = request{run: r, there: map[string]bool{}}
	r.requests = record.NewRequests(c)
	r.rebuilt = record.SourceOf(c.Working()).Rebuilt()
	first, last := c.Info().First, c.Info().Cycle
	if last < first {
		unanswered, err := view.Unanswered(ctx, c)
		switch {
		case err != nil:
			return nil, err
		case unanswered != "":
			return nil, fault.New(fault.DocumentInvalid, "the context has no call to replay: the last one, "+unanswered,
				"record one that is answered; the request of the last one is in the working state")
		}
		return nil, fault.New(fault.DocumentInvalid, "the context has no call to replay", "commit one, or import a run")
	}
	attempts, err := c.Attempts(ctx, first, last)
	if err != nil {
		return nil, err
	}
	err = r.choose(attempts)
	r.sent.blocks = provider.Request{API: r.api, Model: r.model}
	return r, err
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
	memory   *manage.Memory
	api      provider.API
	parts    map[*tree.Node]*part
	texts    *texts
	meter    *meter
	forms    map[canon.Value]inPlace
	sent     request
	requests *record.Requests
	rebuilt  bool // no request was recorded: they are made of a log, which has no markers
	counted  bool // the provider counted the tokens of a call
	hour     bool // the run wrote to the cache for an hour
	at       time.Time
	read     cacheReads
	totals   view.Totals // of the calls that the walk has passed, as they were
}

// choose decides whose rules of caching and whose prices count.
func (r *run) choose(attempts []history.Attempt) error {
	for _, a := range attempts {
		r.model = cmp.Or(a.Model, r.model)
	}
	r.model = cmp.Or(r.o.Model, r.model, record.ModelOf(r.c.Working()))
	if r.o.Dialect != "" {
		if r.rules = provider.CacheRulesNamed(r.o.Dialect); r.rules == nil || r.rules.NoCache {
			return fault.At(fault.DocumentInvalid, fault.NoOffset, r.o.Dialect, "no rules of caching have this name",
				"take one of "+strings.Join(provider.CacheRulesNames(), ", "))
		}
	} else if r.rules = provider.CacheRulesNamed(record.DialectOf(attempts)); r.rules == nil || r.rules.NoCache {
		r.rules = provider.CacheRulesNamed(dialectOf(r.model))
	}
	for _, a := range attempts {
		told, err := record.ReportedCache(a)
		if err != nil {
			return err
		}
		r.counted = r.counted || a.TokenIn != nil
		r.hour = r.hour || told != nil && told.Written1h != nil && *told.Written1h > 0
	}
	if r.api = provider.APINamed(r.rules.Name); r.api == "" {
		r.api = provider.Chat
	}
	r.rates, r.priced = r.prices.Model(r.model)
	r.tariff = worth.Tariff{Rules: r.rules, Model: r.model}
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

// cacheReads is how many tokens the provider read from its cache by its own count and by the rules, in the calls that it
// counted.
type cacheReads struct{ told, computed, sent int64 }

// passedCall is a call of the run, and the one before.
type passedCall struct {
	*view.Step
	before, now *tree.Tree // the first nil for the first call
	new         view.Changes
	said        []need // by the new blocks
}

// walk passes over the calls of the run, oldest first.
func (r *run) walk(each func(p *passedCall) error) error {
	first, last := r.c.Info().First, r.c.Info().Cycle
	for s, err := range view.Walk(r.ctx, r.c, pact.Cycle(first), pact.Cycle(last), view.WalkOptions{Dialect: r.o.Dialect,
		Prices: r.prices, Snapshots: true}) {
		if err != nil {
			return err
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.totals.Add(s)
		p := &passedCall{Step: s, now: tree.Of(s.Now)}
		if s.Before != nil {
			p.before = tree.Of(s.Before)
		}
		if p.new, err = s.Changes(); err != nil {
			return err
		}
		if p.said, err = r.texts.needs(r, p); err != nil {
			return err
		}
		if err := each(p); err != nil {
			return err
		}
		if err := r.texts.add(r, p); err != nil {
			return err
		}
		if r.o.Progress != nil {
			r.o.Progress(r.totals.Calls, int(last-first)+1)
		}
	}
	return nil
}

// providerCounts returns what the provider counted of a call, nothing if it counted none.
func (p *passedCall) providerCounts() *inspect.ProviderCache {
	if p.Call == nil || p.Call.Provider == nil {
		return &inspect.ProviderCache{}
	}
	return p.Call.Provider
}

// asItWas begins the run as it was.
func (r *run) asItWas() *policyRun {
	return &policyRun{run: r, Outcome: Outcome{Policy: "none"}, cache: r.rules.NewCache()}
}

// replay sends a call of the run as it was.
func (l *policyRun) replay(p *passedCall) (*request, error) {
	r := l.run
	r.at = r.at.Add(time.Second) // without times no lifetime ends
	if p.Call != nil && p.Call.Started != "" {
		at, err := time.Parse(time.RFC3339Nano, p.Call.Started)
		if err != nil {
			return nil, err
		}
		r.at = at
	}
	sent, err := r.request(p)
	if err != nil {
		return nil, err
	}
	told := p.providerCounts()
	counted := l.send(sent.prompt(told.In), sent.tokens, Call{Cycle: p.Cycle})
	if told.In != nil && told.Read != nil {
		r.read.told, r.read.computed, r.read.sent = r.read.told+*told.Read, r.read.computed+counted.Read, r.read.sent+*told.In
	}
	return sent, nil
}

// recorded returns the request that was recorded of a call, nil if there is none.
func (r *run) recorded(p *passedCall) (*manage.Request, error) {
	if p.Call == nil || r.rebuilt {
		return nil, nil
	}
	body, err := r.requests.Of(r.ctx, p.Cycle, 0)
	switch code := fault.CodeOf(err); {
	case code == fault.AttemptNotFound || code == fault.Conflict: // or it was erased
		return nil, nil
	case err != nil:
		return nil, err
	}
	name := provider.APIOf(http.MethodPost, body.Path)
	q, ok := r.memory.Read(name, provider.ModelInPath(body.Path), bytes.Clone(body.Bytes), func(string, string) bool { return false })
	if !ok || name != r.api {
		return nil, nil
	}
	q.Of.Model = r.model
	return q, nil
}

// scale returns how many tokens the provider counts for one of the counter, at the current call.
func (r *run) scale() float64 { return r.meter.ratio }
