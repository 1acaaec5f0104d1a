package record

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// cutter takes out of a request, when that pays, the parts that a policy wants gone and earlier requests had. It
// puts a note in place of a result, so that each call keeps its result and no message disappears, and it leaves
// out thinking. It keeps all other parts.
type cutter struct {
	policy  lifecycle.Policy
	when    lifecycle.When
	rules   []commit.CompiledRule
	counter tree.Counter
	ledger  *ledger
	refused atomic.Bool // the provider refused a request that asked it to clear results
	unnamed bool        // results can go without a stub

	mu    sync.Mutex // never held during work with the store
	grown map[[sha256.Size]byte]*grown
	ticks int64
}

// newCutter returns nil if nothing ever goes by the policy.
func newCutter(p *lifecycle.Policy, o *Options, m *memory) (*cutter, error) {
	c := &cutter{policy: *p, when: p.When, counter: quarters(p.Tokenizer), ledger: newLedger(o, m),
		grown: map[[sha256.Size]byte]*grown{}}
	limited := max(p.MaxTokens, p.MaxBytes, p.MaxNodes, p.MaxTurns, len(p.Parts)) > 0
	if !limited && !slices.ContainsFunc(p.Rules, func(r lifecycle.Rule) bool { return r.TTL != nil }) {
		return nil, nil
	}
	c.unnamed = limited && p.Stub == "" ||
		slices.ContainsFunc(p.Rules, func(r lifecycle.Rule) bool { return r.TTL != nil && !r.Stub })
	if c.when == "" {
		c.when = lifecycle.WhenPays
	}
	c.policy.When, c.policy.Orphans = lifecycle.WhenPays, lifecycle.Keep // due nodes wait for the cutter
	c.policy.WholePairs = true                                           // a provider refuses halves
	var err error
	c.rules, err = rules.Compile(p.Rules, selector.Canonical, c.counter)
	return c, err
}

// quarters counts a token for each four bytes, under the name that the policy asks for. That is good enough for
// the limits of a policy; the ledger corrects it by the counts of the provider.
type quarters string

func (q quarters) Name() string { return string(q) }

func (quarters) Count(text string) int { return (len(text) + 3) / 4 }

// cutPart is a part of a request with the decision about it.
type cutPart struct {
	*provider.Part
	answer bool // the model said it
	hash   [sha256.Size]byte
	size   int64
	result *sentResult // nil for all but results that can leave a note
	place  *provider.PlacedThinking
	key    string
	taken  *Shaped // the replacement that an earlier decision made, nil for none
}

// gone reports whether thinking is left out.
func (p *cutPart) gone() bool { return p.taken != nil && p.result == nil }

// question is a request on its way through the cutter.
type question struct {
	api   provider.API
	of    *provider.Request
	parts []cutPart
	calls map[string]bool // the ids of its calls
	since string          // the newest of them
	// clears is how to ask the provider to clear results, nil if the request cannot.
	clears *provider.Clearing
	sum    *summed // its state in the ledger
	form   *form   // as it is sent, once the ledger made it
}

// read reads a request and looks up the decision about each part, unless managing ended for the conversation.
func (c *cutter) read(e *Entry, body *reading, results []sentResult, alone bool) (*question, bool) {
	request, ok := provider.ReadRequest(body.name, body.value)
	if !ok {
		return nil, false
	}
	request.Model = body.model
	q := &question{api: body.name, of: request, parts: make([]cutPart, len(request.Parts)), calls: map[string]bool{}}
	thinking := provider.Thinking(body.name, body.root)
	if !c.refused.Load() {
		q.clears = provider.ClearingFor(body.name, body.root, body.model)
	}
	for i := range request.Parts {
		p := &request.Parts[i]
		one := &q.parts[i]
		one.Part, one.answer = p, p.Role == "assistant"
		one.hash, one.size = c.ledger.memory.hashOf(p), sizeOf(p.Content)
		switch {
		case p.Section != provider.Conversation:
		case p.Kind == "call" && p.Call != "":
			q.calls[p.Call], q.since = true, p.Call
		case p.Kind == "result" && len(results) > 0 && results[0].Call == p.Call:
			one.result, one.key, results = &results[0], results[0].key, results[1:]
		case p.Kind == "thinking" && len(thinking) > 0:
			content := p.Content.Value()
			one.place, one.key, thinking = &thinking[0], (&Result{Content: string(content)}).key(), thinking[1:]
		}
	}
	if !alone {
		q.follow(e)
	}
	return q, true
}

// sizeOf returns how long a content is, for a forecast: line breaks, quotes and backslashes, which are mostly
// tokens of their own, count twice.
func sizeOf(content canon.Any) int64 {
	if content.Kind != canon.KindString {
		return int64(len(content.AppendTo(nil)))
	}
	text := content.Text
	return int64(len(text) + strings.Count(text, "\n") + strings.Count(text, `"`) + strings.Count(text, `\`))
}

// apply applies a decision to a part; nil changes nothing.
func (p *cutPart) apply(s *Shaped) {
	if s == nil {
		return
	}
	switch p.taken = s; {
	case p.result == nil:
	case s.cleared:
		p.result.cleared = true
	default:
		p.result.shaped = s
	}
}

// decide takes parts that are due out of a request, if that pays and the decision is durable in time. It returns
// how many parts it took.
func (c *cutter) decide(ctx context.Context, r *Recorder, q *question, hide *hider, until time.Time) (int, error) {
	late := func() bool { return !until.IsZero() && time.Now().After(until) }
	picked, asks, err := c.due(ctx, q, hide, late)
	if err != nil || len(picked) == 0 {
		return 0, err
	}
	list := make([]leaving, len(picked))
	for k, i := range picked {
		if list[k], err = c.leave(q, i, asks); err != nil {
			return 0, err
		}
	}
	if late() {
		return 0, errNotInTime
	}
	made, err := r.cutUntil(ctx, list, q.since, until)
	if err != nil {
		return 0, err
	}
	for k, i := range picked {
		q.parts[i].apply(made[k])
	}
	q.form = nil
	return len(picked), nil
}

// due returns the numbers of the parts that leave a request now, none if that does not pay, and whether the provider
// is asked to clear them. Protections keep little of what waits, so they are asked only if it would pay to let all of
// it go.
func (c *cutter) due(ctx context.Context, q *question, hide *hider, late func() bool) (picked []int, asks bool,
	err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, err := c.grownTo(ctx, q.parts, late)
	if err != nil {
		return nil, false, err
	}
	pays := func(due map[int]bool) bool {
		if picked, asks = c.clear(q, due); !asks {
			picked = c.pick(q, due, hide)
		}
		return c.pays(q, picked, asks)
	}
	may := func(due map[int]bool) bool { return pays(due) || asks && c.pays(q, c.pick(q, due, hide), false) }
	alone := true // a call takes its result along, which then does not wait itself
	for i := range g.waits {
		alone = alone && (q.parts[i].Kind == "result" || q.parts[i].Kind == "thinking")
	}
	if len(g.waits) == 0 || alone && !may(g.waits) {
		return nil, false, nil
	}
	goes, err := c.released(ctx, g)
	if err != nil || !pays(goes) {
		return nil, false, err
	}
	return picked, asks, nil
}

// leave describes a part that leaves; asks says that the provider is asked to clear it.
func (c *cutter) leave(q *question, i int, asks bool) (l leaving, err error) {
	p := &q.parts[i]
	if p.result == nil {
		return leaving{Result: Result{Content: string(p.Content.Value())}, raw: p.place.List.Elems[p.place.At].Raw}, nil
	}
	said, _, err := p.result.asResult()
	l = leaving{Result: said, raw: p.result.Content.Raw, calls: callsAfter(q.parts, i), had: p.result.shaped}
	if !asks {
		l.note = func(id string, calls int64) string { return commit.StubText(&c.policy, id, calls) }
	}
	return l, err
}

// notesFor returns, as JSON, the notes in place of parts that leave; the id may become another.
func (c *cutter) notesFor(q *question, picked []int, asks bool) map[int]string {
	notes := map[int]string{}
	for _, i := range picked {
		if notes[i] = provider.Cleared; asks {
			continue
		}
		notes[i] = string(canon.String(commit.StubText(&c.policy, q.parts[i].Call, callsAfter(q.parts, i))))
	}
	return notes
}

// callsAfter returns how many answers stand behind a part: so many calls sent it.
func callsAfter(parts []cutPart, i int) (n int64) {
	for i++; i < len(parts); i++ {
		if parts[i].answer && !parts[i-1].answer {
			n++
		}
	}
	return n
}

// pick returns the numbers of the parts that leave a request together, in order: of those that are due, the
// results that get shorter and the thinking of earlier answers. If the model binds thinking to the text before it,
// all thinking behind goes too; pick returns none if that would touch the last answer.
func (c *cutter) pick(q *question, due map[int]bool, hide *hider) (picked []int) {
	last, others := -1, map[int]int{} // the last message of the model; parts of messages besides thinking
	for i := range q.parts {
		p := &q.parts[i]
		if p.answer && p.Section == provider.Conversation {
			last = max(last, p.Message)
		}
		if p.Kind != "thinking" {
			others[p.Message]++
		}
	}
	stays := func(p *cutPart) bool { return p.Message == last || others[p.Message] == 0 }
	binds := provider.BindsThinking(q.api, q.of.Model)
	for i := range q.parts {
		p := &q.parts[i]
		_, isDue := due[i]
		switch {
		case p.taken != nil:
		case p.result != nil && isDue && c.canLeave(q, i, hide):
			picked = append(picked, i)
		case p.place != nil && binds && len(picked) > 0:
			if stays(p) {
				return nil
			}
			picked = append(picked, i)
		case p.place != nil && isDue && !stays(p):
			picked = append(picked, i)
		}
	}
	return picked
}

// canLeave reports whether a note in place of a result would be shorter, and whether the store may have the result.
func (c *cutter) canLeave(q *question, i int, hide *hider) bool {
	if !c.isLonger(q, i) {
		return false
	}
	_, hidden := hide.value(q.parts[i].Content)
	return hidden == 0
}

// isLonger reports whether a result that may leave is longer than a note in its place.
func (c *cutter) isLonger(q *question, i int) bool {
	p := &q.parts[i]
	size := len(p.result.Content.Raw)
	if p.result.shaped != nil {
		size = len(p.result.shaped.Content)
	}
	return !p.result.Fresh && !p.result.doubt && len(commit.StubText(&c.policy, p.Call, callsAfter(q.parts, i)))+2 < size
}

// cutUntil makes a decision durable. The next request follows a decision that comes too late for this one.
func (r *Recorder) cutUntil(ctx context.Context, list []leaving, since string, until time.Time) ([]*Shaped, error) {
	var made []*Shaped
	err := r.inTime(until, func(begin func() error) (err error) {
		made, err = r.entry.cut(ctx, list, since, begin)
		return err
	}, func(error) {})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// cut takes out of a request the parts that left earlier ones and those that are due. It takes out no more from a
// conversation for which managing ended. An error says why due parts stay this time.
func (r *Recorder) cut(ctx context.Context, body *reading, results []sentResult, m *managing, alone bool,
	until time.Time) (err error) {
	c := r.cutter
	if c == nil {
		return nil
	}
	q, ok := c.read(r.entry, body, results, alone)
	if !ok {
		return nil
	}
	m.question = q
	c.ledger.begin(q, time.Unix(0, r.options.Clock()))
	if !alone && q.since != "" && provider.HasTools(body.root) && !asksForSummary(q.of) && !q.of.ClearsItself() {
		m.cut, err = c.decide(ctx, r, q, m.hide, until)
		if n := m.cut; n > 0 {
			r.count(func(s *Stats) { s.Managed.Cut += n; s.Managed.Batches++ })
		}
	}
	m.sending = c.ledger.end(q)
	m.sending.cut = m.cut > 0
	return err
}
