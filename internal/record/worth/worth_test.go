package worth

import (
	"testing"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
)

// paid is what a call costs with input at 10, reads at 1, writes at 12 and those for an hour at 20.
func paid(u *inspect.ProviderCache) float64 {
	hour := int64(0)
	if u.Written1h != nil {
		hour = *u.Written1h
	}
	return float64(10*(*u.In-*u.Read-*u.Written) + *u.Read + 12*(*u.Written-hour) + 20*hour)
}

// A provider reads and writes nothing shorter than its shortest prefix, reads in its steps, and writes what it has not yet up
// to the last marker: that of an hour at its own price.
func TestWhatACallCounts(t *testing.T) {
	for _, x := range []struct {
		api        provider.API
		model      string
		sent, read int64
		ends       Ends
		want       Call
		money      float64
	}{
		{provider.Messages, "claude-sonnet-4-6", 5000, 2000, Ends{Cached: 4000}, Call{Sent: 5000, Read: 2000, Written: 2000}, 10*1000 + 2000 + 12*2000},
		{provider.Messages, "claude-sonnet-4-6", 5000, 1023, Ends{Cached: 1024}, Call{Sent: 5000, Written: 1024}, 10*3976 + 12*1024},
		{provider.Messages, "claude-sonnet-4-6", 5000, 1024, Ends{Cached: 1023}, Call{Sent: 5000, Read: 1024}, 10*3976 + 1024},
		{provider.Messages, "claude-sonnet-4-6", 5000, 4500, Ends{Cached: 4000}, Call{Sent: 5000, Read: 4500}, 10*500 + 4500},
		{provider.Messages, "claude-sonnet-4-6", 5000, 2000, Ends{Cached: 6000}, Call{Sent: 5000, Read: 2000, Written: 3000}, 2000 + 12*3000},
		{provider.Messages, "claude-sonnet-4-6", 5000, 2000, Ends{Cached: 4000, Hour: 3000}, Call{Sent: 5000, Read: 2000, Written: 2000},
			10*1000 + 2000 + 12*1000 + 20*1000},
		{provider.Messages, "claude-sonnet-4-6", 5000, 2000, Ends{Cached: 4000, Hour: 4000}, Call{Sent: 5000, Read: 2000, Written: 2000},
			10*1000 + 2000 + 20*2000},
		{provider.Chat, "gpt-5", 5000, 2000, Ends{}, Call{Sent: 5000, Read: 1920}, 10*3080 + 1920},
	} {
		tariff := Tariff{Rules: provider.CacheRulesOf(x.api), Model: x.model}
		if got := tariff.Call(x.sent, x.read, x.ends); got != x.want {
			t.Errorf("%d sent, %d read, %+v: %+v, want %+v", x.sent, x.read, x.ends, got, x.want)
		}
		tariff.Money = paid
		if got := tariff.Call(x.sent, x.read, x.ends); *got.Money != x.money {
			t.Errorf("%d sent, %d read, %+v: for %v, want %v", x.sent, x.read, x.ends, *got.Money, x.money)
		}
	}
}

// A request that marks nothing is cached nowhere by a provider that wants marks, and to its end by another.
func TestWhereARequestIsCached(t *testing.T) {
	upTo := func(n int) float64 { return float64(1000*n) + 0.5 }
	marks := func(list ...provider.Marker) *provider.Prompt {
		return &provider.Prompt{Blocks: make([]provider.Block, 9), Marks: list}
	}
	at := func(block int, word string) provider.Marker { return provider.Marker{Block: block, Lifetime: word} }
	for _, x := range []struct {
		api    provider.API
		prompt *provider.Prompt
		want   Ends
	}{
		{provider.Messages, marks(), Ends{}}, {provider.Chat, marks(), Ends{Cached: 9001}},
		{provider.Messages, marks(at(1, ""), at(6, "")), Ends{Cached: 7001}},
		{provider.Messages, marks(at(1, "1h"), at(3, "1h"), at(6, "5m")), Ends{Cached: 7001, Hour: 4001}},
	} {
		tariff := Tariff{Rules: provider.CacheRulesOf(x.api), Model: "m"}
		if got := tariff.EndsOf(x.prompt, upTo); got != x.want {
			t.Errorf("%s, %+v: %+v, want %+v", x.api, x.prompt.Marks, got, x.want)
		}
	}
}

// A cut goes when it costs nothing now, or, with pays, when the run has saved what it costs and a sixth of the calls so far
// earn it back. Without a price, tokens that are not read from the cache decide.
func TestWhenACutPays(t *testing.T) {
	tariff := Tariff{Rules: provider.CacheRulesOf(provider.Messages), Model: "claude-sonnet-4-6", Read: func(n int64) float64 { return float64(n) }}
	call := func(sent, read int64, money float64) Call {
		c := Call{Sent: sent, Read: read}
		if money > 0 {
			c.Money = &money
		}
		return c
	}
	keep := call(9000, 8000, 1000)
	for _, x := range []struct {
		keep, cut Call
		spent     Spent
		pays      bool // with pays
		cold      bool
	}{
		{keep, call(6000, 2000, 1000), Spent{}, true, true},
		{keep, call(6000, 2000, 1500), Spent{Calls: 1, Managed: 500, Without: 2000}, true, false},
		{keep, call(6000, 2000, 1500), Spent{Calls: 1, Managed: 501, Without: 2000}, false, false}, // the run has not saved so much
		{keep, call(6000, 2000, 1501), Spent{Calls: 1, Managed: 0, Without: 2000}, false, false},   // it takes too many calls
		{keep, call(6000, 2000, 2000), Spent{Calls: 2, Managed: 0, Without: 2000}, true, false},    // but not of a longer run
		{call(9000, 8000, 0), call(6000, 5000, 0), Spent{Calls: 9}, true, true},
		{call(9000, 8000, 0), call(6000, 4999, 0), Spent{Calls: 9}, false, false},
	} {
		pays, cold := tariff.Pays(lifecycle.WhenPays, x.keep, x.cut, x.spent), tariff.Pays(lifecycle.WhenCold, x.keep, x.cut, x.spent)
		if pays != x.pays || cold != x.cold {
			t.Errorf("%+v %+v: pays %t, cold %t", x.cut, x.spent, pays, cold)
		}
	}
	if !tariff.Caches(call(1024, 0, 0)) || tariff.Caches(call(1023, 0, 0)) {
		t.Error("the shortest prefix that is cached has 1,024 tokens")
	}
}

// A sum has money only if every call has.
func TestCallsAddUp(t *testing.T) {
	money := func(m float64) Call { return Call{Sent: 3, Read: 2, Written: 1, Money: &m} }
	for _, x := range []struct {
		list []Call
		want float64 // below 0: none
	}{{[]Call{money(1), money(2)}, 3}, {[]Call{money(1), {Sent: 3, Read: 2, Written: 1}}, -1}, {[]Call{{Sent: 3, Read: 2, Written: 1}, money(1)}, -1}} {
		var sum Call
		for _, c := range x.list {
			sum.Add(c)
		}
		if sum.Sent != 6 || sum.Read != 4 || sum.Written != 2 || (sum.Money == nil) != (x.want < 0) || sum.Money != nil && *sum.Money != x.want {
			t.Errorf("%+v", sum)
		}
	}
}
