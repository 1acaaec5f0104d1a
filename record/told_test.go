package record_test

import (
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
)

// give makes a call that gets no whole answer.
func (tk *talk) give() {
	tk.Helper()
	if got, _, _ := tk.send(tk.Context()); got == nil || got.Failure == "" {
		tk.Fatalf("the answer is whole: %+v", got)
	}
}

// A provider keeps what a call sent whose answer broke off, and nothing of one that it refused.
func TestABrokenAnswerFillsTheCacheAndARefusalDoesNot(t *testing.T) {
	for _, again := range []bool{true, false} {
		tk := newTalk(t, provider.Messages, providertest.Turn{Text: "one"},
			providertest.Turn{Text: "never all of it", Cut: true}, providertest.Turn{Text: "two"},
			providertest.Turn{Status: 429}, providertest.Turn{Status: 500}, providertest.Turn{Text: "three"})
		tk.turn("a")
		tk.ask("b")
		tk.mark()
		tk.give()
		if !again {
			tk.ask("and more")
			tk.mark()
		}
		tk.call()
		tk.ask("c")
		tk.mark()
		tk.give()
		tk.give()
		tk.call()
		var calls []inspect.CallPrefix
		for _, p := range tk.prefixes("") {
			if p.Expected != nil {
				calls = append(calls, p)
			}
		}
		if len(calls) != 3 {
			t.Fatalf("%d calls were answered", len(calls))
		}
		agreed(t, calls)
		first, second := calls[0].Provider, calls[1]
		if *second.Provider.Read <= *first.Read+*first.Written {
			t.Errorf("again %t: the provider read %d, the call before left %d", again, *second.Provider.Read,
				*first.Read+*first.Written)
		}
		if want := map[bool]int{true: 1, false: 0}[again]; second.Broken != want || calls[2].Broken != 0 {
			t.Errorf("again %t: %d and %d attempts broke off", again, second.Broken, calls[2].Broken)
		}
	}
}

// What the provider told of a call stays told, although no snapshot has the answer: after an undo,
// and in a fork, such as one for the summary.
func TestWhatTheProviderToldStaysTold(t *testing.T) {
	for _, name := range []provider.API{provider.Chat, provider.Responses, provider.Messages} {
		tk := newTalk(t, name)
		tk.turn("a")
		tk.turn("b")
		tk.turn("c")
		want := tk.prefixes("")
		c := opened(t, tk.store, "chat")
		fork, err := c.Fork(t.Context(), pact.Cycle(2), "fork", nil)
		must(t, err)
		_, err = c.Undo(t.Context(), nil)
		must(t, err)
		for where, in := range map[string]*pact.Context{"the fork": fork, "what was undone": opened(t, tk.store, "chat")} {
			n := 0
			for p, err := range prefixesOf(t.Context(), in, "", nil) {
				must(t, err)
				if expectation(&p) != "agrees" || *p.Provider.Read != *want[n].Provider.Read {
					t.Errorf("%s: %s, cycle %d: %s, read %v", name, where, p.Cycle, expectation(&p), p.Provider.Read)
				}
				n++
			}
			if n != 2 {
				t.Errorf("%s: %s has %d calls", name, where, n)
			}
		}
	}
}

// What a provider did not tell costs nobody knows what, and is no loss.
func TestWhatIsNotToldIsNoLoss(t *testing.T) {
	list, err := record.ReadPrices([]byte(`{"as_of":"2026-11-01","currency":"USD","models":[
		{"model":"gpt-","input":2,"output":8,"cache_read":0.2}]}`))
	must(t, err)
	n := func(i int64) *int64 { return &i }
	told := &inspect.CallPrefix{Model: "gpt-x", Provider: &inspect.ProviderCache{In: n(1000), Read: n(500), Out: n(1)}}
	silent := &inspect.CallPrefix{Model: "gpt-x", Provider: &inspect.ProviderCache{In: n(1000), Out: n(1)}}
	if cost := list.Cost(silent); cost != nil {
		t.Errorf("a call of which the provider does not say what it read costs %+v", cost)
	}
	cost := list.Cost(told)
	if cost == nil || cost.BreakCost != nil || cost.Paid != (500*2+500*.2+8)/1e6 {
		t.Errorf("behind a call that told nothing: %+v", cost)
	}
}

// The report is the attempt's: ReportedCache reads it where there is no context.
func TestToldOfAnAttempt(t *testing.T) {
	tk := newTalk(t, provider.Messages, providertest.Turn{Text: "one"}, providertest.Turn{Status: 429})
	tk.turn("a")
	tk.ask("b")
	tk.give()
	tk.rec.Close()
	attempts, err := opened(t, tk.store, "chat").Attempts(t.Context(), 1, 2)
	must(t, err)
	first, err := record.ReportedCache(attempts[0])
	must(t, err)
	refused, err := record.ReportedCache(attempts[1])
	must(t, err)
	if first.Read == nil || *first.Read != 0 || *first.Written != *attempts[0].TokenIn || refused != nil {
		t.Errorf("%+v, %+v", first, refused)
	}
	if none, err := record.ReportedCache(history.Attempt{Status: history.Running}); none != nil || err != nil {
		t.Errorf("%+v, %v", none, err)
	}
}

// A price may hold for requests up to a length, and another for longer ones.
func TestAPriceHoldsUpToALength(t *testing.T) {
	list, err := record.ReadPrices([]byte(`{"as_of":"2026-11-01","currency":"USD","models":[
		{"model":"g","input":1,"cache_read":0.1,"up_to":1000},{"model":"g","input":2,"cache_read":0.2},{"model":"h","input":1,"up_to":1000}]}`))
	must(t, err)
	for _, c := range []struct {
		model      string
		in         int64
		millionths float64 // below 0: unknown
	}{{"g", 1000, 1000}, {"g", 1001, 2002}, {"h", 1000, 1000}, {"h", 1001, -1}} {
		read := int64(0)
		paid := list.Paid(c.model, &inspect.ProviderCache{In: &c.in, Read: &read})
		if (paid == nil) != (c.millionths < 0) || paid != nil && *paid != c.millionths/1e6 {
			t.Errorf("%s, %d tokens: %v", c.model, c.in, paid)
		}
		if _, known := list.Model(c.model); known != (c.model == "g") {
			t.Errorf("the price of any request to %s is known: %v", c.model, known)
		}
	}
}

// An answer costs what the list has for its terms; without such an entry nobody knows what it cost.
func TestAPriceIsForTheTermsOfTheAnswer(t *testing.T) {
	list, err := record.ReadPrices([]byte(`{"as_of":"2026-11-01","currency":"USD","models":[
		{"model":"m","terms":"fast","input":2,"cache_read":0.2},{"model":"m","input":1,"cache_read":0.1}]}`))
	must(t, err)
	in, read := int64(1000), int64(0)
	for terms, millionths := range map[string]float64{"": 1000, "fast": 2000, "flex": -1} {
		paid := list.Paid("m", &inspect.ProviderCache{In: &in, Read: &read, Terms: terms})
		if (paid == nil) != (millionths < 0) || paid != nil && *paid != millionths/1e6 {
			t.Errorf("on the terms %q: %v", terms, paid)
		}
	}
}
