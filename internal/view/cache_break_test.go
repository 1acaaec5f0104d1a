package view_test

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
)

// counted is the report on a call that read 500 of 20,000 tokens that call 11 had left.
func counted(cause inspect.BreakCause, b *inspect.Break) *inspect.Prefix {
	p := cut(b, byRule("block"))
	p.Call.Left = new(int64(20_000))
	p.Call.CacheBreak = &inspect.CacheBreak{Evidence: inspect.Counted, Read: 500, Since: 11, Left: 20_000, Again: 19_500, Cost: new(0.25), Cause: cause}
	return p
}

// What the provider counted decides whether the cache broke; where it counted nothing, the requests do. The cause is a clause.
func TestBreaksInWords(t *testing.T) {
	cause := func(kind string, names ...string) inspect.BreakCause {
		return inspect.BreakCause{Kind: kind, Names: names, Evidence: inspect.SeenInBytes}
	}
	idle := func(unused, life int64) inspect.BreakCause {
		return inspect.BreakCause{Kind: "idle", IdleSeconds: unused, LifeSeconds: life, Evidence: inspect.Computed}
	}
	at := func(cycle int64, cause, node string) inspect.BreakCause {
		return inspect.BreakCause{Kind: cause, Cycle: cycle, Cut: &inspect.Cut{Cause: cause, Node: node, Reasoning: 2}, Evidence: inspect.SeenInBytes}
	}
	const read = "@c12 read 500 where @c11 had left 20000 tokens (counted), 19500 were sent again for 0.2500 USD: "
	whole := &inspect.Prefix{Cycle: 12, Shared: &inspect.SharedPrefix{Complete: true}}
	agrees := counted(cause("model"), nil)
	agrees.Call.CacheBreak = nil
	uncut := cut(nil, byRule("block"))
	uncut.Call.Cut = nil
	noted := brokenBy(diff.ByEdit, "", "")
	noted.Cause.Message = "tidied\x1b"
	for name, x := range map[string]struct {
		p          *inspect.Prefix
		want, node string // "" for no break
	}{
		"the first call":            {&inspect.Prefix{Cycle: 1}, "", ""},
		"all is repeated":           {whole, "", ""},
		"all of the request is":     {uncut, "", ""},
		"the provider read it":      {agrees, "", ""},
		"another model":             {counted(cause("model", "a", "b"), nil), read + "the model changed, a → b (seen)", ""},
		"another provider":          {counted(cause("provider", "a", "b"), nil), read + "the provider changed, a → b (seen)", ""},
		"another key":               {counted(cause("key"), nil), read + "the key of the cache changed (prompt_cache_key) (seen)", ""},
		"a pause":                   {counted(idle(400, 59), nil), read + "idle for 6 min, over the lifetime of 59 s (computed)", ""},
		"a pause of a minute":       {counted(idle(60, 60), nil), read + "idle for 1 min, over the lifetime of 1 min (computed)", ""},
		"in parallel":               {counted(cause("parallel"), nil), read + "it was sent before the call before it was answered (seen)", ""},
		"a reason of the provider":  {counted(cause("reason", "tools", "system"), nil), read + "the provider says tools, system (seen)", ""},
		"nobody knows":              {counted(cause("unknown"), nil), read + "nothing that the log shows changed (seen)", ""},
		"a block of an earlier one": {counted(at(7, "block", "b"), nil), read + "b changed; 2 reasoning blocks behind it in @c7 (seen)", "b"},
		"a block of this one": {counted(at(0, "block", "block:4-2"), brokenBy(diff.ByExpiry, "", "")),
			read + "result block:4-2 expired; 2 reasoning blocks behind it (seen)", "block:4-2"},
		"a compaction":        {counted(at(0, "compaction", "b"), nil), read + "the agent compacted the conversation; 2 reasoning blocks behind it (seen)", ""},
		"seen in the request": {cut(nil, byRule("system")), "@c12 does not repeat the call before: the system prompt block:1-1 changed (seen)", "block:1-1"},
		"seen thinking":       {cut(nil, byRule("thinking")), "@c12 does not repeat the call before: the model forgets the reasoning block:1-1 with its turn (seen)", "block:1-1"},
		"seen in the thread":  {cut(noted, nil), "@c12 does not repeat the call before: result block:4-2 was removed (tidied\uFFFD) (seen)", "block:4-2"},
	} {
		b := view.CacheBreakOf(x.p)
		switch {
		case b == nil:
			if x.want != "" {
				t.Errorf("%s: nothing broke", name)
			}
		case b.InWords(x.p, "USD") != x.want || b.Node != x.node:
			t.Errorf("%s: %q at %q\nwant %q at %q", name, b.InWords(x.p, "USD"), b.Node, x.want, x.node)
		}
	}
	if b := view.CacheBreakOf(cut(nil, byRule("thinking"))); b.Known != inspect.Computed || b.Evidence != inspect.SeenInBytes {
		t.Errorf("that the model forgets its reasoning is known as %s of what is %s", b.Known, b.Evidence)
	}
	p := counted(cause("unknown"), nil)
	if got := view.CacheBreakOf(p).InWords(p, ""); got != "@c12 read 500 where @c11 had left 20000 tokens (counted), 19500 were sent again: nothing that the log shows changed (seen)" {
		t.Errorf("without a currency: %s", got)
	}
}

// Totals count all attempts of the calls that a provider counted, and what is not known stays so.
func TestTotalsOfCalls(t *testing.T) {
	n := func(in, read int64) inspect.ProviderCache {
		return inspect.ProviderCache{In: &in, Read: &read, Written: new(int64(1)), Out: new(int64(2))}
	}
	all, untold := n(10, 4), n(20, 0)
	untold.Read = nil
	var sum view.Totals
	if !sum.IsZero() {
		t.Error("nothing is not zero")
	}
	for _, call := range []*inspect.CallPrefix{nil, {}, {Provider: &inspect.ProviderCache{Read: new(int64(9))}},
		{Provider: &all, Earlier: []inspect.ProviderCache{n(100, 1)}, Cost: &inspect.CallCost{Paid: 1, Currency: "EUR"}},
		{Provider: &untold, CacheBreak: &inspect.CacheBreak{Again: 7}, Cost: &inspect.CallCost{Paid: 2, BreakCost: new(0.5), Currency: "EUR"}}} {
		sum.Add(&view.Step{Prefix: inspect.Prefix{Call: call}})
	}
	paid := *sum.Paid
	sum.Paid = nil
	if want := (view.Totals{Calls: 5, Counted: 2, Told: 1, In: 130, Out: 6, Read: 5, Written: 3, Priced: 2, BreakCost: 0.5, Again: 7,
		Currency: "EUR"}); sum != want || paid != 3 || sum.IsZero() {
		t.Errorf("%+v, paid %v, want %+v", sum, paid, want)
	}
	for told, want := range map[int]string{0: "an unknown part of them read from the cache", 1: "at least 7 of them read from the cache",
		2: "7 of them read from the cache"} {
		if got := view.FromCache(7, told, 2); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The sums of a run say what they share with others, and what they leave to them.
func TestOverlapsInWords(t *testing.T) {
	for _, x := range []struct {
		of   view.Overlap
		want string
	}{
		{view.Overlap{}, ""}, {view.Overlap{Inherited: 1}, "1 call is inherited from the context that it was forked from, which counts it too"},
		{view.Overlap{Inherited: 2, Beside: []string{"a", "b", "c"}},
			"2 calls are inherited from the context that it was forked from, which counts them too; sub-agents and asides count for themselves: a, b, c"},
		{view.Overlap{Beside: []string{"a", "b", "c", "d"}}, "sub-agents and asides count for themselves: a, b, c and 1 more"},
	} {
		if got := fmt.Sprint(x.of.InWords()); got != x.want {
			t.Errorf("%+v: %s", x.of, got)
		}
	}
}
