package record

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// DialectOf returns the dialect of the API that the last of some attempts called, "" if none has a
// request.
func DialectOf(attempts []history.Attempt) string {
	for i := len(attempts) - 1; i >= 0; i-- {
		if k, err := recordOf(attempts, i); err == nil && k != nil {
			return provider.CacheRulesOf(k.API).Name
		}
	}
	return ""
}

// Prefixes reports on each recorded call of the cycles from one to another, oldest first: what it repeats of the previous
// call by the rules of a provider, what ends that prefix, how much the provider should read from its cache, and how much it
// says it read, what the calls before had left there, and what that cost by a list of prices, which may be nil. dialect is
// openai, responses, anthropic, gemini or other; "" picks the rules of the API that the call used. Of a call that a
// program recorded without its request, only the counts are known. What a call is not reported on counts nevertheless.
// If a cycle has several recorded attempts, the last one counts. The sequence ends at the first error:
// E_DOCUMENT_INVALID if no rules have that name. Cost: where requests were rebuilt from a log and compared by the rules of
// their API, what is new in these calls and in those since the last one before them that wrote to the cache of its model.
// Else, because what a call reads may be in the cache since any call, that of all calls up to the last one: it parses the
// content of each block once, writes the body of each call to compare its SHA-256 with the recorded one, and parses bodies
// that attempts keep raw or with spellings of their own.
func Prefixes(ctx context.Context, c *pact.Context, from, to int64, dialect string,
	prices *Prices) iter.Seq2[inspect.CallPrefix, error] {
	return func(yield func(inspect.CallPrefix, error) bool) {
		w, next := newFollower(), from // the report that comes next has this cycle or a later one
		w.prices = prices
		w.begin(ctx, c)
		if dialect != "" {
			if w.chosen = provider.CacheRulesNamed(dialect); w.chosen == nil {
				yield(inspect.CallPrefix{}, fault.At(fault.DocumentInvalid, fault.NoOffset, dialect,
					"no dialect has the name \""+dialect+"\"", "take one of "+strings.Join(provider.CacheRulesNames(), ", ")))
				return
			}
		}
		first, last := c.Info().First, c.Info().Cycle
		walk := func(begin int64) error {
			attempts, err := c.Attempts(ctx, begin, to)
			if err != nil {
				return err
			}
			w.late = begin > first
			return w.walk(attempts, last, func(p inspect.CallPrefix) bool {
				if p.Cycle < next {
					return true
				}
				next = p.Cycle + 1
				return yield(p, nil)
			})
		}
		begin, err := w.beginning(first, last, from, to)
		if err == nil {
			err = walk(begin)
		}
		if errors.Is(err, errBeginsLate) {
			w.left, w.before = cacheRemainders{}, nil
			err = walk(first)
		}
		if err != nil {
			yield(inspect.CallPrefix{}, err)
		}
	}
}

// walk reports on the calls of some attempts, until yield returns false. last is the latest
// committed cycle.
func (w *follower) walk(attempts []history.Attempt, last int64, yield func(inspect.CallPrefix) bool) error {
	defer w.snapshots.end()
	for len(attempts) > 0 {
		cycle, n := attempts[0].Cycle, ofFirst(attempts)
		of, failed := attempts[:n], 0
		for i := range of {
			if of[i].Status == history.Failed {
				failed++
			}
		}
		if i := slices.IndexFunc(of, func(a history.Attempt) bool { return a.ID == w.asked }); i >= 0 {
			of = of[:i+1]
		}
		of, k, err := w.upToLastSent(of, cycle <= last)
		if err != nil {
			return err
		}
		attempts = attempts[n:]
		p, err := w.call(of, k, cycle <= last)
		if err != nil {
			return err
		}
		if p.Attempts, p.Failed = n, failed; !yield(p) {
			return nil
		}
	}
	return nil
}

// ofFirst returns how many attempts at the beginning of a list are those of one cycle.
func ofFirst(attempts []history.Attempt) int {
	n := slices.IndexFunc(attempts, func(a history.Attempt) bool { return a.Cycle != attempts[0].Cycle })
	if n < 0 {
		return len(attempts)
	}
	return n
}

// upToLastSent returns the attempts of a cycle up to the last one whose request was
// recorded, and what that one keeps; all of them and nil if there is none.
func (w *follower) upToLastSent(attempts []history.Attempt, committed bool) ([]history.Attempt, *storedRequest, error) {
	if n := len(attempts) - 1; w.bySnapshots(committed) && attempts[n].Request != "" {
		if k, err := beforeFrame(attempts[n].Request); err != nil || k.API != "" {
			return attempts, k, err
		}
	}
	for i := len(attempts) - 1; i >= 0; i-- {
		if k, err := recordOf(attempts, i); k.hasRequest() || err != nil {
			return attempts[:i+1], k, err
		}
	}
	return attempts, nil, nil
}

// follower walks through the calls of a context.
type follower struct {
	ctx       context.Context
	c         *pact.Context
	chosen    *provider.CacheRules // nil: each call uses the dialect of its API
	asked     string               // the attempt to report on although others followed in its cycle, "" for none
	answers   answerCycles
	contents  contents        // of the blocks that it has passed
	records   *records        // of the requests that it has passed
	hashes    provider.Hashes // of the parts that it has passed
	caches    map[*provider.CacheRules]*provider.Cache
	before    *sent // the previous call, nil if there is none to compare with
	snapshots snapshotReader
	left      cacheRemainders
	prices    *Prices
	rebuilt   bool // the requests have no markers, because the log does not have them
	late      bool // the walk does not begin with the first call
}

func newFollower() *follower {
	return &follower{answers: answerCycles{}, caches: map[*provider.CacheRules]*provider.Cache{}}
}

func (w *follower) snapshot(cycle int64, committed bool) (*pact.Snapshot, error) {
	if !committed {
		return w.c.Working(), nil
	}
	return w.snapshots.read(w.ctx, w.c, cycle)
}

// bySnapshots reports whether calls are compared by their snapshots alone: their requests were rebuilt, and nobody
// asked for other rules. A committed snapshot never changes, so no record of a request has to confirm it.
func (w *follower) bySnapshots(committed bool) bool { return w.rebuilt && w.chosen == nil && committed }

// call reports on the last of some attempts of a cycle; k is the kept part of its request, nil if it keeps none.
// committed says whether the cycle is committed.
func (w *follower) call(of []history.Attempt, k *storedRequest, committed bool) (p inspect.CallPrefix, err error) {
	a := of[len(of)-1]
	p = inspect.CallPrefix{Cycle: a.Cycle, Attempt: a.ID, Model: a.Model}
	grows := k != nil && len(k.Frame) == 0 && w.bySnapshots(committed)
	about, err := canon.Any{}, error(nil)
	if grows {
		about, err = aboutIn(k)
	} else { // k may be that of an earlier attempt with the same request
		about, err = aboutOf(a)
	}
	if err != nil {
		return p, err
	}
	p.Provider, p.FirstByte = reportedCache(a, about), countOf(about, "first_byte_ms")
	if status := countOf(about, "http"); a.Status == history.Failed && status != nil {
		p.Refused = *status >= 400 && *status < 500
	}
	if !timeOf(a.StartedNS).IsZero() {
		p.Started = tree.ISO(a.StartedNS)
	}
	if !timeOf(a.StartedNS).IsZero() && a.Status != history.Running && a.EndedNS > a.StartedNS {
		took := time.Duration(a.EndedNS - a.StartedNS).Round(time.Millisecond).Milliseconds()
		p.Took = &took
	}
	if p.Earlier, err = earlierOf(of[:len(of)-1]); err != nil {
		return p, err
	}
	rules := provider.CacheRulesNamed("other")
	var now *sent
	if k != nil {
		rules = provider.CacheRulesOf(k.API) // also where --dialect compares by others
		p.Dialect = w.rulesOf(k).Name
		took := a.Status == history.Completed || answerBegan(about)
		if m := k.Managed; m != nil && !m.Would && (took || !strings.HasPrefix(m.Why, refusedBecause)) {
			p.ManagingEnded = m.Why
		}
		if p.Compacted = k.Compacted; k.Managed != nil && !k.Managed.Would {
			p.TakenOut = k.Managed.Cut
		}
		if grows {
			if a.Status == history.Completed {
				w.answers.note(a.Cycle, about)
			}
			if err := w.reportRebuilt(&p, k, about); err != nil {
				return inspect.CallPrefix{}, err
			}
		} else if w.late {
			return inspect.CallPrefix{}, errBeginsLate
		} else if now, err = w.reportSent(&p, of, about, k, committed); err != nil {
			return inspect.CallPrefix{}, err
		}
	}
	w.judge(&p, a, rules, now, k != nil && k.Compacted)
	price, _ := w.prices.Model(p.Model)
	p.Cost, p.Window = w.prices.Cost(&p), price.Window
	return p, nil
}

// earlierOf returns what the provider counted of attempts.
func earlierOf(of []history.Attempt) (list []inspect.ProviderCache, err error) {
	for _, a := range of {
		told, err := ReportedCache(a)
		if err != nil {
			return nil, err
		}
		if told != nil && *told != (inspect.ProviderCache{}) {
			list = append(list, *told)
		}
	}
	return list, nil
}

// ReportedCache returns the report of the provider about its cache in the answer to an attempt, nil if it reported
// no tokens. E_DOCUMENT_INVALID if the record cannot be read.
func ReportedCache(a history.Attempt) (*inspect.ProviderCache, error) {
	about, err := aboutOf(a)
	return reportedCache(a, about), err
}

// reportedCache is ReportedCache for an attempt whose report was read.
func reportedCache(a history.Attempt, about canon.Any) *inspect.ProviderCache {
	told := &inspect.ProviderCache{In: a.TokenIn, Out: a.TokenOut, Read: countOf(about, "cached"),
		Written: countOf(about, "written"), Written1h: countOf(about, "written_1h"), Reason: reasonOf(about), Terms: memberText(about, "terms")}
	if *told == (inspect.ProviderCache{}) && a.Status != history.Completed {
		return nil
	}
	return told
}

func usageOf(u *inspect.ProviderCache) provider.Usage {
	if u == nil {
		return provider.Usage{}
	}
	return provider.Usage{In: u.In, Cached: u.Read, Written: u.Written}
}

func countOf(about canon.Any, name string) *int64 {
	v, _ := about.Get(name)
	if n, ok := v.Value().Int64(); ok {
		return &n
	}
	return nil
}

// reasonOf returns the provider's reason for reading less than it could:
// Anthropic's type or OpenAI's reason.
func reasonOf(about canon.Any) string {
	miss, _ := about.Get("cache_miss")
	if reason := memberText(miss, "reason"); reason != "" {
		return reason
	}
	return memberText(miss, "type")
}
