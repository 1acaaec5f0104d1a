package manage

import (
	"slices"

	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/lifecycle"
)

// mostDearer is the part by which a conversation may become dearer if its agent asks again for all that it lacks,
// besides the call that asks and the note that it found. Nobody who takes anything can promise less than these. As
// tokens are estimated, the bound is 3 %.
const mostDearer = 0.025

// pays reports whether it pays to send a request in another form now.
func (l *Ledger) pays(when lifecycle.When, q, cut *Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := q.sum
	less := s.forecast(cut.sentForm())
	sure := worth.Call{Sent: less.Sent * 4 / 5} // notes are short and many: an estimate may be too high
	return s.tariff.Caches(sure) && s.tariff.Pays(when, s.forecast(q.sentForm()), less, *s.spent) &&
		(when != lifecycle.WhenPays || cut.affordable())
}

// mayPay reports whether it may pay to have some parts leave a request, of which the first would. If it reports false,
// so does pays whichever of the others leave too: it takes them to leave nothing behind, no notes either, and the
// provider to read from its cache all that it has of what stands before. So it needs no form of the request but the one
// in which all stays. binds says that thinking behind the first leaves with it, earlier that a request before may have
// gone without the first, so that the provider may have what stands behind it too.
func (l *Ledger) mayPay(when lifecycle.When, q *Request, due []int, binds, earlier bool) bool {
	if when == lifecycle.WhenNow || earlier {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, f := q.sum, q.sentForm()
	behind, gone := f.before(due[0]), 2.0 // two tokens, for what rounding adds
	adds := func(i int) {
		gone += f.first[f.before(i+1)] - f.first[f.before(i)]
	}
	for _, i := range due {
		adds(i)
	}
	for i := due[0] + 1; binds && i < len(q.Parts); i++ {
		if _, leaves := slices.BinarySearch(due, i); !leaves && q.Parts[i].thinks() {
			adds(i)
		}
	}
	stays, cached := s.on.sent.Forecasts(&f.prompt, s.at, behind)
	keep, read := s.call(f, stays), f.first[cached.Blocks]
	if cached.Tokens != nil {
		read = float64(*cached.Tokens)
	}
	upTo := func(n int) float64 {
		tokens := read + f.first[n] - f.first[min(n, cached.Blocks)]
		if n > behind {
			tokens = max(tokens-gone, read+f.first[behind]-f.first[cached.Blocks])
		}
		return tokens
	}
	least := s.tariff.Call(int64(upTo(len(f.parts))), int64(read+0.5), s.tariff.EndsOf(&f.prompt, upTo))
	return s.tariff.Pays(when, keep, least, *s.spent)
}

// affords reports whether a conversation whose request is sent in its form costs little more than without a policy, at
// worst.
func (l *Ledger) affords(q *Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return q.affordable()
}

// affordable is affords. All that the request lacks comes back behind what is cached. The caller holds the lock of the
// ledger.
func (q *Request) affordable() bool {
	call, worst, spent := q.sum.forecast(q.sentForm()), q.worstCost(), q.sum.spent
	return call.Money == nil || spent.Managed+*call.Money+worst <= spent.Without*(1+mostDearer)
}

// worstCost returns what it costs that all that a request lacks comes back with the next call, 0 without a price.
func (q *Request) worstCost() float64 {
	first := q.sentForm().first
	sent := int64(first[len(first)-1])
	e, read := q.cachedTo(sent), int64(0)
	if e.Cached > 0 {
		read = sent
	}
	with, without := q.restored(sent, read), q.sum.tariff.Call(sent, read, e)
	if with.Money == nil {
		return 0
	}
	return *with.Money - *without.Money
}

// cachedTo returns up to where the provider caches a request of so many tokens that goes on with this one: up to its
// end, if it caches this one.
func (q *Request) cachedTo(tokens int64) worth.Ends {
	f := q.sentForm()
	e := q.sum.tariff.EndsOf(&f.prompt, func(n int) float64 { return f.first[n] })
	if e.Cached > 0 {
		e.Cached = tokens
	}
	if e.Hour > 0 {
		e.Hour = tokens
	}
	return e
}

// restored returns what a call counts that sends so many tokens, has so many in the cache, and brings back what the
// request lacks behind them; and that half as many calls as there were so far then read the notes too.
func (q *Request) restored(sent, read int64) worth.Call {
	s := q.sum
	whole, notes := 0.0, 0.0
	for _, i := range q.missing() {
		p := &q.Parts[i]
		whole += s.counts.TokensOf(p.sized())
		notes += s.counts.estimate(Sized{Size: int64(len(p.form.Text))})
	}
	e := q.cachedTo(sent + int64(whole))
	call := s.tariff.Call(sent+int64(whole), read, e)
	if call.Money != nil {
		one := s.tariff.Read(int64(notes))
		if e.Cached == 0 {
			one = *s.tariff.Call(int64(notes), 0, e).Money
		}
		*call.Money += float64(s.spent.Calls) / 2 * one
	}
	return call
}

// bringsBack reports whether it costs less to send a conversation as it came from now on than to add what it lacks at
// its end. Tokens decide where the model has no price.
func (l *Ledger) bringsBack(q *Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, sent := &form{}, q.sum.forecast(q.sentForm())
	formOf(q, q.sum, asCame, whole)
	back, adds := q.sum.forecast(whole), q.restored(sent.Sent, sent.Read)
	if adds.Money == nil {
		return back.Sent-back.Read <= adds.Sent-adds.Read
	}
	return *back.Money <= *adds.Money
}
