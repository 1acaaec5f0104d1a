package manage

import (
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
)

// Price is what a model charges.
type Price struct {
	Paid func(u *inspect.ProviderCache) float64 // for a call
	Read func(tokens int64) float64             // for reading tokens from the cache
}

// Ledger adds up the cost of requests, as the agent asked for them and as they were sent. It knows the caches of the
// providers from their documents, and learns from answers how they count tokens. It is safe for concurrent use.
type Ledger struct {
	price func(model string) (Price, bool) // false if the model has no price
	vary  float64                          // estimates of tokens are multiplied with it

	mu      sync.Mutex
	caches  map[provider.API]*caches
	counts  map[string]*Counting  // by model
	seen    map[hash]*worth.Spent // what conversations cost, by their first parts and their calls
	total   Total
	lastUse time.Time // when the last request before the first of the ledger was sent, zero if that is not known
}

// Total is what requests cost as they were sent, and what they would have cost as the agent asked for them. Both are
// computed, with the tokens that the provider counted so far. The second lacks calls that repeat what had been taken.
type Total struct {
	Calls, Again int64      // calls, and of these those that carry only such repetitions
	Sent, Asked  worth.Call // tokens of the input; money nil if a model has no price
	NoMarker     int64      // calls that mark nothing for the cache of a provider that caches what is marked
	Unpriced     string     // the last model without a price
}

// caches are two caches of a provider: as it would be after the requests that the agent asked for, and as it is.
type caches struct{ asked, sent *provider.Cache }

// mostLedgered bounds how many calls a ledger remembers the caches of, mostCounted of how many parts the tokens.
const mostLedgered, mostCounted = 1 << 14, 1 << 17

// NewLedger returns a ledger that knows no call.
func NewLedger(price func(model string) (Price, bool)) *Ledger {
	return &Ledger{price: price, vary: 1, caches: map[provider.API]*caches{}, counts: map[string]*Counting{},
		seen: map[hash]*worth.Spent{}}
}

// Vary has the ledger estimate so many times as many tokens of what no provider counted yet.
func (l *Ledger) Vary(by float64) { l.vary = by }

// Begins tells the ledger when the last request before its first one was sent.
func (l *Ledger) Begins(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastUse = at
}

// Total returns what was spent so far.
func (l *Ledger) Total() Total {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// summed is the state of a request in the ledger.
type summed struct {
	at     time.Time
	tariff worth.Tariff
	counts *Counting
	asked  *form
	sent   bool // the ledger added the request as it is sent
	on     *caches
	spent  *worth.Spent // by the conversation
}

// Begin adds a request as it was asked for.
func (l *Ledger) Begin(q *Request, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rules := provider.CacheRulesOf(q.API)
	if l.total.Calls++; l.total.Calls%mostLedgered == 0 {
		clear(l.caches)
		clear(l.seen)
	}
	on := l.caches[q.API]
	if on == nil {
		on = &caches{rules.NewCache(), rules.NewCache()}
		l.caches[q.API] = on
	}
	s := &summed{at: at, on: on, counts: l.counts[q.Of.Model]}
	if s.counts == nil {
		s.counts = NewCounting(Each)
		s.counts.vary = l.vary
		l.counts[q.Of.Model] = s.counts
	}
	if q.sum != nil {
		q.derived = &derivedState{}
	}
	q.sum, q.made = s, nil
	s.tariff = worth.Tariff{Rules: rules, Model: q.Of.Model}
	if price, known := l.price(q.Of.Model); known {
		s.tariff.Money, s.tariff.Read = price.Paid, price.Read
	} else {
		l.total.Unpriced = q.Of.Model
	}
	s.asked = &q.derived.asked
	formOf(q, s, asAlone, s.asked)
	if rules.Marked && len(s.asked.prompt.Marks) == 0 {
		l.total.NoMarker++
	}
	l.takeUp(q)
	s.spent.Calls++
	if q.onlyRepeats() {
		l.total.Again++
		return
	}
	call := s.call(s.asked, on.asked.Call(&s.asked.prompt, at))
	l.total.Asked.Add(call)
	if call.Money != nil {
		s.spent.Without += *call.Money
	}
}

// onlyRepeats reports whether the newest answer did nothing but ask again for what had been taken: as the agent asked
// for it, the call would not have been made.
func (q *Request) onlyRepeats() bool {
	calls := false
	for i := len(q.Parts) - 1; i >= 0; i-- {
		p := &q.Parts[i]
		if p.answers() && p.Kind == "call" {
			if !p.again {
				return false
			}
			calls = true
		} else if calls && !p.answers() {
			break
		}
	}
	return calls
}

// call returns the tokens of a request of which the provider has a part in its cache: the provider counted that
// part before, and the rest is an estimate.
func (s *summed) call(f *form, cached provider.Forecast) worth.Call {
	read := f.first[cached.Blocks]
	if cached.Tokens != nil {
		read = float64(*cached.Tokens)
	}
	upTo := func(n int) float64 { return read + f.first[n] - f.first[cached.Blocks] }
	return s.tariff.Call(int64(upTo(len(f.parts))+0.5), int64(read+0.5), s.tariff.EndsOf(&f.prompt, upTo))
}

// forecast returns what a form of a request counts if it is sent now.
func (s *summed) forecast(f *form) worth.Call { return s.call(f, s.on.sent.Forecast(&f.prompt, s.at)) }

// takeUp finds what a conversation has cost, and fills the caches with the requests that another recorder, or this one
// long ago, presumably sent: with all of a conversation that the ledger does not know, up to its last answer. It knows
// a conversation by its beginning and, once the agent wrote that anew, by its calls.
func (l *Ledger) takeUp(q *Request) {
	s, begin := q.sum, -1
	for i := 0; i < len(q.Parts) && s.spent == nil; i++ {
		p := &q.Parts[i]
		if p.Section != provider.Conversation {
			continue
		}
		if begin < 0 {
			begin = i
		}
		if i == begin || p.Kind == "call" && p.Call != "" {
			s.spent = l.seen[p.hash]
		}
	}
	known := s.spent != nil
	if !known {
		s.spent = &worth.Spent{}
	}
	for i := len(q.Parts) - 1; i >= 0; i-- { // up to the newest call that is known
		if p := &q.Parts[i]; i != begin && p.Kind == "call" && p.Call != "" {
			if l.seen[p.hash] == s.spent {
				break
			}
			l.seen[p.hash] = s.spent
		}
	}
	if begin >= 0 {
		l.seen[q.Parts[begin].hash] = s.spent
	}
	if known {
		return
	}
	s.spent.Without = q.worstCost() // the other made sure that it had saved so much
	end := len(q.Parts) - 1
	for end > 0 && !(q.Parts[end].Section == provider.Conversation && q.Parts[end].answers()) {
		end--
	}
	before := q.upTo(max(end, 0))
	if before == nil {
		return
	}
	at := s.at
	if !l.lastUse.IsZero() {
		at = l.lastUse
	}
	asked, sent := &form{}, &form{}
	formOf(before, s, asAlone, asked)
	formOf(before, s, asSent, sent)
	s.on.asked.Call(&asked.prompt, at)
	s.on.sent.Call(&sent.prompt, at)
}

// upTo returns the parts of a request before one, with a cache marker at the end if the request has any. It
// returns nil for no parts, and without a marker where the provider needs one.
func (q *Request) upTo(end int) *Request {
	if end == 0 {
		return nil
	}
	marker, marked := canon.Any{}, q.Of.Marked
	if n := len(marked); n > 0 {
		marker = q.Of.Parts[marked[n-1]].Marker
	}
	if _, whole := q.Of.Parameters.Get("cache_control"); provider.CacheRulesOf(q.API).Marked && !whole &&
		marker.Kind == canon.KindAbsent {
		return nil
	}
	before, of := *q, *q.Of
	of.Parts, of.Marked = slices.Clone(q.Of.Parts[:end]), slices.Clone(marked[:sort.SearchInts(marked, end-1)])
	if of.Parts[end-1].Marker = marker; marker.Kind != canon.KindAbsent {
		of.Marked = append(of.Marked, end-1)
	}
	before.Parts, before.Of, before.made = q.Parts[:end], &of, nil
	return &before
}
