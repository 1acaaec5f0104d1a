package simulate

import (
	"math"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/lifecycle"
)

// policyRun is the run under one policy: what was decided so far, and the cache of the provider.
type policyRun struct {
	*run
	Outcome
	policy       lifecycle.Policy
	rules        *manage.Rules // nil for the run as it was
	list         *manage.List
	ledger       *manage.Ledger
	cache        *provider.Cache
	before       provider.Prompt // of the call before
	calledBefore bool            // there was one
	varied       []*policyRun    // the same with other estimates of tokens

	tokens  []float64          // of the parts of the last call
	first   []float64          // the tokens of its first n parts, by n
	call    manage.Request     // the last one, as it is managed
	removed map[string]bool    // the blocks that the policy took
	shaped  map[string]string  // by block, what is sent in place of its content
	said    map[[2]string]bool // regrets that were noted
}

// underPolicy begins the run anew under a policy. Where money decides, it is decided with other estimates of tokens too: a recorder
// may have learned others from what it recorded before. All ask the same rules, which remember what they were asked.
func (r *run) underPolicy(p Named) (*policyRun, error) {
	if err := p.Policy.Check(); err != nil {
		return nil, err
	}
	rules, err := manage.Compile(&p.Policy)
	if err != nil {
		return nil, err
	}
	l := r.withEstimates(p, rules, 1)
	if r.counted && p.Policy.When != lifecycle.WhenNow && rules.Change() {
		l.varied = []*policyRun{r.withEstimates(p, rules, 1-estimated), r.withEstimates(p, rules, 1+estimated)}
	}
	return l, nil
}

// estimated is how far estimates of tokens may be from those that a recorder has.
const estimated = 0.1

// withEstimates begins the run under a policy, with estimates of tokens that are so many times those of the log.
func (r *run) withEstimates(p Named, rules *manage.Rules, by float64) *policyRun {
	l := &policyRun{run: r, Outcome: Outcome{Policy: p.Name}, policy: p.Policy, rules: rules, cache: r.rules.NewCache(),
		list: manage.NewList(), removed: map[string]bool{}, shaped: map[string]string{}, said: map[[2]string]bool{}}
	l.ledger = manage.NewLedger(func(string) (manage.Price, bool) {
		return manage.Price{Paid: r.tariff.Money, Read: r.tariff.Read}, r.priced
	})
	l.ledger.Vary(by)
	return l
}

// unsure returns how far what was sent and paid with other estimates is from the outcome, as a part of it.
func (l *policyRun) unsure() (most float64) {
	for _, other := range l.varied {
		most = max(most, math.Abs(float64(other.Sent-l.Sent))/float64(max(l.Sent, 1)))
		if l.Cost != nil && *l.Cost > 0 {
			most = max(most, math.Abs(*other.Cost / *l.Cost - 1))
		}
	}
	return most
}

// spent returns the cost of the calls so far, 0 without a price.
func (l *policyRun) spent() float64 {
	if l.Cost == nil {
		return 0
	}
	return *l.Cost
}

// send counts a call. tokens has those of each block of its prompt.
func (l *policyRun) send(prompt provider.Prompt, tokens []float64, c Call) worth.Call {
	l.first = append(l.first[:0], 0)
	for i, n := range tokens {
		l.first = append(l.first, l.first[i]+n)
	}
	upTo := func(n int) float64 { return l.first[n] }
	read := upTo(l.cache.Call(&prompt, l.at).Blocks)
	counted := l.tariff.Call(int64(upTo(len(tokens))+0.5), int64(read+0.5), l.tariff.EndsOf(&prompt, upTo))
	c.Sent, c.Read, c.Written, c.Cost = counted.Sent, counted.Read, counted.Written, counted.Money
	if l.calledBefore {
		shared := l.run.rules.Compare(&l.before, &prompt)
		c.Broke = !shared.Complete // no provider counts a simulated call; of recorded ones the counts decide (view.CacheBreakOf)
		if c.Broke {
			c.Reasoning = shared.Reasoning
		}
	}
	l.before, l.calledBefore = prompt, true
	l.Sent, l.Read, l.Written = l.Sent+c.Sent, l.Read+c.Read, l.Written+c.Written
	l.last.sent, l.last.read = c.Sent, c.Read
	if c.Cost != nil {
		sum := l.spent() + *c.Cost
		l.Cost = &sum
	}
	if c.Broke {
		l.Breaks++
	}
	if most := l.policy.MaxTokens; most > 0 && c.Sent > int64(most) {
		l.Over++
	}
	l.Reasoning += c.Reasoning
	l.Removed += c.Removed
	if l.o.Calls {
		l.ByCall = append(l.ByCall, c)
	}
	return counted
}

// step sends a call of the run as a recorder that manages by the policy would: both ask the same function.
func (l *policyRun) step(sent *request, cycle int64) error {
	for _, other := range l.varied {
		if err := other.step(sent, cycle); err != nil {
			return err
		}
	}
	q := &l.call
	q.GoOn(sent.managed(), sent.same)
	if err := q.Follow(l.list); err != nil {
		return err
	}
	l.ledger.Begin(q, l.at)
	made, err := l.rules.Decide(l.ctx, l.list, q, l.ledger, func() bool { return false })
	if err != nil {
		return err
	}
	leave := 0
	for _, d := range made {
		if l.list.Add(d); d.Action == manage.Ended || d.Action == manage.Stopped {
			l.Ended = d.Why
		} else if d.Since != "" {
			leave++
		}
	}
	if len(made) > 0 {
		if err := q.Follow(l.list); err != nil {
			return err
		}
	}
	again, _ := q.RepeatedCalls()
	l.Again = max(l.Again, again)
	sending := l.ledger.End(q, leave > 0)
	c := Call{Cycle: cycle}
	for _, i := range q.Changed() {
		if l.noteTaken(sent, &q.Parts[i], i) {
			c.Removed++
		}
	}
	l.tokens = l.tokens[:0]
	from := 0
	for _, i := range q.Formed() {
		if l.tokens = append(l.tokens, sent.tokens[from:i]...); q.Parts[i].Form().Action != manage.Gone {
			l.tokens = append(l.tokens, l.sentAs(sent, &q.Parts[i], i))
		}
		from = i + 1
	}
	l.tokens = append(l.tokens, sent.tokens[from:]...)
	told := l.send(*sending.Prompt(), l.tokens, c)
	l.ledger.Learn(sending, provider.Usage{In: &told.Sent, Cached: &told.Read, Written: &told.Written})
	return nil
}

// noteTaken notes what became of a part whose form changed, and reports whether the policy has just taken it.
func (l *policyRun) noteTaken(sent *request, p *manage.Part, i int) (gone bool) {
	id, d := sent.ids[i], p.Form()
	was := l.removed[id]
	delete(l.removed, id)
	_, short := l.shaped[id]
	delete(l.shaped, id)
	switch {
	case d == nil:
	case d.Action == manage.Left || d.Action == manage.Gone || d.Action == manage.Cleared:
		l.removed[id] = true
		return !was
	default:
		l.shaped[id] = string(d.Text)
		if !short && !was {
			l.Shaped++
		}
	}
	return false
}

// inPlace is what the counter counts, by perToken, of what is sent in place of a content: the rest of it, and notes.
type inPlace struct{ piece, notes int64 }

// sentAs returns the tokens of a part as it is sent, by those that the provider counted of it whole.
func (l *policyRun) sentAs(sent *request, p *manage.Part, i int) float64 {
	d, whole := p.Form(), sent.sizes[i]
	if d == nil {
		return sent.tokens[i]
	}
	count := func(text string) int64 { return perToken * int64(l.o.Counter.Count(text)) }
	form, known := l.forms[d.Text]
	if !known {
		text := provider.Cleared
		if d.Action != manage.Cleared {
			text = textOf(p.Content())
		}
		notes := text
		if !d.OnlyNotes() {
			notes = commit.Notes(text)
		}
		form.notes = count(notes)
		form.piece = max(0, count(text)-form.notes)
		l.forms[d.Text] = form
	}
	if p.Part.Content.Kind == canon.KindObject { // of Gemini: what stands around the text stays
		if said, err := p.Said(); err == nil {
			form.piece += whole.Size - count(textOf(said))
		}
	}
	return l.meter.InPlaceOf(whole, form.piece, form.notes)
}
