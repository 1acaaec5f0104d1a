package record

import (
	"context"
	"errors"
	"iter"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/dialect"
	"github.com/contexttree/pact/internal/wire"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Dialects returns the names of the dialects, and for each the addresses of the
// pages that document it.
func Dialects() (names []string, sources map[string][]string) {
	sources = map[string][]string{}
	for _, d := range dialect.All() {
		names = append(names, d.Name)
		sources[d.Name] = d.Sources
	}
	return names, sources
}

// Prefixes reports on each recorded call of a context, oldest first: what it
// repeats of the previous call by the rules of a dialect, what ends that
// prefix, how much the provider should read from its cache, and how much it
// says it read. dialectName is one of [Dialects]; "" picks the dialect of the
// API that the call used. If a cycle has several recorded attempts, the last
// one counts. The sequence ends at the first error: E_DOCUMENT_INVALID if no
// dialect has that name. Cost: it parses the content of each block once, and
// writes the body of each call to compare its SHA-256 with the recorded one. It
// also parses bodies that attempts keep raw or with spellings of their own.
func Prefixes(ctx context.Context, c *pact.Context, dialectName string) iter.Seq2[inspect.CallPrefix, error] {
	return func(yield func(inspect.CallPrefix, error) bool) {
		w := newFollower()
		w.begin(ctx, c)
		if dialectName != "" {
			if w.chosen = dialect.Named(dialectName); w.chosen == nil {
				names, _ := Dialects()
				yield(inspect.CallPrefix{}, fault.At(fault.DocumentInvalid, fault.NoOffset, dialectName,
					"no dialect has the name \""+dialectName+"\"", "take one of "+joined(names)))
				return
			}
		}
		first, last := c.Cycles()
		attempts, err := c.Attempts(ctx, first, last+1)
		if err != nil {
			yield(inspect.CallPrefix{}, err)
			return
		}
		if err := w.walk(attempts, last, func(p inspect.CallPrefix) bool { return yield(p, nil) }); err != nil {
			yield(inspect.CallPrefix{}, err)
		}
	}
}

// walk reports on the calls of some attempts, until yield returns false. last is the latest
// committed cycle.
func (w *follower) walk(attempts []store.Attempt, last int64, yield func(inspect.CallPrefix) bool) error {
	defer w.passing.end()
	for len(attempts) > 0 {
		cycle, n := attempts[0].Cycle, 1
		for n < len(attempts) && attempts[n].Cycle == cycle {
			n++
		}
		a, k, err := lastSent(attempts[:n])
		if err != nil {
			return err
		}
		attempts = attempts[n:]
		if k == nil {
			continue
		}
		p, err := w.call(a, k, cycle <= last)
		if err != nil {
			return err
		}
		if !yield(p) {
			return nil
		}
	}
	return nil
}

// lastSent returns the last attempt of a cycle whose request was recorded and
// what it keeps, nil if there is none.
func lastSent(attempts []store.Attempt) (store.Attempt, *kept, error) {
	for i := len(attempts) - 1; i >= 0; i-- {
		if k, err := keptOf(attempts, i); k != nil || err != nil {
			return attempts[i], k, err
		}
	}
	return store.Attempt{}, nil, nil
}

func joined(names []string) string {
	text := names[0]
	for _, name := range names[1:] {
		text += ", " + name
	}
	return text
}

// follower walks through the calls of a context.
type follower struct {
	ctx      context.Context
	c        *pact.Context
	chosen   *dialect.Dialect // nil: each call uses the dialect of its API
	answers  *answers
	contents contents       // of the blocks that it has passed
	hashes   dialect.Hashes // of the parts that it has passed
	caches   map[*dialect.Dialect]*dialect.Cache
	before   *sent // the previous call, nil if there is none to compare with
	passing  passing
}

func newFollower() *follower {
	return &follower{answers: newAnswers(), caches: map[*dialect.Dialect]*dialect.Cache{}}
}

// sent is a call that the follower has passed.
type sent struct {
	dialect *dialect.Dialect
	prompt  *dialect.Prompt
	thread  *tree.Tree
}

func (w *follower) at(cycle int64, committed bool) (*pact.Snapshot, error) {
	if !committed {
		return w.c.Working(), nil
	}
	return w.passing.at(w.ctx, w.c, cycle)
}

// call reports on one call. committed says whether its cycle is committed.
func (w *follower) call(a store.Attempt, k *kept, committed bool) (p inspect.CallPrefix, err error) {
	defer tree.Recover(&err)
	p = inspect.CallPrefix{Cycle: a.Cycle, Attempt: a.ID, Started: tree.ISO(a.StartedNS), Model: a.Model}
	s, err := w.at(a.Cycle, committed)
	if err != nil {
		return p, err
	}
	if err := w.answers.take(s); err != nil {
		return p, err
	}
	if committed {
		_, last := w.c.Cycles()
		next, err := w.at(a.Cycle+1, a.Cycle < last)
		if err != nil {
			return p, err
		}
		if err := w.answers.take(next); err != nil {
			return p, err
		}
	}
	if err := w.answers.takeKept(a); err != nil {
		return p, err
	}
	d := w.chosen
	if d == nil {
		d = dialect.Of(k.API)
	}
	p.Dialect = d.Name
	request, text, err := w.request(s, a, k)
	if err != nil {
		if !errors.Is(err, fault.Conflict) {
			return p, err
		}
		p.Problem, w.before = err.Error(), nil
		return p, nil
	}
	now := &sent{d, d.ReadNext(request, a.Model, text, w.hashes), s.Tree()}
	p.Blocks = len(now.prompt.Blocks)
	about := w.answers.about[a.ID]
	p.Seen = w.answers.seen(request, about)
	if w.before != nil && w.before.dialect == d {
		w.compare(&p, now)
	}
	w.before = now
	if !d.AsSent && a.Status == store.Completed {
		w.expect(&p, now, a, about)
	}
	return p, nil
}

// request rebuilds the request of an attempt.
func (w *follower) request(s *pact.Snapshot, a store.Attempt, k *kept) (*api.Request, []byte, error) {
	b, said, err := body(w.ctx, s, a, k, w.contents)
	if err != nil {
		return nil, nil, err
	}
	if said.Kind == canon.KindAbsent {
		read, err := wire.Read(b.Bytes)
		if err != nil {
			return nil, nil, err
		}
		said = read.Value
	}
	request, ok := api.Read(k.API, said)
	if !ok {
		return nil, nil, changed(nil)
	}
	return request, b.Bytes, nil
}

// compare fills in what a call repeats of the previous one.
func (w *follower) compare(p *inspect.CallPrefix, now *sent) {
	shared := now.dialect.Compare(w.before.prompt, now.prompt)
	p.Shared = &inspect.CallShared{Blocks: shared.Blocks, OfBlocks: shared.Of, Bytes: shared.Bytes,
		OfBytes: shared.OfBytes}
	if shared.OfBytes == 0 {
		_, p.Shared.Bytes = now.thread.ThreadPrefix(shared.Blocks)
		_, p.Shared.OfBytes = w.before.thread.ThreadSize()
	}
	p.Attribution = shared.ApartChanged
	if shared.Complete {
		return
	}
	p.Cut = &inspect.Cut{Cause: string(shared.Cause), Names: shared.Names, Reasoning: shared.Reasoning}
	if shared.Cause != dialect.Model && shared.Cause != dialect.Parameters {
		if n, _ := w.before.thread.BlockAt(shared.Blocks); n != nil {
			p.Cut.Node = n.ID
		} else if n, _ := now.thread.BlockAt(shared.Blocks); n != nil {
			p.Cut.Node = n.ID
		}
	}
}

// expect fills in what the provider should read from its cache, and compares it
// with what the provider reported.
func (w *follower) expect(p *inspect.CallPrefix, now *sent, a store.Attempt, about canon.Any) {
	cache := w.caches[now.dialect]
	if cache == nil {
		cache = now.dialect.NewCache()
		w.caches[now.dialect] = cache
	}
	f := cache.Call(now.prompt, time.Unix(0, a.StartedNS))
	p.Expected = &inspect.Expected{Blocks: f.Blocks, Tokens: f.Tokens, Unsure: f.Unsure, Lapsed: f.Lapsed,
		LeastTokens: now.dialect.LeastTokens(now.prompt.Model)}
	if f.Unsure || f.Lapsed > 0 {
		p.Expected.IdleSeconds = int64(f.Idle / time.Second)
	}
	p.Provider = &inspect.ProviderCache{In: a.TokenIn, Out: a.TokenOut, Read: countOf(about, "cached"),
		Written: countOf(about, "written"), Written1h: countOf(about, "written_1h"), Reason: reasonOf(about)}
	p.Agreement = string(cache.Answered(dialect.Usage{In: a.TokenIn, Read: p.Provider.Read, Written: p.Provider.Written}))
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
