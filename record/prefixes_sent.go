package record

import (
	"errors"
	"net/http"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
	"github.com/contexttree/pact/internal/tree"
)

// reportSent reports on the request of a call: what it repeats, and what the provider should read by its rules. It
// returns the prompt, nil if the snapshot no longer restores it.
func (w *follower) reportSent(p *inspect.CallPrefix, of []history.Attempt, about canon.Any, k *storedRequest, committed bool) (*sent, error) {
	a := of[len(of)-1]
	s, err := w.snapshot(a.Cycle, committed)
	if err != nil {
		return nil, err
	}
	if a.Status == history.Completed {
		w.answers.note(a.Cycle, about)
	}
	if p.Broken, err = w.addBroken(s, of[:len(of)-1]); err != nil {
		return nil, err
	}
	now, request, err := w.prompt(s, a, k)
	if err != nil {
		if !errors.Is(err, fault.Conflict) {
			return nil, err
		}
		p.Problem, w.before = err.Error(), nil
		return nil, nil
	}
	p.Blocks = len(now.prompt.Blocks)
	if now.rules.Marked && !w.rebuilt {
		p.Markers = new(len(now.prompt.Marks))
	}
	if a.Status == history.Completed {
		p.Seen = w.answers.seen(request, about)
	} else { // the answer may have broken off before the report of a change
		p.Seen = w.answers.seen(request, canon.Any{})
	}
	if err := w.compare(p, now, k.Compacted); err != nil {
		return nil, err
	}
	switch {
	case now.rules.NoCache || w.rebuilt:
	case a.Status == history.Completed:
		w.expect(p, now, a)
	case answerBegan(about):
		w.cacheOf(now.rules).AddBroken(now.prompt, time.Unix(0, a.StartedNS), usageOf(p.Provider))
	}
	return now, nil
}

// reportRebuilt reports on a request that was rebuilt from a log: its snapshot has what it has, and nothing is beside it.
func (w *follower) reportRebuilt(p *inspect.CallPrefix, k *storedRequest, about canon.Any) error {
	p.Seen = w.answers.seen(&provider.Request{API: k.API}, about)
	if k.Erased {
		p.Problem, w.before = erased(p.Attempt).Error(), nil
		return nil
	}
	s, err := w.snapshot(p.Cycle, true)
	if err != nil {
		return err
	}
	now := &sent{rules: w.rulesOf(k), model: p.Model, thread: tree.Of(s)}
	p.Blocks, _ = now.thread.ThreadSize()
	return w.compare(p, now, k.Compacted)
}

// addBroken adds to the cache the requests of attempts before the last one of a cycle whose answers broke off, and
// returns how many these are.
func (w *follower) addBroken(s *pact.Snapshot, of []history.Attempt) (broken int, err error) {
	for i, a := range of {
		about, err := aboutOf(a)
		if err != nil {
			return 0, err
		}
		k, err := recordOf(of, i)
		if err != nil {
			return 0, err
		}
		if k == nil || !answerBegan(about) {
			continue
		}
		broken++
		sent, _, err := w.prompt(s, a, k)
		if errors.Is(err, fault.Conflict) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if !sent.rules.NoCache {
			w.cacheOf(sent.rules).AddBroken(sent.prompt, time.Unix(0, a.StartedNS), usageOf(reportedCache(a, about)))
		}
	}
	return broken, nil
}

// answerBegan reports whether the provider had begun to answer an attempt that failed: then
// it had read the request. A status from 400 on is a refusal.
func answerBegan(about canon.Any) bool {
	status := countOf(about, "http")
	return status != nil && *status < http.StatusBadRequest && countOf(about, "first_byte_ms") != nil
}

func (w *follower) rulesOf(k *storedRequest) *provider.CacheRules {
	if w.chosen != nil {
		return w.chosen
	}
	return provider.CacheRulesOf(k.API)
}

// prompt rebuilds the prompt that an attempt sent. E_CONFLICT if the snapshot does not restore it.
func (w *follower) prompt(s *pact.Snapshot, a history.Attempt, k *storedRequest) (*sent, *provider.Request, error) {
	request, err := w.request(s, a, k)
	if err != nil {
		return nil, nil, err
	}
	d := w.rulesOf(k)
	return &sent{d, a.Model, tree.Of(s), d.ReadNext(request, a.Model, w.hashes)}, request, nil
}

// request rebuilds the request of an attempt.
func (w *follower) request(s *pact.Snapshot, a history.Attempt, k *storedRequest) (*provider.Request, error) {
	b, said, err := body(w.ctx, s, a, k, &w.contents, w.records)
	if err != nil {
		return nil, err
	}
	if said.Kind == canon.KindAbsent {
		read, err := wire.Read(b.Bytes)
		if err != nil {
			return nil, err
		}
		said = read.Value
	}
	request, ok := provider.ReadRequest(k.API, said)
	if !ok {
		return nil, unrestored(s, a, nil)
	}
	return request, nil
}

// expect fills in how much the provider should read from its cache, and learns from what it read.
func (w *follower) expect(p *inspect.CallPrefix, now *sent, a history.Attempt) {
	cache := w.cacheOf(now.rules)
	f := cache.Call(now.prompt, time.Unix(0, a.StartedNS))
	p.Expected = &inspect.Expected{Blocks: f.Blocks, Tokens: f.Tokens, Unsure: f.Unsure, Lapsed: f.Lapsed,
		LeastTokens: now.rules.LeastTokens(now.prompt.Model)}
	if f.Unsure || f.Lapsed > 0 {
		p.Expected.IdleSeconds = int64(f.Idle / time.Second)
	}
	cache.Answered(usageOf(p.Provider))
}

func (w *follower) cacheOf(d *provider.CacheRules) *provider.Cache {
	if w.caches[d] == nil {
		w.caches[d] = d.NewCache()
	}
	return w.caches[d]
}
