package record

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
)

// ledger adds up the cost of the requests of a recorder, as the agent asked for them and as they were sent. It
// knows the caches of the providers from their documents, and learns from answers how they count tokens.
type ledger struct {
	prices *Prices
	memory *memory

	mu      sync.Mutex
	caches  map[provider.API]*caches
	counts  map[string]*counting       // by model
	seen    map[[sha256.Size]byte]bool // the first parts of known conversations, and their calls
	spent   worth.Spent
	lastUse time.Time // when an earlier recorder sent its last request, zero if that is not known
}

// caches are two caches of a provider: as it would be after the requests that the agent asked for, and as it is.
type caches struct{ asked, sent *provider.Cache }

// mostLedgered bounds how many calls a ledger remembers the caches of.
const mostLedgered = 1 << 14

func newLedger(o *Options, m *memory) *ledger {
	return &ledger{prices: o.Prices, memory: m, caches: map[provider.API]*caches{}, counts: map[string]*counting{},
		seen: map[[sha256.Size]byte]bool{}}
}

// begins tells the ledger when the previous recorder sent its last request.
func (l *ledger) begins(at time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil { // else the ledger assumes that all was just sent
		l.lastUse = at
	}
}

// mostLooked is how many contexts lastCall reads.
const mostLooked = 64

// lastCall returns when the contexts of a recorder recorded their last call: the zero time without a call, and
// with too many contexts to read.
func lastCall(ctx context.Context, s *pact.DB, name string) (last time.Time, err error) {
	list, err := pact.List(ctx, s)
	looked := 0
	for _, i := range list {
		if strings.HasSuffix(i.Name, originalsOf("")) || !keepsFor(originalsOf(name), i.Name) {
			continue
		}
		if looked++; looked > mostLooked {
			return time.Time{}, nil
		}
		c, err := pact.Open(ctx, s, i.Name, nil)
		if err != nil {
			return time.Time{}, err
		}
		attempts, err := c.Attempts(ctx, i.Cycle, i.Cycle+1)
		if err != nil {
			return time.Time{}, err
		}
		for _, a := range attempts {
			if at := time.Unix(0, a.StartedNS); a.StartedNS > 0 && at.After(last) {
				last = at
			}
		}
	}
	return last, err
}

// summed is the state of a request in the ledger.
type summed struct {
	at     time.Time
	tariff worth.Tariff
	counts *counting
	asked  form
	on     *caches
}

// form is a form of a request, as a provider reads it.
type form struct {
	prompt *provider.Prompt
	parts  []sized
	first  []float64 // the tokens of the first n blocks, by n
}

// sized is the hash of a part and its size in bytes.
type sized struct {
	hash [sha256.Size]byte
	size int64
}

// formOf makes a form of a request: as the agent asked for it or, without the parts in leaves, as it is sent.
func (l *ledger) formOf(q *question, asked bool, leaves map[int]string) form {
	f := form{parts: make([]sized, 0, len(q.parts)), first: make([]float64, 1, len(q.parts)+1)}
	parts, hashes := make([]provider.Part, 0, len(q.parts)), make([][sha256.Size]byte, 0, len(q.parts))
	for i := range q.parts {
		p := &q.parts[i]
		one, is := *p.Part, sized{p.hash, p.size}
		if !asked {
			note, left := leaves[i]
			if p.gone() || left && p.result == nil {
				continue
			}
			said := p.taken
			switch {
			case left:
				said = &Shaped{Content: note, value: canon.Value(note).Any()}
			case said == nil && p.result != nil:
				said = p.result.shaped
			}
			if said != nil {
				one.Content, is.size = said.value, int64(len(said.Content))
				if p.Content.Kind == canon.KindObject { // of Gemini: what stands around the text stays
					is.size += p.size - int64(len(p.result.Content.Raw))
				}
				is.hash = l.memory.hashOf(&one)
			}
		}
		parts, hashes, f.parts = append(parts, one), append(hashes, is.hash), append(f.parts, is)
		f.first = append(f.first, f.first[len(f.first)-1]+q.sum.counts.tokensOf(is))
	}
	f.prompt = provider.CacheRulesOf(q.api).ReadHashed(&provider.Request{API: q.api, Model: q.of.Model,
		Parameters: q.of.Parameters, Parts: parts}, q.of.Model, nil, hashes)
	return f
}

// sentForm returns the form of a request as it is sent.
func (l *ledger) sentForm(q *question) *form {
	if q.form == nil {
		f := l.formOf(q, false, nil)
		q.form = &f
	}
	return q.form
}

// begin adds a request as it was asked for.
func (l *ledger) begin(q *question, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rules := provider.CacheRulesOf(q.api)
	if l.spent.Calls++; l.spent.Calls%mostLedgered == 0 {
		clear(l.caches)
		clear(l.seen)
	}
	on := l.caches[q.api]
	if on == nil {
		on = &caches{rules.NewCache(), rules.NewCache()}
		l.caches[q.api] = on
	}
	s := &summed{at: at, on: on, counts: l.counts[q.of.Model]}
	if s.counts == nil {
		s.counts = newCounting()
		l.counts[q.of.Model] = s.counts
	}
	q.sum = s
	s.tariff = worth.Tariff{Rules: rules, Model: q.of.Model}
	if price, known := l.prices.Model(q.of.Model); known {
		s.tariff.Money = func(u *inspect.ProviderCache) float64 {
			return *l.prices.Paid(q.of.Model, u)
		}
		s.tariff.Read = func(tokens int64) float64 { return float64(tokens) * price.CacheRead / Million }
	}
	s.asked = l.formOf(q, true, nil)
	for i := range s.asked.prompt.Blocks {
		s.tariff.Hour = s.tariff.Hour || s.asked.prompt.Blocks[i].Lifetime == "1h"
	}
	l.takeUp(q)
	if money := s.call(&s.asked, on.asked.Call(s.asked.prompt, at)).Money; money != nil {
		l.spent.Without += *money
	}
}

// call returns the tokens of a request of which the provider has a part in its cache: the provider counted that
// part before, and the rest is an estimate.
func (s *summed) call(f *form, cached provider.Forecast) worth.Call {
	read := f.first[cached.Blocks]
	if cached.Tokens != nil {
		read = float64(*cached.Tokens)
	}
	sent := read + f.first[len(f.parts)] - f.first[cached.Blocks]
	return s.tariff.Call(int64(sent+0.5), int64(read+0.5))
}

// takeUp fills the caches with the requests that another recorder, or this one long ago, presumably sent: with all
// of a conversation that the ledger does not know, up to its last answer. It knows a conversation by its beginning and,
// once the agent wrote that anew, by its calls.
func (l *ledger) takeUp(q *question) {
	known := false
	for i := len(q.parts) - 1; i >= 0 && !known; i-- {
		if p := &q.parts[i]; p.Kind == "call" && p.Call != "" {
			known, l.seen[p.hash] = l.seen[p.hash], true
		}
	}
	begin, end := -1, 0
	for i := range q.parts {
		if p := &q.parts[i]; p.Section == provider.Conversation {
			if begin < 0 {
				begin = i
			}
			if p.answer {
				end = i
			}
		}
	}
	if begin < 0 || l.seen[q.parts[begin].hash] {
		return
	}
	l.seen[q.parts[begin].hash] = true
	if known {
		return
	}
	before := q.upTo(end)
	if before == nil {
		return
	}
	s := q.sum
	at := s.at
	if !l.lastUse.IsZero() {
		at = l.lastUse
	}
	s.on.asked.Call(l.formOf(before, true, nil).prompt, at)
	s.on.sent.Call(l.formOf(before, false, nil).prompt, at)
}

// upTo returns the parts of a request before one, with a cache marker at the end if the request has any. It
// returns nil for no parts, and without a marker where the provider needs one.
func (q *question) upTo(end int) *question {
	if end == 0 {
		return nil
	}
	marker := canon.Any{}
	for i := range q.parts {
		if m := q.parts[i].Marker; m.Kind != canon.KindAbsent {
			marker = m
		}
	}
	if _, whole := q.of.Parameters.Get("cache_control"); provider.CacheRulesOf(q.api).Marked && !whole &&
		marker.Kind == canon.KindAbsent {
		return nil
	}
	before := &question{api: q.api, of: q.of, parts: slices.Clone(q.parts[:end]), sum: q.sum}
	last := *before.parts[end-1].Part
	last.Marker = marker
	before.parts[end-1].Part = &last
	return before
}

// pays reports whether it pays that parts leave a request now. notes has the notes in their place.
func (l *ledger) pays(q *question, notes map[int]string, c *cutter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := q.sum
	forecast := func(f *form) worth.Call { return s.call(f, s.on.sent.Forecast(f.prompt, s.at)) }
	f := l.formOf(q, false, notes)
	cut := forecast(&f)
	return s.tariff.Caches(cut) && s.tariff.Pays(c.when, forecast(l.sentForm(q)), cut, l.spent)
}

// end adds a request as it is sent, and returns the count that the provider should make.
func (l *ledger) end(q *question) *sending {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.sentForm(q)
	call := q.sum.call(f, q.sum.on.sent.Call(f.prompt, q.sum.at))
	if call.Money != nil {
		l.spent.Managed += *call.Money
	}
	return &sending{counts: q.sum.counts, form: *f, cache: q.sum.on.sent, expects: call}
}

// sending is a request whose answer will have the count of the provider.
type sending struct {
	counts  *counting
	form    form
	cache   *provider.Cache
	expects worth.Call
	cut     bool // parts leave with it
}

// asAsked is the request as the agent asked for it. A recorder that only observes sends it so.
func (q *question) asAsked() *sending {
	return &sending{counts: q.sum.counts, form: q.sum.asked, cache: q.sum.on.asked}
}

// learn notes the count of a provider. s is nil for a request that the ledger does not know.
func (l *ledger) learn(s *sending, u provider.Usage) {
	if s == nil || u.In == nil || *u.In == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.counts.learn(s.form.parts, float64(*u.In), s.cut)
	s.cache.Told(s.form.prompt, u)
}
