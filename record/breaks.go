package record

import (
	"slices"
	"sort"
	"time"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
)

// A break of the cache is over these, so that rounding by the provider is none.
const (
	leastBroken = 1024 // tokens, where the shortest prefix that the provider caches is not known
	partBroken  = 20   // a twentieth of what the call could have read
)

// cacheRemainders follow what the calls of one context left in the cache of their provider, as it counted them. A
// context is one line of calls: sub-agents, parallel conversations and questions aside have contexts of their own.
type cacheRemainders struct {
	of     map[string]*cacheRemainder // by model
	latest *cacheRemainder            // of these
	calls  int                        // how many there were
	cuts   []cutSince                 // of the calls behind the oldest leftover
	begins time.Time                  // when its answer began
}

// cacheRemainder is what a call left in the cache.
type cacheRemainder struct {
	cycle           int64
	model, provider string
	tokens          int64
	evidence        inspect.Evidence
	used            time.Time // when a call of the model was last sent
	life            provider.Lifetime
}

// cutSince is the change of a request.
type cutSince struct {
	cycle int64
	cut   *inspect.Cut
	kept  float64 // the part of the request before that it repeats
}

// judge says what the provider should have had in its cache for a call, and why it read clearly less. Then it
// notes what the call left there.
// compacted says that the log has a compaction before the call: that is what changed, although all that the log has of
// the request before may stand there.
func (w *follower) judge(p *inspect.CallPrefix, a history.Attempt, rules *provider.CacheRules, now *sent, compacted bool) {
	l := &w.left
	if p.Cut != nil {
		l.cuts = append(l.cuts, cutSince{p.Cycle, p.Cut, sharedBytes(p.Shared)})
	} else if compacted {
		l.cuts = append(l.cuts, cutSince{p.Cycle, &inspect.Cut{Cause: string(provider.CauseCompaction)}, 0})
	}
	at := timeOf(a.StartedNS)
	u := p.Provider
	if before := l.before(p.Model, at); before != nil && u != nil && u.Read != nil {
		p.Left = &before.tokens
		could := before.tokens
		if u.In != nil {
			could = min(could, *u.In)
		}
		least := rules.LeastTokens(p.Model)
		if least == 0 {
			least = leastBroken
		}
		if again := could - *u.Read; again >= least && again*partBroken >= could {
			p.CacheBreak = &inspect.CacheBreak{Evidence: before.evidence, Since: before.cycle, Left: before.tokens, Read: *u.Read,
				Again: again}
			p.CacheBreak.Cause = l.cause(p, before, a.Provider, at)
		}
	}
	word := ""
	if now != nil {
		word = now.prompt.Word()
	}
	if l.latest == nil && l.calls == 0 {
		p.Left = new(int64) // no call of this context before
	}
	l.calls++
	l.note(p, a, rules, word)
	l.begins = at
	if wait := p.FirstByte; wait != nil && !at.IsZero() {
		l.begins = at.Add(time.Duration(*wait) * time.Millisecond)
	}
}

// sharedBytes returns the part of a request that the next one repeats.
func sharedBytes(s *inspect.CallShared) float64 {
	if s == nil || s.OfBytes == 0 {
		return 0
	}
	return float64(s.Bytes) / float64(s.OfBytes)
}

// timeOf returns a time, zero where the clock counted from 0.
func timeOf(ns int64) time.Time {
	if ns < int64(24*time.Hour) {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// before returns what a call of a model at a time is measured by: what the last call of the model left, if its
// lifetime has not run out, else what the last call left.
func (l *cacheRemainders) before(model string, at time.Time) *cacheRemainder {
	if of := l.of[undated(model)]; of != nil && !of.lapsed(at) {
		return of
	}
	return l.latest
}

// lapsed reports whether nobody used a leftover for longer than the provider promises to keep it.
func (of *cacheRemainder) lapsed(at time.Time) bool {
	return !at.IsZero() && !of.used.IsZero() && of.life.Sure > 0 && at.Sub(of.used) > of.life.Sure
}

// undated returns the name of a model without the date of its version.
func undated(model string) string {
	for _, form := range []string{"-20060102", "-2006-01-02"} {
		if n := len(model) - len(form); n > 0 {
			if _, err := time.Parse(form, model[n:]); err == nil {
				return model[:n]
			}
		}
	}
	return model
}

// cause says why a call read less than a leftover.
func (l *cacheRemainders) cause(p *inspect.CallPrefix, of *cacheRemainder, host string, at time.Time) inspect.BreakCause {
	seen := func(kind string, names ...string) inspect.BreakCause {
		return inspect.BreakCause{Kind: kind, Evidence: inspect.SeenInBytes, Names: names}
	}
	switch {
	case undated(of.model) != undated(p.Model):
		return seen("model", of.model, p.Model)
	case of.provider != host:
		return seen("provider", of.provider, host)
	case of.lapsed(at):
		return inspect.BreakCause{Kind: "idle", Evidence: inspect.Computed, IdleSeconds: int64(at.Sub(of.used) / time.Second),
			LifeSeconds: int64(of.life.Sure / time.Second)}
	}
	var best *cutSince
	explained := int64(0)
	since := l.cutsAfter(of.cycle)
	for i := range since {
		c := &since[i]
		if c.cut.Cause == string(provider.CauseModel) {
			continue
		}
		lost := of.tokens - int64(float64(of.tokens)*c.kept)
		if c.cycle == p.Cycle && p.Expected != nil && (p.Expected.Blocks == 0 || p.Expected.Tokens != nil) {
			lost = of.tokens
			if p.Expected.Tokens != nil {
				lost -= *p.Expected.Tokens
			}
		}
		if c.cut.Cause == string(provider.CauseCompaction) {
			lost = of.tokens
		}
		if best == nil || lost > explained {
			best, explained = c, lost
		}
	}
	if best != nil && 2*explained >= p.CacheBreak.Again {
		cause := seen(best.cut.Cause)
		cause.Cut = best.cut
		if best.cycle != p.Cycle {
			cause.Cycle = best.cycle
		}
		switch {
		case cause.Kind == string(provider.CauseThinking):
			cause.Evidence = inspect.Computed // the request still has it
		case cause.Kind == string(provider.CauseParameters) && slices.Contains(best.cut.Names, "prompt_cache_key"):
			cause.Kind = "key"
		}
		return cause
	}
	switch {
	case p.Provider.Reason != "":
		return inspect.BreakCause{Kind: "reason", Evidence: inspect.Counted, Names: []string{p.Provider.Reason}}
	case !at.IsZero() && at.Before(l.begins):
		return inspect.BreakCause{Kind: "parallel", Evidence: inspect.Computed}
	}
	return inspect.BreakCause{Kind: "unknown", Evidence: inspect.NotKnown}
}

// note notes what a call left in the cache.
func (l *cacheRemainders) note(p *inspect.CallPrefix, a history.Attempt, rules *provider.CacheRules, word string) {
	at, name := timeOf(a.StartedNS), undated(p.Model)
	of := l.of[name]
	tokens, evidence, known := cachedAfter(p, rules)
	if !known {
		if of != nil && !of.lapsed(at) {
			again := *of // whatever it read is used again
			if again.used = at; l.latest == of {
				l.latest = &again
			}
			l.of[name] = &again
		}
		return
	}
	if l.of == nil {
		l.of = map[string]*cacheRemainder{}
	}
	if word == "" && rules.Marked {
		word = lifeOf(p.Provider)
	}
	next := &cacheRemainder{cycle: p.Cycle, model: p.Model, provider: a.Provider, tokens: tokens, evidence: evidence, used: at,
		life: rules.LifetimeOf(p.Model, word)}
	if rules.Marked && of != nil && orZero(p.Provider.Written) == 0 {
		next.life = of.life // it only read
	}
	l.of[name], l.latest = next, next
	oldest := next.cycle
	for _, of := range l.of {
		oldest = min(oldest, of.cycle)
	}
	l.cuts = l.cutsAfter(oldest)
}

// cutsAfter returns the cuts behind a cycle: they are in the order of their cycles.
func (l *cacheRemainders) cutsAfter(cycle int64) []cutSince {
	return l.cuts[sort.Search(len(l.cuts), func(i int) bool { return l.cuts[i].cycle > cycle }):]
}

// cachedAfter returns how many tokens of a call are in the cache afterwards. Where the provider counts no writes, its
// rules say that it caches all of a request that is long enough; of a provider without such rules only what it read
// is known to be there.
func cachedAfter(p *inspect.CallPrefix, rules *provider.CacheRules) (tokens int64, by inspect.Evidence, known bool) {
	u := p.Provider
	switch {
	case u == nil || u.Read == nil:
		return 0, "", false
	case u.Written != nil && (rules.Marked || *u.Written > 0):
		return *u.Read + *u.Written, inspect.Counted, true
	case rules.Step > 1 && u.In != nil && rules.LeastTokens(p.Model) > 0 && *u.In >= rules.LeastTokens(p.Model):
		if whole := *u.In - *u.In%rules.Step; whole > *u.Read {
			return whole, inspect.Computed, true
		}
	}
	return *u.Read, inspect.Counted, true
}

// lifeOf returns the word for the shortest lifetime of what a call wrote, as a marker has it.
func lifeOf(u *inspect.ProviderCache) string {
	if u.Written1h != nil && *u.Written1h > 0 && *u.Written1h >= orZero(u.Written) {
		return "1h"
	}
	return "5m"
}
