package simulate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

type bytesAsTokens struct{}

func (bytesAsTokens) Name() string          { return "bytes" }
func (bytesAsTokens) Count(text string) int { return len(text) }

// million has a list of prices whose unit is the token.
var million = &record.Prices{Currency: "units", Models: []record.Price{{Model: "m", Input: record.Million, CacheRead: record.Million / 10,
	CacheWrite: record.Million * 5 / 4, CacheWrite1h: record.Million * 2}}}

// A policy saves or loses what it cost more, and is even after as many calls as read that much less from the cache.
func TestWhatAPolicyIsWorthInWords(t *testing.T) {
	r := &run{prices: million, priced: true, tariff: worth.Tariff{Read: func(n int64) float64 { return float64(n) / 10 }}}
	for _, x := range []struct {
		raw, cost     float64
		rawSent, sent int64 // by the last call
		read          int64 // by the last call under the policy
		further       int64 // 0 for none
		want          string
	}{
		{200, 200, 0, 0, 0, 0, "p costs as much as sending everything."},
		{200, 150, 0, 0, 0, 0, "p saves 50.0000 units of 200.0000, 25 %."},
		{0, 10, 0, 0, 0, 0, "p loses 10.0000 units on 0.0000, 0 %, and more calls would not change that."},
		{200, 210, 100, 50, 1, 2, "p loses 10.0000 units on 200.0000, 5 %; it would be even after 2 calls more that cut nothing."},
		{200, 210, 100, 51, 1, 3, "p loses 10.0000 units on 200.0000, 5 %; it would be even after 3 calls more that cut nothing."},
		{200, 210, 100, 100, 1, 0, "p loses 10.0000 units on 200.0000, 5 %, and more calls would not change that."},
		{200, 210, 100, 50, 0, 0, "p loses 10.0000 units on 200.0000, 5 %, and more calls would not change that."},
	} {
		raw, o := &Outcome{Cost: &x.raw}, &Outcome{Policy: "p", Cost: &x.cost}
		raw.last.sent, o.last.sent, o.last.read = x.rawSent, x.sent, x.read
		if got := r.worthOf(o, raw); got != x.want || (o.Further == nil) != (x.further == 0) || o.Further != nil && *o.Further != x.further {
			t.Errorf("%s, further %v, want %s", got, o.Further, x.want)
		}
	}
}

// What was paid is said of as many calls as have a price.
func TestWhatWasPaidInWords(t *testing.T) {
	for want, totals := range map[string]view.Totals{"": {Calls: 2}, "for 2 calls with": {Calls: 2, Priced: 2, Paid: new(3.0)},
		"for 1 of 2 calls with": {Calls: 2, Priced: 1, Paid: new(3.0)}} {
		totals.Currency = "USD"
		got := strings.Join((&run{totals: totals}).paid(), "")
		if (got == "") != (want == "") || !strings.Contains(got, want) || got != "" && !strings.HasPrefix(got, "Paid were 3.0000 USD for ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a policy sends is between the least and the most of all estimates, and as unsure as the farthest of them.
func TestWhatHangsOnEstimates(t *testing.T) {
	of := func(sent int64, cost float64) *policyRun {
		return &policyRun{Outcome: Outcome{Policy: "p", Sent: sent, Cost: &cost}}
	}
	l := of(100, 50)
	if l.unsure() != 0 {
		t.Errorf("without other estimates it is unsure by %v", l.unsure())
	}
	for _, x := range []struct {
		other [2]*policyRun
		want  float64
	}{{[2]*policyRun{of(90, 50), of(104, 50)}, 0.1}, {[2]*policyRun{of(100, 50), of(104, 60)}, 0.2}, {[2]*policyRun{of(100, 35), of(98, 50)}, 0.3}} {
		if l.varied = x.other[:]; math.Abs(l.unsure()-x.want) > 1e-9 {
			t.Errorf("unsure by %v, want %v", l.unsure(), x.want)
		}
	}
	l.varied = []*policyRun{of(90, 50), of(104, 50)}
	if got := l.hangs(); !strings.HasPrefix(got, "p would have sent between 90 and 104 tokens: ") {
		t.Error(got)
	}
}

// Requests without a marker, of which the provider counted nothing cached, paid in full what they repeat: two at least, and as
// many tokens as a provider caches.
func TestRequestsThatAskForNoCaching(t *testing.T) {
	call := func(in int64, markers int, change func(c *inspect.CallPrefix)) *inspect.CallPrefix {
		c := &inspect.CallPrefix{Markers: &markers, Shared: &inspect.CallShared{}, Provider: &inspect.ProviderCache{In: &in, Read: new(int64(0))}}
		if change != nil {
			change(c)
		}
		return c
	}
	three := func(second *inspect.CallPrefix) []*inspect.CallPrefix {
		return []*inspect.CallPrefix{call(3000, 0, nil), second, call(5000, 0, nil)}
	}
	for name, x := range map[string]struct {
		calls  []*inspect.CallPrefix
		tokens int64 // 0 for no finding
		cost   float64
	}{
		"all":          {three(call(4000, 0, nil)), 7000, 7000*0.9 - 5000*0.25},
		"one alone":    {three(call(4000, 0, nil))[:1], 0, 0},
		"two":          {three(call(4000, 0, nil))[:2], 3000, 3000*0.9 - 4000*0.25},
		"too little":   {[]*inspect.CallPrefix{call(2047, 0, nil), call(9000, 0, nil)}, 0, 0},
		"just enough":  {[]*inspect.CallPrefix{call(2048, 0, nil), call(2048, 0, nil)}, 2048, 2048*0.9 - 2048*0.25},
		"it shrinks":   {[]*inspect.CallPrefix{call(9000, 0, nil), call(3000, 0, nil)}, 3000, 3000*0.9 - 9000*0.25},
		"a marker":     {three(call(4000, 1, nil)), 0, 0},
		"it was read":  {three(call(4000, 0, func(c *inspect.CallPrefix) { c.Provider.Read = new(int64(1)) })), 0, 0},
		"only written": {append(three(call(4000, 0, func(c *inspect.CallPrefix) { c.Provider.Written = new(int64(1)) })), call(6000, 0, nil)), 5000, 5000*0.9 - 9000*0.25},
		"cut":          {append(three(call(4000, 0, func(c *inspect.CallPrefix) { c.Cut = &inspect.Cut{} })), call(6000, 0, nil)), 9000, 9000*0.9 - 9000*0.25},
		"not counted":  {append(three(call(4000, 0, func(c *inspect.CallPrefix) { c.Provider = nil })), call(6000, 0, nil)), 5000, 5000*0.9 - 9000*0.25},
		"rebuilt":      {three(call(4000, 0, func(c *inspect.CallPrefix) { c.Markers = nil })), 3000, 3000*0.9 - 5000*0.25},
	} {
		var u uncached
		for _, c := range x.calls {
			u.add(&view.Step{Prefix: inspect.Prefix{Call: c}})
		}
		r := &Result{Basis: Basis{Model: "m"}}
		list := u.found(r, million)
		if x.tokens == 0 {
			if len(list) > 0 {
				t.Errorf("%s: %+v", name, list)
			}
			continue
		}
		if len(list) != 1 || *list[0].Tokens != x.tokens || math.Abs(*list[0].Cost-x.cost) > 1e-6 {
			t.Errorf("%s: %+v", name, list)
			continue
		}
		r.Model = "no price"
		if list = u.found(r, million); len(list) != 1 || list[0].Cost != nil {
			t.Errorf("%s, without a price: %+v", name, list)
		}
	}
}

// The window is said to fill up if it is full in twenty calls like those since the run last became shorter.
func TestAWindowThatFillsUp(t *testing.T) {
	for _, x := range []struct {
		sent []int64
		want string // "" for none
	}{
		{[]int64{100, 150}, "the last call filled 15 % of the window, which leaves 850 tokens, for about 17 calls"},
		{[]int64{100, 142}, ""}, {[]int64{118, 160}, "the last call filled 16 % of the window, which leaves 840 tokens, for about 20 calls"},
		{[]int64{900}, ""}, {[]int64{900, 900}, ""}, {[]int64{100, 900, 400, 440, 480}, "the last call filled 48 % of the window, which leaves 520 tokens, for about 13 calls"},
		{[]int64{998, 999}, "the last call filled 99 % of the window, which leaves 1 token, for about 1 call"},
		{[]int64{900, 1200}, "the last call filled 120 % of the window, which leaves 0 tokens, for about 0 calls"},
	} {
		r := &Result{Basis: Basis{Window: 1000}, Outcomes: []Outcome{{}}}
		for n, sent := range x.sent {
			r.Outcomes[0].ByCall = append(r.Outcomes[0].ByCall, Call{Cycle: int64(n + 1), Sent: sent})
		}
		got := (&finder{}).window(r)
		if (len(got) == 0) != (x.want == "") || len(got) > 0 && (got[0].Says != x.want || got[0].Cycle != int64(len(x.sent))) {
			t.Errorf("%v: %+v", x.sent, got)
		}
		if r.Window = 0; len((&finder{}).window(r)) > 0 {
			t.Errorf("%v without a window", x.sent)
		}
	}
}

// A model reads texts with the names of the members around them, and no signature.
func TestWhatAModelReadsOfAContent(t *testing.T) {
	for content, want := range map[canon.Value]string{`"a\nb"`: "a\nb", `[{"type":"text","text":"a"},{"text":"b"}]`: "text: a\n\ntext: b\n\n",
		`{"signature":"x","thinking":"so","n":[1,true]}`: "n: 1\ntrue\n\nthinking: so\n"} {
		if got := textOf(content.Any()); got != want {
			t.Errorf("%s is %q, want %q", content, got, want)
		}
	}
}

// A meter has of a counted call as many tokens as the provider, and of another as many as the counter says, by the ratio of
// what was learned.
func TestAMeterHasWhatTheProviderCounted(t *testing.T) {
	part := func(n byte, tokens int64) manage.Sized { return manage.Sized{Hash: hash{n}, Size: perToken * tokens} }
	sum := func(list []float64) (all float64) {
		for _, n := range list {
			all += n
		}
		return all
	}
	m, parts := newMeter(), []manage.Sized{part(1, 100), part(2, 300)}
	if got := m.of(nil, parts, nil); got[0] != 100 || got[1] != 300 || m.told || m.ratio != 1 {
		t.Errorf("nobody counted: %v, %+v", got, m.ratio)
	}
	if got := m.of(nil, parts, new(int64(800))); math.Abs(sum(got)-800) > 1e-6 || !m.told || m.ratio != 2 || got[1] < 2*got[0] {
		t.Errorf("800 were counted: %v, %v", got, m.ratio)
	}
	if got := m.of(nil, parts[:1], new(int64(150))); math.Abs(sum(got)-150) > 1e-6 || m.ratio != 1.5 { // less than it had before
		t.Errorf("150 were counted: %v, %v", got, m.ratio)
	}
}

func TestRulesOfARunInWords(t *testing.T) {
	for _, x := range []struct {
		rule CheckedRule
		want string
	}{
		{CheckedRule{}, "it finds nothing in this run"}, {CheckedRule{Finds: 3, Decides: 3}, "it decides about all 3 nodes that it finds"},
		{CheckedRule{Finds: 3, Shadowed: []int{2, 1}}, "rule 1, 2 decides about all 3 nodes that it finds"},
		{CheckedRule{Finds: 3, Decides: 1, Shadowed: []int{1}}, "it decides about 1 of the 3 nodes that it finds, rule 1 about the others"},
	} {
		if got := x.rule.sentence(); got != x.want {
			t.Errorf("%s, want %s", got, x.want)
		}
	}
}

// A word of an answer is noted as it stands, without the points behind it, and in its parts.
func TestWordsOfAnswers(t *testing.T) {
	said := map[string]bool{}
	note(said, "I use team:review. See docs/a.md: it-says-")
	for word, want := range map[string]bool{"team:review": true, "team": true, "review": true, "team:review.": false, "a.md": true, "a": true, "it-says": true} {
		if said[word] != want {
			t.Errorf("%s is noted: %t, want %t", word, said[word], want)
		}
	}
}

// What the provider counted of a break stands. Else a break of the computed cache has the tokens that it would have read, without
// those that are new; without such tokens it is what the requests show.
func TestWhatABreakSentAgain(t *testing.T) {
	b := &view.CacheBreak{Evidence: inspect.SeenInBytes, Why: "a block changed", Known: inspect.SeenInBytes, Node: "n"}
	for _, x := range []struct {
		counted bool
		call    Call
		again   int64 // below 0: as the requests show
	}{
		{false, Call{Sent: 100, Read: 10, Broke: true}, 80}, {true, Call{Sent: 100, Read: 10, Broke: true}, -1},
		{false, Call{Sent: 100, Read: 10}, -1}, {false, Call{Sent: 100, Read: 90, Broke: true}, -1}, {false, Call{Sent: 100, Read: 89, Broke: true}, 1},
	} {
		f := &finder{run: &run{counted: x.counted, prices: million, model: "m"}, fresh: 0.1}
		got := f.broken(&passedCall{Step: &view.Step{Prefix: inspect.Prefix{Cycle: 3}, Broke: b}}, &x.call)
		switch {
		case x.again < 0 && (got.Tokens != nil || got.Evidence != inspect.SeenInBytes):
			t.Errorf("%+v: %+v", x, got)
		case x.again >= 0 && (*got.Tokens != x.again || got.Evidence != inspect.Computed || math.Abs(*got.Cost-1.15*float64(x.again)) > 1e-9):
			t.Errorf("%+v: %+v, %v", x, got, *got.Cost)
		}
	}
	if f := (&finder{}).broken(&passedCall{Step: &view.Step{}}, &Call{Broke: true}); f != nil {
		t.Errorf("nothing broke: %+v", f)
	}
}

// A policy whose tokens hang on estimates has a sentence in place of its row.
func TestAPolicyThatHangsOnEstimatesHasNoRow(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	testrun.Must(t, err)
	of := func(name string, sent int64, others ...int64) *policyRun {
		l := &policyRun{Outcome: Outcome{Policy: name, Sent: sent}}
		for _, other := range others {
			l.varied = append(l.varied, &policyRun{Outcome: Outcome{Sent: other}})
		}
		return l
	}
	r := &run{c: c, rules: provider.CacheRulesNamed("anthropic"), meter: newMeter(), prices: million, o: Options{Counter: bytesAsTokens{}}}
	made := r.result([]*policyRun{of("none", 1000), of("sure", 900, 882, 918), of("unsure", 900, 881, 900)})
	var names []string
	for _, o := range made.Outcomes {
		names = append(names, o.Policy)
	}
	if said := strings.Join(made.Sentences, " "); strings.Join(names, " ") != "none sure" || !strings.Contains(said, "unsure would have sent between 881 and 900 tokens") {
		t.Errorf("%q: %s", names, said)
	}
}

// A request of which nothing but its thread is known has the blocks of one speaker in a message, and markers at the end of the
// system prompt and at the last block that does not think, as agents put them.
func TestTheRequestOfAThread(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	testrun.Must(t, err)
	say := func(specs ...pact.Spec) {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			for i, s := range specs {
				if s.Role == "system" {
					b.Add("^sys", s)
				} else {
					s.Offset = int64(i + 1)
					b.Add("^ah", s)
				}
			}
			return nil
		}})
		testrun.Must(t, err)
	}
	say(pact.Spec{Role: "system", Content: "rule"}, pact.Spec{Role: "system", Content: "another"}, pact.Spec{Role: "user", Content: "q"}, pact.Spec{Role: "user", Content: "and"})
	say(pact.Spec{Role: "assistant", Kind: "thinking", Content: "hm"}, pact.Spec{ID: "a", Role: "assistant", Kind: "call", Content: "a"},
		pact.Spec{ID: "b", Role: "assistant", Kind: "call", Content: "b"}, pact.Spec{Role: "tool", Kind: "result", Content: "1", Refs: []string{"a"}},
		pact.Spec{Role: "tool", Kind: "result", Content: "2", Refs: []string{"b"}})
	say(pact.Spec{Role: "assistant", Content: "done"}, pact.Spec{Role: "assistant", Kind: "thinking", Content: "so"})
	r, err := begin(t.Context(), c, Options{Counter: bytesAsTokens{}, Dialect: "anthropic"})
	testrun.Must(t, err)
	var got []string
	testrun.Must(t, r.walk(func(p *passedCall) error {
		q, err := r.request(p)
		text := fmt.Sprint(q.same, ":")
		for i := range q.of.Parts {
			text += fmt.Sprint(" ", q.of.Parts[i].Message)
			if q.of.Parts[i].Marker.Kind != canon.KindAbsent {
				text += "*"
			}
		}
		got = append(got, text)
		return err
	}))
	if want := "0: -1 -1* 0 0*, 4: -1 -1* 0 0 1 1 1 2 2*, 9: -1 -1* 0 0 1 1 1 2 2 3* 3"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}
